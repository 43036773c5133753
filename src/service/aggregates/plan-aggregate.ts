import type { Oql } from '../../client/oql/oql.ts';
import {
  AGG_METHODS,
  type AggMethod,
  type AggRange,
  type AggregateQuery,
} from '../../client/resources/aggregates.ts';
import type { FieldRecord } from '../../client/resources/fields.ts';
import { type Column, valueKind } from '../fields/column.ts';
import { checkOql } from '../oql/check-oql.ts';
import { invalidParameters, type OffendingField } from '../resources/refusal.ts';
import type { StoredDataset } from '../resources/resources.ts';

export interface Bucket {
  readonly column: Column;
  /** Absent: a bucket for each distinct value. */
  readonly ranges: readonly AggRange[] | undefined;
}

export interface AggregateMetric {
  readonly column: Column;
  readonly method: AggMethod;
}

/** An aggregate query, checked against the dataset's fields. */
export interface AggregatePlan {
  readonly columns: ReadonlyMap<string, Column>;
  readonly oql: Oql | undefined;
  /** Position in the request, such as `aggs[0]`. */
  readonly path: string;
  readonly buckets: readonly Bucket[];
  /** Absent: the rows are counted. */
  readonly metric: AggregateMetric | undefined;
}

/**
 * Checks an aggregate query (api-spec.md §4.1).
 *
 * @throws Refusal that names each offending parameter, such as `aggs[0].value`
 */
export function planAggregate(
  { columns: all }: StoredDataset,
  query: AggregateQuery,
  path: string,
): AggregatePlan {
  const columns = new Map(all.map((column) => [column.field.name, column]));
  const oql =
    query.oql === undefined || query.oql === null ? undefined : checkOql(query.oql, columns, `${path}.oql`);
  const problems: OffendingField[] = [];
  const buckets = (query.fields ?? []).flatMap((bucket, index, asked) => {
    const { name, ranges } = bucket;
    const column = columns.get(name);
    const twice = asked.findIndex((other) => other.name === name) !== index;
    problems.push(...bucketProblems(column?.field, bucket, twice, `${path}.fields[${index}]`));
    return column === undefined ? [] : [{ column, ranges }];
  });
  const metric = query.value === undefined ? undefined : splitMetric(query.value);
  const column = metric && columns.get(metric.field);
  if (metric) {
    const problem = metricProblem(column?.field, metric.field, metric.method);
    if (problem) problems.push({ name: `${path}.value`, ...problem });
  }
  if (problems.length > 0) throw invalidParameters(...problems);
  return { columns, oql, path, buckets, metric: column && { column, method: metric?.method as AggMethod } };
}

function bucketProblems(
  field: FieldRecord | undefined,
  { name, ranges }: NonNullable<AggregateQuery['fields']>[number],
  twice: boolean,
  path: string,
): OffendingField[] {
  if (field === undefined)
    return [
      { name: `${path}.name`, type: 'unknown_field', message: `there is no field ${JSON.stringify(name)}` },
    ];
  if (field.agg_dimension === false)
    return [{ name: `${path}.name`, type: 'not_a_dimension', message: `${name} can't be a bucket` }];
  if (twice) return [{ name: `${path}.name`, type: 'duplicate', message: `${name} appears twice` }];
  if (ranges === undefined) return [];
  if (valueKind(field) !== 'number') {
    const message = `only numeric fields accept ranges, not ${name} of the type ${field.type}`;
    return [{ name: `${path}.ranges`, type: 'not_numeric', message }];
  }
  return ranges.flatMap(({ name: range, from, to }, index) => {
    const at = `${path}.ranges[${index}]`;
    if (ranges.findIndex((other) => other.name === range) !== index)
      return [{ name: `${at}.name`, type: 'duplicate', message: `${JSON.stringify(range)} appears twice` }];
    if (from !== undefined && to !== undefined && !(from < to))
      return [{ name: `${at}.to`, type: 'value', message: `${to} is not above from, which is ${from}` }];
    return [];
  });
}

/** Splits a metric into field and method. A field's name may contain a colon, but a method cannot. */
function splitMetric(value: string): { readonly field: string; readonly method: string } {
  const at = value.lastIndexOf(':');
  return { field: at < 0 ? value : value.slice(0, at), method: at < 0 ? '' : value.slice(at + 1) };
}

function metricProblem(
  field: FieldRecord | undefined,
  name: string,
  method: string,
): Omit<OffendingField, 'name'> | undefined {
  if (!isMethod(method)) {
    const message = `reads <field_name>:<method>, the method one of ${AGG_METHODS.join(', ')}`;
    return { type: method === '' ? 'format' : 'unknown_method', message };
  }
  if (field === undefined)
    return { type: 'unknown_field', message: `there is no field ${JSON.stringify(name)}` };
  const allowed = allowedMethods(field);
  if (allowed.includes(method)) return undefined;
  return {
    type: 'method_not_allowed',
    message: `${name} allows ${allowed.join(', ') || 'no method'}, not ${method}`,
  };
}

/**
 * Returns the methods that a field lists and its values allow. If the field lists none, returns all that its values
 * allow.
 */
function allowedMethods(field: FieldRecord): AggMethod[] {
  const kind = valueKind(field);
  const fitting = AGG_METHODS.filter((method) => {
    if (method === 'value_count' || method === 'cardinality') return true;
    if (method === 'min' || method === 'max')
      return kind === 'number' || kind === 'date' || kind === 'datetime';
    return kind === 'number';
  });
  return fitting.filter((method) => field.agg_metric_methods?.includes(method) ?? true);
}

function isMethod(method: string): method is AggMethod {
  return (AGG_METHODS as readonly string[]).includes(method);
}
