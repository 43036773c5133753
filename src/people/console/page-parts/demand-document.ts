import { z } from 'zod';
import { FigureAnswer } from './answer-figure.ts';
import { ProjectNotes } from './notes.ts';
import { Segments } from './segments.ts';

/** Each is read by itself. */
export const FIGURES = {
  /** Requests of bots by day, each family of them. */
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

export const Demand = z.strictObject({
  project_id: z.string(),
  project_name: z.string().nullable(),
  /** The last days that are loaded, of log files and of search results. */
  log_days: z.number(),
  last_log_day: z.string().nullable(),
  ranking_days: z.number(),
  last_ranking_day: z.string().nullable(),
  /** The days that belong to the main crawl (mart.crawl_days). */
  spans: z.array(
    z.strictObject({ kind: z.enum(['logs', 'search']), from_date: z.string(), to_date: z.string() }),
  ),
  /** Whether a crawl of it has pages. */
  has_pages: z.boolean(),
  /** The main crawl; null where none has pages. */
  crawl_id: z.string().nullable(),
  /** Its segments, and the one that was chosen. */
  choices: Segments,
  segment: z.string().nullable(),
  /** What rows by segment are by. */
  segmentation: z.string(),
  notes: ProjectNotes,
  ...FIGURES,
});
export type Demand = z.infer<typeof Demand>;
