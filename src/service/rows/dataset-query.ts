import { z } from 'zod';
import type { Oql } from '../../client/oql/oql.ts';
import type { SearchBody } from '../../client/resources/search.ts';
import type { Connection } from '../../core/duckdb/duckdb.ts';
import { typedRows } from '../../core/text/typed-rows.ts';
import { type Column, SQL_TYPES } from '../fields/column.ts';
import { checkOql } from '../oql/check-oql.ts';
import { type Compiled, compileOql } from '../oql/compile-oql.ts';
import { invalidParameter, invalidParameters, type OffendingField } from '../resources/refusal.ts';
import type { StoredDataset, StoredResource } from '../resources/resources.ts';
import { ServiceRows } from './service-rows.ts';

const MatchRow = z.strictObject({ matches: z.boolean() });

/** Returns the rows of a dataset in a FROM; without a table, its columns and no rows. */
export function sourceOf({ table, columns }: StoredDataset): string {
  if (table !== undefined) return ServiceRows.table(table);
  const empty = columns.map(({ id, kind }) => `CAST(NULL AS ${SQL_TYPES[kind]}) AS ${id}`);
  return `(SELECT ${empty.join(', ') || '1'} WHERE false)`;
}

/** A search or export, checked against the dataset's fields and ready to run. */
export interface DatasetQuery {
  readonly oql: Oql | undefined;
  readonly columns: readonly Column[];
  readonly table: string | undefined;
  /** FROM and WHERE; undefined if the dataset has no table, and so no rows. */
  readonly source: string | undefined;
  readonly condition: Compiled;
  readonly order: string;
}

/** @throws Refusal for a query that the fields do not allow */
export function datasetQuery(
  dataset: StoredDataset,
  body: Omit<SearchBody, 'oql'> & { readonly oql?: unknown },
): DatasetQuery {
  const byName = new Map(dataset.columns.map((column) => [column.field.name, column]));
  const oql = body.oql === undefined || body.oql === null ? undefined : checkOql(body.oql, byName);
  const condition = compileOql(oql, byName);
  const table = dataset.table === undefined ? undefined : ServiceRows.table(dataset.table);
  return {
    oql,
    columns: selectColumns(byName, body.fields),
    table,
    source: table === undefined ? undefined : `FROM ${table} WHERE ${condition.sql}`,
    condition,
    order: orderBy(byName, body.sort),
  };
}

/** Refuses a regular expression that DuckDB's engine (RE2, linear in time) can't read. */
export async function checkPatterns(connection: Connection, condition: Compiled): Promise<void> {
  for (const { path, pattern } of condition.patterns) {
    try {
      await connection.scalar("SELECT regexp_matches('', $1)", [`(${pattern})`]);
    } catch {
      throw invalidParameter(
        path,
        'regex',
        `${JSON.stringify(pattern)} is not a regular expression that can be used here`,
      );
    }
  }
}

/** Returns the columns that a request names, in its order; without `fields` all displayable ones. */
function selectColumns(byName: ReadonlyMap<string, Column>, names: SearchBody['fields']): readonly Column[] {
  if (names === undefined) return [...byName.values()].filter(({ field }) => field.can_display !== false);
  const problems: OffendingField[] = [];
  const selected = names.flatMap((name, index) => {
    const column = byName.get(name);
    const problem = !column
      ? { type: 'unknown_field', message: `there is no field ${JSON.stringify(name)}` }
      : column.field.can_display === false
        ? { type: 'not_displayable', message: `${name} can't be displayed` }
        : names.indexOf(name) !== index
          ? { type: 'duplicate', message: `${name} appears twice` }
          : undefined;
    if (problem) problems.push({ name: `fields[${index}]`, ...problem });
    return column ? [column] : [];
  });
  if (problems.length > 0) throw invalidParameters(...problems);
  return selected;
}

/** Returns SQL for the requested order. Rows that tie, or all rows without a sort, come in stored order. */
function orderBy(byName: ReadonlyMap<string, Column>, sort: SearchBody['sort']): string {
  const problems: OffendingField[] = [];
  const terms = (sort ?? []).flatMap(({ field, order }, index) => {
    const column = byName.get(field);
    if (!column || column.field.can_sort === false) {
      const message = column ? `${field} can't be sorted by` : `there is no field ${JSON.stringify(field)}`;
      problems.push({
        name: `sort[${index}].field`,
        type: column ? 'not_sortable' : 'unknown_field',
        message,
      });
      return [];
    }
    return sortKeys(column).map((key) => `${key} ${order.toUpperCase()} NULLS LAST`);
  });
  if (problems.length > 0) throw invalidParameters(...problems);
  return terms.length === 0 ? '' : `ORDER BY ${[...terms, 'rowid'].join(', ')}`;
}

function sortKeys({ kind, id }: Column): string[] {
  if (kind !== 'json') return [id];
  const text = `json_extract_string(${id}, '$')`;
  // Whole numbers that are equal as DOUBLE still have an order.
  const whole = `CASE WHEN regexp_full_match(${text}, '-?[0-9]{1,38}') THEN CAST(${text} AS HUGEINT) END`;
  return [`TRY_CAST(${text} AS DOUBLE)`, whole, text];
}

/**
 * Returns the resources that match, in the given order. OQL means the same as for rows, because the SQL is the same.
 */
export async function filterResources(
  rows: ServiceRows,
  resources: readonly StoredResource[],
  oql: Oql,
  columns: ReadonlyMap<string, Column>,
): Promise<readonly StoredResource[]> {
  const condition = compileOql(oql, columns, 'filters');
  const values = [...columns.values()].map(
    ({ id, field }) => `nullif(CAST(json_extract(doc, '/${field.name}') AS VARCHAR), 'null') AS ${id}`,
  );
  const slim = resources.map((doc) =>
    Object.fromEntries([...columns.keys()].map((name) => [name, doc[name]])),
  );
  const docs = `SELECT unnest(json_extract($${condition.values.length + 1}::JSON, '$[*]')) AS doc`;
  const sql = `SELECT CAST(${condition.sql} AS BOOLEAN) AS matches FROM (SELECT ${values.join(', ')} FROM (${docs}))`;
  return rows.use(async (connection) => {
    await checkPatterns(connection, condition);
    const found = typedRows(
      MatchRow,
      await connection.rows(sql, [...condition.values, JSON.stringify(slim)]),
    );
    return resources.filter((_, index) => found[index]?.matches === true);
  });
}
