import { z } from 'zod';
import { isNumber, isTime } from '../../../../core/duckdb/type-families.ts';

export const CHART_KINDS = ['line', 'bar', 'stacked', 'scatter', 'histogram', 'funnel'] as const;
type ChartKind = (typeof CHART_KINDS)[number];

/** The data of a chart: names of an answer's columns. */
export interface Chart {
  readonly kind: ChartKind;
  /** Null in a funnel, whose steps are the columns of `y`. */
  readonly x: string | null;
  /** The numbers in the chart. Without any, rows are counted. */
  readonly y: readonly string[];
  readonly colour: string | null;
  /** One chart for each of their values. Projects and segments never share one. */
  readonly each: readonly string[];
  /** A BOOLEAN column that selects the drawn rows; null for all rows. */
  readonly only: string | null;
}

const Column = z.string().min(1);
const Columns = z.preprocess((given) => (typeof given === 'string' ? [given] : given), z.array(Column));

/** `chart: none`, or no such key, where a chart would not help. */
export const ChartHeader = z
  .preprocess(
    (given) => (given === 'none' ? undefined : given),
    z
      .strictObject({
        kind: z.enum(CHART_KINDS),
        x: Column.nullable().default(null),
        y: Columns.default([]),
        colour: Column.nullable().default(null),
        each: Columns.default([]),
        only: Column.nullable().default(null),
      })
      .superRefine((chart, context) => {
        const problem = shapeProblem(chart);
        if (problem !== null) context.addIssue({ code: 'custom', message: problem });
      })
      .optional(),
  )
  .transform((chart): Chart | null => chart ?? null);

function shapeProblem({ kind, x, y, colour }: Chart): string | null {
  if (kind === 'funnel') return y.length > 1 ? null : 'a funnel needs its steps: several columns for y';
  if (x === null) return `a ${kind} needs a column for x`;
  if (kind === 'histogram') return y.length === 0 ? null : 'a histogram counts rows: it has no y';
  if (kind === 'stacked' && colour === null) return 'a stacked chart needs a column for colour';
  if ((kind === 'line' || kind === 'scatter') && y.length === 0) return `a ${kind} needs a column for y`;
  if (y.length > 1 && (kind !== 'line' || colour !== null)) return `a ${kind} draws one column for y`;
  return null;
}

/** Returns the columns of an answer that a chart needs. Rows that `only` omits are counted by their crawls. */
export function chartColumns(
  { x, y, colour, each, only }: Chart,
  answer: readonly { readonly name: string }[],
): string[] {
  const needed = new Set([x, ...y, colour, ...each, only, only === null ? null : 'crawl_id']);
  return answer.map(({ name }) => name).filter((name) => needed.has(name));
}

/** Returns why an answer's columns cannot be drawn; null if they can. */
export function chartProblem(
  chart: Chart,
  columns: readonly { readonly name: string; readonly type: string }[],
): string | null {
  const shape = shapeProblem(chart);
  if (shape !== null) return shape;
  const { kind, x, y, colour, each, only } = chart;
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const missing = [x, ...y, colour, ...each, only].find((name) => name !== null && !types.has(name));
  if (missing != null) return `the result has no column ${missing}`;
  if (only !== null && types.get(only) !== 'BOOLEAN') return `${only} is not BOOLEAN, which only needs`;
  const text = y.find((name) => !isNumber(types.get(name) ?? ''));
  if (text !== undefined) return `${text} has no numbers: a ${kind} needs them for y`;
  const along = types.get(x ?? '') ?? '';
  const needsMeasure = kind === 'line' || kind === 'scatter' || kind === 'histogram';
  if (needsMeasure && !isNumber(along) && !isTime(along)) return `a ${kind} needs numbers or times for x`;
  return null;
}
