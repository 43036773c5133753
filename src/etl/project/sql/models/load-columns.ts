import { ident, text } from '../../../../core/duckdb/duckdb.ts';
import type { Model } from './model.ts';
import type { ModelHeader } from './model-header.ts';

/** The additional columns of every partitioned table, for incremental readers. */
const LOAD_COLUMNS = {
  _load_id:
    'Identifier of the build of these rows. The tombstones have it once the rows are replaced or removed.',
  _loaded_at: 'When these rows were built.',
} as const;

/** A build replaces these values with its own. A test case or a plan has none. */
const UNBUILT = `SELECT *, CAST(NULL AS VARCHAR) AS _load_id, CAST(NULL AS TIMESTAMP WITH TIME ZONE) AS _loaded_at FROM (`;

/** Returns the columns of a header, plus the build columns for a partitioned table that does not declare them. */
export function columnsWithLoad(
  { kind, incremental }: Pick<ModelHeader, 'kind' | 'incremental'>,
  columns: Model['columns'],
): Model['columns'] {
  if (kind === 'view' || !incremental || columns.has('_load_id')) return columns;
  return new Map([...columns, ...Object.entries(LOAD_COLUMNS)]);
}

/** Returns whether builds fill these columns. A view shows the loads of its sources. */
export function hasBuilds({ columns }: Pick<Model, 'columns'>): boolean {
  return columns.get('_load_id') === LOAD_COLUMNS._load_id;
}

/** Returns a SELECT with the build columns after its own. Line numbers stay the same. */
export function selectWithLoad(model: Model, sql: string): string {
  return hasBuilds(model) ? `${UNBUILT}${sql}\n) AS built` : sql;
}

/** Returns the SQL of a planned model for one build. */
export function withLoad(
  { sql, model }: { readonly sql: string; readonly model: Model },
  build: string,
  at: number,
): string {
  if (!sql.startsWith(UNBUILT)) return sql;
  const key = (model.incremental?.by ?? []).map(
    (column) => ` || ' ' || coalesce(CAST(${ident(column)} AS VARCHAR), '')`,
  );
  // A blank, because some engines read no T between day and time.
  const time = new Date(at).toISOString().replace('T', ' ').replace('Z', '+00:00');
  const loadedAt = `CAST(${text(time)} AS TIMESTAMP WITH TIME ZONE)`;
  return `SELECT *, ${text(build)}${key.join('')} AS _load_id, ${loadedAt} AS _loaded_at FROM (${sql.slice(UNBUILT.length)}`;
}
