import { z } from 'zod';
import { CHART_KINDS } from '../../../pipeline/transform/questions/question-chart.ts';
import { TASKS } from '../../../pipeline/transform/questions/questions.ts';
import { Note } from '../../../project/settings/notes.ts';

const Suggestion = z.object({ value: z.string(), label: z.string() });
export type Suggestion = z.infer<typeof Suggestion>;

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
  /** Whether it was run; false also where a page from elsewhere asked for it. */
  ran: z.boolean(),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  rows: z.array(z.array(z.unknown())),
  page: z.int(),
  more: z.boolean(),
  total: z.int().nullable(),
  seconds: z.number().nullable(),
  why: z.string().nullable(),
  /** What the crawls did not cover that the question answers for, a sentence each. */
  scope: z.array(z.string()),
  error: z
    .object({
      code: z.string(),
      message: z.string(),
      hint: z.string().nullable(),
      line: z.int().nullable(),
      /** The line and a mark under the place. */
      place: z.string().nullable(),
    })
    .nullable(),
  /** The one that is asked for, else the one that the question declares. */
  chart: z
    .object({
      kind: z.enum(CHART_KINDS),
      x: z.string().nullable(),
      y: z.array(z.string()),
      colour: z.string().nullable(),
      /** One chart for each of their values. */
      each: z.array(z.string()),
      /** Rows where it is true are drawn; null: all. */
      only: z.string().nullable(),
      /** The rows that it is drawn from: these columns of them. */
      rows: z.array(z.record(z.string(), z.unknown())),
      cut: z.boolean(),
      problem: z.string().nullable(),
      /** Of each project that a chart is of, by what the rows call it; of the one that was asked for, null. */
      notes: z.array(z.object({ project: z.string().nullable(), list: z.array(Note) })),
    })
    .nullable(),
  questions: z.array(z.object({ name: z.string(), title: z.string(), task: z.enum(TASKS) })),
});
export type AskDocument = z.infer<typeof Ask>;
