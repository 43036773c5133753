import { z } from 'zod';
import { readIssues } from '../../answers/explore/read-issues.ts';
import { readPages } from '../../answers/explore/read-pages.ts';
import type { CatalogReader } from '../../state/catalogue/catalog.ts';

/** Few by default: an assistant asks for more where it needs them. */
const ROWS = 20;
const MOST_ROWS = 1000;

const Project = z.string().optional().describe('Its name or identifier; without it, all.');
const Crawl = z
  .string()
  .optional()
  .describe('An identifier, latest, previous, -N or a day; without it, the main crawl of the project.');

/** Registers a tool that only reads, and answers as JSON. */
export type Register = <Shape extends z.ZodRawShape>(
  name: string,
  description: string,
  shape: Shape,
  work: (given: z.output<z.ZodObject<Shape>>, signal: AbortSignal) => Promise<unknown>,
) => void;

/** The way from what is wrong to the pages where it is wrong. */
export function registerIssueTools(register: Register, reader: CatalogReader): void {
  register(
    'list_issues',
    'What is wrong with the pages of a crawl: pages now, new, fixed and remaining since the crawl before.',
    { project: Project, crawl: Crawl },
    (asked, signal) => readIssues(reader, asked, signal),
  );
  register(
    'find_pages',
    'The pages of one crawl that have an issue or meet conditions: how many (total), and the first rows.',
    {
      project: Project.describe('Its name or identifier; needed where there are several.'),
      crawl: Crawl,
      issue: z.string().optional().describe('As list_issues names it.'),
      change: z
        .string()
        .optional()
        .describe(
          'Since the crawl before: added, removed, or a column that differs; of an issue: new, fixed or remaining.',
        ),
      since: z.string().optional().describe('The crawl that change compares with.'),
      segment: z.string().optional().describe('Only pages of this first directory or segment.'),
      where: z
        .array(z.string().min(1))
        .default([])
        .describe('SQL conditions on columns of mart.pages; all of them hold.'),
      sort: z.string().optional().describe("A column, or 'COLUMN desc'."),
      limit: z.int().positive().max(MOST_ROWS).default(ROWS).describe('The most rows.'),
    },
    ({ limit, ...filter }, signal) =>
      readPages(reader, { ...filter, conditions: [], columns: [] }, limit, signal),
  );
}
