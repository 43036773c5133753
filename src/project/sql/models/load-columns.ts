import { ident, text } from '../../../core/duckdb/duckdb.ts';
import type { Model } from './model.ts';
import type { ModelHeader } from './model-header.ts';

/** The columns that every partitioned table has besides its own: incremental readers go by them. */
const LOAD_COLUMNS = {
  _load_id:
    'Identifier of the build of these rows. The tombstones have it once the rows are replaced or gone.',
  _loaded_at: 'When these rows were built.',
} as const;

/** In place of which a build puts its own: a case of a model, or a plan, has none. */
const UNBUILT = `SELECT *, CAST(NULL AS VARCHAR) AS _load_id, CAST(NULL AS TIMESTAMP WITH TIME ZONE) AS _loaded_at FROM (`;

/** The columns of a header, with those of builds for a partitioned table that does not give them itself. */
export function columnsWithLoad(
  { kind, incremental }: Pick<ModelHeader, 'kind' | 'incremental'>,
  columns: Model['columns'],
): Model['columns'] {
  if (kind === 'view' || !incremental || columns.has('_load_id')) return columns;
  return new Map([...columns, ...Object.entries(LOAD_COLUMNS)]);
}

/** Whether the builds of a model fill the columns. A view has the loads of what it reads. */
export function hasBuilds({ columns }: Pick<Model, 'columns'>): boolean {
  return columns.get('_load_id') === LOAD_COLUMNS._load_id;
}

/** A SELECT with the columns of builds behind its own. Lines stay where they are. */
export function selectWithLoad(model: Model, sql: string): string {
  return hasBuilds(model) ? `${UNBUILT}${sql}\n) AS built` : sql;
}

/** The SQL of a planned model for one build of it. */
export function withLoad(
  { sql, model }: { readonly sql: string; readonly model: Model },
  build: string,
  at: number,
): string {
  if (!sql.startsWith(UNBUILT)) return sql;
  const key = (model.incremental?.by ?? []).map(
    (column) => ` || ' ' || coalesce(CAST(${ident(column)} AS VARCHAR), '')`,
  );
  // A blank, because not every engine reads a T between day and time.
  const time = new Date(at).toISOString().replace('T', ' ').replace('Z', '+00:00');
  const loadedAt = `CAST(${text(time)} AS TIMESTAMP WITH TIME ZONE)`;
  return `SELECT *, ${text(build)}${key.join('')} AS _load_id, ${loadedAt} AS _loaded_at FROM (${sql.slice(UNBUILT.length)}`;
}
