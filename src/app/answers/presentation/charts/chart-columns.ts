import type { Chart } from '../../../../etl/project/sql/questions/question-chart.ts';
import { isDimension } from '../value-text.ts';

export interface ChartColumn {
  readonly name: string;
  readonly isNumber: boolean;
  /** One text per row; equal values have equal texts. */
  readonly texts: readonly (string | null)[];
}

/**
 * Returns the chart of an answer that declares none: bars of the first measure by the first text or time. A column with
 * the same value in every row is neither, and codes and identifiers are not measures. Null if there is no measure.
 */
export function plainChart(columns: readonly ChartColumn[]): Chart | null {
  const varied = columns.filter(({ texts }) => texts.length < 2 || new Set(texts).size > 1);
  const measure = varied.find((column) => column.isNumber && !isDimension(column.name));
  const label =
    varied.find(({ name, isNumber }) => !isNumber && !isIdentifier(name)) ??
    varied.find((column) => column !== measure && (!column.isNumber || isDimension(column.name)));
  if (measure === undefined || label === undefined) return null;
  return { kind: 'bar', x: label.name, y: [measure.name], colour: null, each: [], only: null };
}

function isIdentifier(name: string): boolean {
  return /(^|_)ids?$/.test(name.toLowerCase());
}
