import { z } from 'zod';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { FigureAnswer } from './answer-figure.ts';
import { Segments } from './chosen-segment.ts';
import { ProjectNotes } from './project-notes.ts';

/** Figures that are read separately. */
export const FIGURES = {
  /** Requests of bots by day and family. */
  hits: FigureAnswer,
  wasted: FigureAnswer,
  budget: FigureAnswer,
  engines: FigureAnswer,
  ai: FigureAnswer,
  clicks: FigureAnswer,
  segments: FigureAnswer,
  losses: FigureAnswer,
  fresh: FigureAnswer,
};

export const DemandSpan = z.strictObject({
  kind: z.enum(['logs', 'search']),
  from_date: z.string(),
  to_date: z.string(),
});

export const Demand = z.strictObject({
  project_id: z.string(),
  project_name: z.string().nullable(),
  /** The last loaded days of log files and of search results. */
  log_days: z.number(),
  last_log_day: z.string().nullable(),
  ranking_days: z.number(),
  last_ranking_day: z.string().nullable(),
  /** The days that belong to the main crawl (mart.crawl_days). */
  spans: z.array(DemandSpan),
  /** Whether any of its crawls has pages. */
  has_pages: z.boolean(),
  crawl_id: z.string().nullable(),
  choices: Segments,
  segment: z.string().nullable(),
  segmentation: z.string(),
  notes: ProjectNotes,
  ...FIGURES,
});
export type Demand = Typed<typeof Demand>;
