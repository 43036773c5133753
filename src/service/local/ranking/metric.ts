import { RANKING_METHOD_FIELDS, type RankingMethod } from '../../api/resources/ranking-performance.ts';
import type { Column } from '../fields/column.ts';
import { invalidParameter } from '../resources/refusal.ts';

/** A metric of a ranking query: its SQL over the rows, and the column that it makes. */
export interface RankingMetric {
  readonly sql: string;
  readonly column: Column;
}

/**
 * Positions come with as many decimals, and so does their sum before it is divided: equal averages are equal
 * in whatever order they were summed, also where the last decimal is a tie.
 */
const DECIMALS = 6;

type Columns = ReadonlyMap<string, Column>;

/** The metric where a query gives none: how many items match. */
export function countMetric(alias: string): RankingMetric {
  return { sql: 'count(*)', column: made(alias, 0, 'int') };
}

/**
 * A metric as SQL: `sum` of nothing is 0; an average or a rate of no impressions has no value (api-spec.md §4.2).
 *
 * @throws Refusal that names what the field does not allow
 */
export function metricOf(
  { field: name, method, alias }: { field: string; method: RankingMethod; alias: string },
  index: number,
  columns: Columns,
  path: string,
): RankingMetric {
  const column = columns.get(name);
  if (column === undefined)
    throw invalidParameter(`${path}.field`, 'unknown_field', `there is no field ${JSON.stringify(name)}`);
  checkMethod(column, method, path);
  switch (method) {
    case 'cardinality':
      return { sql: `count(DISTINCT ${column.id})`, column: made(alias, index, 'int') };
    case 'sum':
      return {
        sql: `coalesce(${column.kind === 'int' ? 'sum' : 'fsum'}(${numberOf(column)}), 0)`,
        column: made(alias, index, column.kind === 'int' ? 'int' : 'float'),
      };
    case 'weighted_average': {
      const [value, weight] = [numberOf(column), numberOf(companion(columns, 'impressions', path))];
      const total = `sum(${weight}) FILTER (${value} IS NOT NULL)`;
      const sum = `round(fsum(${value} * ${weight}), ${DECIMALS})`;
      const sql = `round(${sum} / nullif(${total}, 0), ${DECIMALS})`;
      return { sql, column: made(alias, index, 'float') };
    }
    case 'ctr': {
      const shown = numberOf(companion(columns, 'impressions', path));
      const sql = `CAST(sum(${numberOf(column)}) AS DOUBLE) / nullif(sum(${shown}), 0)`;
      return { sql, column: made(alias, index, 'float') };
    }
  }
}

function checkMethod({ field, kind }: Column, method: RankingMethod, path: string): void {
  const only = RANKING_METHOD_FIELDS[method];
  const refuse = (message: string) => invalidParameter(`${path}.method`, 'method_not_allowed', message);
  if (only !== undefined && field.name !== only)
    throw refuse(`${method} is for ${only}, not for ${field.name}`);
  const allowed = field.agg_metric_methods;
  if (allowed ? !allowed.includes(method) : method === 'sum' && kind !== 'int' && kind !== 'float') {
    throw refuse(`${field.name} allows ${allowed?.join(', ') || 'cardinality'}, not ${method}`);
  }
}

function companion(columns: Columns, name: string, path: string): Column {
  const column = columns.get(name);
  if (column !== undefined) return column;
  throw invalidParameter(
    `${path}.method`,
    'method_not_allowed',
    `needs the field ${name}, which is not there`,
  );
}

function numberOf({ id, kind }: Column): string {
  if (kind === 'int' || kind === 'float') return id;
  return `TRY_CAST(${kind === 'json' ? `json_extract_string(${id}, '$')` : id} AS DOUBLE)`;
}

function made(alias: string, index: number, kind: 'int' | 'float'): Column {
  const type = kind === 'int' ? 'natural' : 'float';
  return { id: `m${index}`, kind, field: { name: alias, type, arity: 'one' } };
}
