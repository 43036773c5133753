import { z } from 'zod';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { Note } from '../../../etl/project/settings/notes.ts';
import { CHART_KINDS } from '../../../etl/project/sql/questions/question-chart.ts';
import { TASKS } from '../../../etl/project/sql/questions/questions.ts';

const Suggestion = z.object({ value: z.string(), label: z.string() });
export type Suggestion = Typed<typeof Suggestion>;

export const Ask = z.object({
  question: z
    .object({
      name: z.string(),
      title: z.string(),
      description: z.string(),
      model: z.string(),
      file: z.string(),
    })
    .nullable(),
  sql: z.string(),
  parameters: z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      default: z.string().nullable(),
      description: z.string(),
      value: z.string().nullable(),
    }),
  ),
  suggestions: z.object({ project: z.array(Suggestion), crawl: z.array(Suggestion) }),
  /** Whether it was run; false also if a page of another site requested it. */
  ran: z.boolean(),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  rows: z.array(z.array(z.unknown())),
  page: z.int(),
  more: z.boolean(),
  total: z.int().nullable(),
  seconds: z.number().nullable(),
  why: z.string().nullable(),
  /** What the crawls of the answer do not cover, as sentences. */
  scope: z.array(z.string()),
  error: z
    .object({
      code: z.string(),
      message: z.string(),
      hint: z.string().nullable(),
      line: z.int().nullable(),
      /** The line with a mark below the position. */
      place: z.string().nullable(),
    })
    .nullable(),
  /** The requested chart, or else the one that the question declares. */
  chart: z
    .object({
      kind: z.enum(CHART_KINDS),
      x: z.string().nullable(),
      y: z.array(z.string()),
      colour: z.string().nullable(),
      /** One chart for each value of these columns. */
      each: z.array(z.string()),
      /** Only rows for which it is true are drawn; null means all. */
      only: z.string().nullable(),
      /** The rows of the drawing, with these columns. */
      rows: z.array(z.record(z.string(), z.unknown())),
      cut: z.boolean(),
      problem: z.string().nullable(),
      /** Notes by project of a chart, as the rows name it; null: the requested project. */
      notes: z.array(z.object({ project: z.string().nullable(), list: z.array(Note) })),
    })
    .nullable(),
  questions: z.array(z.object({ name: z.string(), title: z.string(), task: z.enum(TASKS) })),
});
export type AskDocument = Typed<typeof Ask>;
