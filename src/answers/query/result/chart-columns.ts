import type { Chart } from '../../../pipeline/transform/questions/question-chart.ts';
import { isDimension } from '../../../project/model/shown/value-text.ts';

export interface ChartColumn {
  readonly name: string;
  readonly isNumber: boolean;
  /** Row by row; the same value is the same text. */
  readonly texts: readonly (string | null)[];
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
