import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Connection, ident, table, text } from '../core/duckdb.ts';
import type { TrinoAddress } from '../core/trino-address.ts';
import type { UnitRows } from './row-store.ts';
import { literal } from './trino/literal.ts';
import { openTrinoClient } from './trino/open-trino.ts';
import { RelationNames } from './trino/relation-names.ts';
import { selectRowsFile, writeRowsFile } from './trino/rows-file.ts';

interface SourcePlace {
  readonly connection: Connection;
  /** The name under which the published warehouse, or its catalogue, is attached. */
  readonly source: string;
}

/** Where the rows of a unit are to be read. */
type FoundRows = Pick<UnitRows, 'values' | 'from'> & AsyncDisposable;

/** Reads units of a published warehouse in whatever engine it is. */
export interface UnitRowsReader extends AsyncDisposable {
  rowsOf(relation: string, unit: string, signal: AbortSignal): Promise<FoundRows>;
}

export async function openUnitRows(
  settings: { readonly trino: TrinoAddress | null; readonly state_dir: string },
  place: SourcePlace,
): Promise<UnitRowsReader> {
  const columnsOf = (relation: string) => readColumns(place, relation);
  if (settings.trino === null)
    return {
      async rowsOf(relation, unit) {
        const values = valuesOf(await columnsOf(relation));
        const from = `${table(place.source, ...relation.split('.'))} WHERE _unit = ${text(unit)}`;
        return { values, from, async [Symbol.asyncDispose]() {} };
      },
      async [Symbol.asyncDispose]() {},
    };
  const client = await openTrinoClient(settings.trino);
  const names = new RelationNames(settings.trino.schemaPrefix);
  const folder = join(settings.state_dir, 'trino');
  return {
    async rowsOf(relation, unit, signal) {
      const columns = await columnsOf(relation);
      const file = join(folder, `${randomUUID()}.rows`);
      await mkdir(folder, { recursive: true });
      const remove = (): Promise<void> => rm(file, { force: true });
      const selected = columns.map(({ name }) => ident(name)).join(', ');
      const sql = `SELECT ${selected} FROM ${names.reader(relation)} WHERE _unit = ${literal(unit)}`;
      try {
        await writeRowsFile(client.pages(sql, {}, signal), file);
      } catch (error) {
        await remove();
        throw error;
      }
      const from = `(${selectRowsFile(file, columns)}) AS moved`;
      return { values: valuesOf(columns), from, [Symbol.asyncDispose]: remove };
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

interface Column {
  readonly name: string;
  readonly type: string;
}

function valuesOf(columns: readonly Column[]): ReadonlyMap<string, string> {
  return new Map(columns.map(({ name }) => [name, ident(name)]));
}

function readColumns({ connection, source }: SourcePlace, relation: string): Promise<Column[]> {
  return connection.rows<{ name: string; type: string }>(
    `SELECT column_name AS name, data_type AS type FROM duckdb_columns()
     WHERE database_name = $1 AND schema_name || '.' || table_name = $2 ORDER BY column_index`,
    [source, relation],
  );
}
