import { z } from 'zod';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { ChosenCrawl } from '../../../answers/explore/chosen-crawls.ts';
import { Paging } from '../../layout/paging.ts';
import { FigureAnswer } from '../../page-parts/answer-figure.ts';
import { ProjectCrawl } from './compare-page.ts';

/** The figures of a folder, by which the folders can be sorted; a leading minus reverses the order. */
export const SORTS = [
  'folder',
  'pages',
  'indexable_pages',
  'error_pages',
  'issues',
  'clicks',
  'search_bot_hits',
] as const;

export const StructureCrawl = ChosenCrawl.extend({
  /** Why the crawl does not cover the whole site; null if it does. */
  scope_note: z.string().nullable(),
});

export const Structure = z.strictObject({
  project_id: z.string(),
  project_name: z.string().nullable(),
  crawl: StructureCrawl,
  crawls: z.array(ProjectCrawl),
  /** With a slash at its beginning and end. */
  folder: z.string(),
  sort: z.string(),
  /** The folders on this page of the list, and the pages directly in the folder. */
  folders: FigureAnswer,
  /** Pages by depth and indexability. */
  depths: FigureAnswer,
  paging: Paging,
});
export type Structure = Typed<typeof Structure>;
