import type { Connection } from '../../../core/duckdb/duckdb.ts';
import type { Oql } from '../../api/oql.ts';
import type { SearchBody } from '../../api/search.ts';
import type { Column } from '../catalogue/column.ts';
import { checkOql } from '../oql/check-oql.ts';
import { type Compiled, compileOql } from '../oql/compile-oql.ts';
import { invalidParameter } from '../resources/refusal.ts';
import type { Dataset } from '../resources/resources.ts';
import { ServiceRows } from './row-store.ts';
import { orderBy, selectColumns } from './select-columns.ts';

/** A search or export, checked against the dataset's fields and ready to run. */
export interface DatasetQuery {
  readonly oql: Oql | undefined;
  readonly columns: readonly Column[];
  readonly table: string | undefined;
  /** FROM and WHERE; nothing when the dataset has no table, and so no rows. */
  readonly source: string | undefined;
  readonly condition: Compiled;
  readonly order: string;
}

/** @throws Refusal for what the fields don't allow */
export function datasetQuery(
  dataset: Dataset,
  body: Omit<SearchBody, 'oql'> & { readonly oql?: unknown },
): DatasetQuery {
  const byName = new Map(dataset.columns.map((column) => [column.field.name, column]));
  const fields = new Map(dataset.columns.map((column) => [column.field.name, column.field]));
  const oql = body.oql === undefined || body.oql === null ? undefined : checkOql(body.oql, fields);
  const condition = compileOql(oql, byName);
  const table = dataset.table === undefined ? undefined : ServiceRows.table(dataset.table);
  return {
    oql,
    columns: selectColumns(dataset.columns, body.fields),
    table,
    source: table === undefined ? undefined : `FROM ${table} WHERE ${condition.sql}`,
    condition,
    order: orderBy(dataset.columns, body.sort),
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

export async function countRows(connection: Connection, query: DatasetQuery): Promise<number> {
  if (query.source === undefined) return 0;
  return Number(await connection.scalar(`SELECT count(*) ${query.source}`, query.condition.values));
}
