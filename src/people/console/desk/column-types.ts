import type { ChartKind } from '../../../answers/report/answer-chart.ts';

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

/** The chart that the types of the columns suggest; null without numbers. */
export function firstChart(columns: readonly Column[]): ChartChoice | null {
  const [first, second] = columns.filter(({ type }) => isNumber(type)).map(({ name }) => name);
  if (first === undefined) return null;
  const time = columns.find(({ type }) => isTime(type))?.name;
  const text = columns.find(({ type }) => type === 'VARCHAR' || type.startsWith('ENUM'))?.name;
  if (time !== undefined) return { kind: 'line', x: time, y: first, colour: text ?? null };
  if (text !== undefined) return { kind: 'bar', x: text, y: first, colour: null };
  if (second !== undefined) return { kind: 'scatter', x: first, y: second, colour: null };
  return { kind: 'histogram', x: first, y: null, colour: null };
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
