import type { AggMethod } from '../../api/resources/aggregates.ts';
import { type Column, isMany } from '../fields/column.ts';
import { valueKind } from '../oql/check-value.ts';
import { elementsOf, textOf } from '../oql/compile-leaf.ts';
import { canonicalNumber, isWhole } from './canonical-number.ts';
import type { AggregateMetric } from './plan-aggregate.ts';

/** SQL for a metric: the values of a row that it is made from, and the aggregate over them. */
export interface MetricSql {
  /** Over the columns of the table; a list where a row may have several values. */
  readonly values: string;
  readonly isList: boolean;
  /** The result as JSON text, NULL if there is none. */
  readonly result: (value: string) => string;
}

/** Whole numbers are added up exactly while they have at most these digits: HUGEINT holds the sum of 10^8 of them. */
const EXACT_DIGITS = 30;

/** Of a many-valued field every value counts. */
export function metricSql({ column, method }: AggregateMetric): MetricSql {
  const isList = isMany(column);
  const isTyped = !isList && (column.kind === 'int' || column.kind === 'float');
  const values = isList
    ? `CASE WHEN coalesce(len(${elementsOf(column)}), 0) = 0 THEN [NULL] ELSE ${elementsOf(column)} END`
    : isTyped
      ? column.id
      : textOf(column);
  const result = (it: string): string =>
    isTyped ? overNumbers(method, it, column.kind === 'int') : overTexts(method, it, column);
  return { values, isList, result };
}

function overNumbers(method: AggMethod, it: string, areWhole: boolean): string {
  switch (method) {
    case 'value_count':
      return `CAST(count(${it}) AS VARCHAR)`;
    case 'cardinality':
      return `CAST(count(DISTINCT ${it}) AS VARCHAR)`;
    case 'min':
    case 'max':
      return `CAST(${method}(${it}) AS VARCHAR)`;
    case 'sum':
      return areWhole ? wholeSum(it) : finite(`coalesce(fsum(${it}), 0.0)`);
    case 'avg':
      return finite(areWhole ? `avg(${it})` : `favg(${it})`);
  }
}

/** A metric over values as text: whole numbers of any size, fractions, or no numbers at all. */
function overTexts(method: AggMethod, it: string, column: Column): string {
  const isNumber = valueKind(column.field) === 'number';
  const double = `TRY_CAST(${it} AS DOUBLE)`;
  const whole = `CASE WHEN ${isWhole(it, EXACT_DIGITS)} THEN CAST(${it} AS HUGEINT) END`;
  const areWhole = `count(${double}) = count(${whole})`;
  switch (method) {
    case 'value_count':
      return `CAST(count(${it}) AS VARCHAR)`;
    case 'cardinality':
      return `CAST(count(DISTINCT ${isNumber ? `coalesce(${canonicalNumber(it)}, ${it})` : it}) AS VARCHAR)`;
    case 'min':
    case 'max':
      if (!isNumber) return `CAST(to_json(${method}(${it})) AS VARCHAR)`;
      // By size, and beyond what a DOUBLE tells apart by all digits.
      return `arg_${method}(${canonicalNumber(it)}, row(${double}, ${isWholeOrder(it)})) FILTER (${double} IS NOT NULL)`;
    case 'sum':
      return `CASE WHEN ${areWhole} THEN ${wholeSum(whole)} ELSE ${finite(`fsum(${double})`)} END`;
    case 'avg':
      return finite(
        `CASE WHEN ${areWhole} THEN CAST(sum(${whole}) AS DOUBLE) / count(${whole}) ELSE favg(${double}) END`,
      );
  }
}

function isWholeOrder(it: string): string {
  return `CASE WHEN ${isWhole(it)} THEN CAST(${it} AS HUGEINT) END`;
}

/** Sums come as floats (wire-facts.md), with all the digits of the exact sum; the sum of no values is 0.0. */
function wholeSum(it: string): string {
  return `concat(CAST(coalesce(sum(${it}), 0) AS VARCHAR), '.0')`;
}

/** JSON has no form for infinite values and NaN. */
function finite(number: string): string {
  return `CASE WHEN isfinite(${number}) THEN CAST(${number} AS VARCHAR) END`;
}
