import type { Chart } from '../../../pipeline/transform/questions/question-chart.ts';

export interface ChartColumn {
  readonly name: string;
  readonly isNumber: boolean;
  /** Row by row; the same value is the same text. */
  readonly texts: readonly (string | null)[];
}

/** Numbers that say which row it is, or over how many days it is, and not how much there is of it. */
const DIMENSION =
  /^(.*_)?(ids?|codes?|status|depth|level|hop|place|number|year|quarter|month|week|day|hour|days|inrank)$|^day_of_/;
const AGGREGATE = /^(average|avg|mean|median|min|max|minimum|maximum|sum|total|p\d+)_/;

/** Whether a number tells rows apart, as codes, identifiers and depths do, so that its size is nothing to draw. */
export function isDimension(name: string): boolean {
  const plain = name.toLowerCase().replace(/_(before|after|now)$/, '');
  return DIMENSION.test(plain) && !AGGREGATE.test(plain);
}

/**
 * The chart of an answer that declares none: plain bars of the first measure by the first text or time. A column that is
 * the same in every row is neither, and a code or an identifier is no measure. Null where there is no measure.
 */
export function plainChart(columns: readonly ChartColumn[]): Chart | null {
  const varied = columns.filter(({ texts }) => texts.length < 2 || new Set(texts).size > 1);
  const measure = varied.find((one) => one.isNumber && !isDimension(one.name));
  const label =
    varied.find(({ name, isNumber }) => !isNumber && !isIdentifier(name)) ??
    varied.find((one) => one !== measure && (!one.isNumber || isDimension(one.name)));
  if (measure === undefined || label === undefined) return null;
  return { kind: 'bar', x: label.name, y: [measure.name], colour: null, each: [], only: null };
}

function isIdentifier(name: string): boolean {
  return /(^|_)ids?$/.test(name.toLowerCase());
}
