import { chartColumns, isDimension } from '../../../answers/query/chart-columns.ts';
import type { ChartKind } from '../../../answers/report/answer-chart.ts';

import { stringifyJson } from '../../../core/json.ts';

const NUMBER = /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL\(.*\)|FLOAT|DOUBLE|BIGNUM)$/;
const TIME = /^(DATE|TIMESTAMP.*)$/;

interface Column {
  readonly name: string;
  readonly type: string;
}

export function isNumber(type: string): boolean {
  return NUMBER.test(type);
}

export function isTime(type: string): boolean {
  return TIME.test(type);
}

/** What a chart is drawn from: names of columns. */
export interface ChartChoice {
  readonly kind: ChartKind;
  readonly x: string;
  /** None in a histogram. */
  readonly y: string | null;
  readonly colour: string | null;
}

/** The chart that the columns of an answer suggest; null without a number to draw. */
export function firstChart(
  columns: readonly Column[],
  rows: readonly (readonly unknown[])[],
): ChartChoice | null {
  const { labels, measure } = chartColumns(
    columns.map(({ name, type }, index) => ({
      name,
      isNumber: isNumber(type),
      texts: rows.map((row) => (row[index] == null ? null : stringifyJson(row[index]))),
    })),
  );
  if (measure === null) return null;
  const time = labels.find((label) => columns.some(({ name, type }) => name === label && isTime(type)));
  const [first, second] = labels.filter((label) => label !== time);
  if (time !== undefined) return { kind: 'line', x: time, y: measure, colour: first ?? null };
  if (first !== undefined) return { kind: 'bar', x: first, y: measure, colour: second ?? null };
  const other = columns.findLast(
    ({ name, type }) => isNumber(type) && name !== measure && !isDimension(name),
  );
  if (other !== undefined) return { kind: 'scatter', x: other.name, y: measure, colour: null };
  return { kind: 'histogram', x: measure, y: null, colour: null };
}

/** Why a chart can't be drawn of these columns; null: it can. */
export function chartProblem({ kind, x, y }: ChartChoice, columns: readonly Column[]): string | null {
  const typeOf = (name: string | null): string => columns.find((one) => one.name === name)?.type ?? '';
  const [along, up] = [typeOf(x), typeOf(y)];
  const isMeasure = isNumber(along) || isTime(along);
  if (along === '') return `There is no column ${x}.`;
  if (kind === 'histogram') return isMeasure ? null : 'A histogram needs numbers or times.';
  if (!isNumber(up)) return `A ${kind} needs a column of numbers for y.`;
  return kind === 'bar' || isMeasure ? null : `A ${kind} needs numbers or times for x.`;
}
