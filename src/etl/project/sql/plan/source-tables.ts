import { type Connection, ident, relationTable } from '../../../../core/duckdb/duckdb.ts';
import { type CatalogColumn, tableColumns } from '../../../../core/duckdb/table-columns.ts';
import type { Model } from '../models/model.ts';
import { badModel } from '../text/bad-model.ts';

/** The columns of a relation by lowercase name, because DuckDB ignores case. */
type SourceColumns = ReadonlyMap<string, Pick<CatalogColumn, 'name' | 'type'>>;

/** The existing tables of `raw` and `ops`, by `schema.table` in lowercase. */
export type SourceTables = ReadonlyMap<string, SourceColumns>;

export async function sourceTables(connection: Connection): Promise<SourceTables> {
  const tables = await tableColumns(connection, ['raw', 'ops']);
  return new Map(
    [...tables].map(([source, columns]) => [
      source.toLowerCase(),
      new Map(columns.map((column) => [column.name.toLowerCase(), column])),
    ]),
  );
}

/** Returns the replacement of a source that lacks a declared column; undefined if it lacks none. */
export function completedSource(
  source: string,
  declared: ReadonlyMap<string, string>,
  present: SourceColumns | undefined,
): string | undefined {
  const nulls = (columns: readonly (readonly [string, string])[]): string =>
    columns.map(([name, type]) => `CAST(NULL AS ${type}) AS ${ident(name)}`).join(', ');
  if (!present) return `SELECT ${nulls([...declared])} WHERE false`;
  const missing = [...declared].filter(([name]) => present.get(name.toLowerCase())?.name !== name);
  if (missing.length === 0) return undefined;
  // Otherwise another field, whose name differs only in case, would replace the missing one.
  const others = missing.flatMap(([name]) => present.get(name.toLowerCase())?.name ?? []);
  const exclude = others.length > 0 ? ` EXCLUDE (${others.map(ident).join(', ')})` : '';
  return `SELECT *${exclude}, ${nulls(missing)} FROM ${relationTable(source)}`;
}

/**
 * Checks the types under `reads` against the types in DuckDB.
 *
 * @throws CrawlhouseError `bad_model` with the line of the column
 */
export async function checkDeclaredTypes(connection: Connection, models: readonly Model[]): Promise<void> {
  const good = new Set<string>();
  for (const model of models) {
    for (const [source, columns] of model.reads) {
      for (const [column, type] of columns) {
        if (good.has(type)) continue;
        await connection.scalar(`SELECT CAST(NULL AS ${type})`).catch((error: unknown) => {
          const line = model.lineOf(['reads', source, column]);
          const hint =
            'BIGINT, DOUBLE, BOOLEAN, VARCHAR, DATE, TIMESTAMP WITH TIME ZONE, JSON, or one of them with []';
          throw badModel({ file: model.file, line }, `DuckDB has no type ${type}`, hint, error);
        });
        good.add(type);
      }
    }
  }
}
