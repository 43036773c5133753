import { z } from 'zod';
import { type Connection, ident, relationTable, table } from '../../core/duckdb/duckdb.ts';
import { CrawlhouseError, nothingPublished } from '../../core/errors/errors.ts';
import { typedRows } from '../../core/text/typed-rows.ts';
import { type NamedUnit, UNIT_COLUMNS, unitOf } from '../state/catalog/ops/ops-rows.ts';
import { type PublishedPlace, readPublished } from '../state/catalog/published/read-published.ts';
import type { EnginePlace } from './engine.ts';
import type { ModelQueries } from './model-engine.ts';
import { openEngine } from './open-engine.ts';

const SourceColumn = z.strictObject({ name: z.string(), type: z.string(), own: z.string().nullable() });

const UnitCount = z.strictObject({ unit: z.string(), n: z.bigint() });

type MovedPlace = PublishedPlace & EnginePlace;

export interface MovedTable {
  /** `raw.crawl_pages` */
  readonly name: string;
  /** Null for a model. */
  readonly units: number | null;
  readonly rows: bigint;
}

/** Rows of a table by unit. Models have no units. */
type UnitRows = ReadonlyMap<string, bigint>;

/** The name under which the published source warehouse is attached. */
export const SOURCE = 'moved_warehouse';
/** Tables of `ops` that record what the engine has created. */
const OF_ENGINE = ['publication', 'loads', 'pointers', 'models', 'model_partitions'];

/** @throws CrawlhouseError `usage` if the target contains units that the source lacks */
export async function refuseOthers(connection: Connection): Promise<void> {
  const other = await connection.scalar(
    `SELECT unit FROM ops.loads WHERE unit NOT IN (SELECT unit FROM ${SOURCE}.ops.loads) ORDER BY unit LIMIT 1`,
  );
  if (other === undefined) return;
  throw new CrawlhouseError('usage', `another warehouse is already there: it has ${other}`, {
    hint: 'move to another schema_prefix and location, or to another file',
  });
}

export async function movedTables(connection: Connection, schema: 'raw' | 'ops'): Promise<string[]> {
  return await connection.column(
    `SELECT table_name FROM duckdb_tables() WHERE database_name = '${SOURCE}' AND schema_name = '${schema}'
     ORDER BY table_name`,
  );
}

/** Replaces a table's rows by those of the source. */
export async function copyRows(connection: Connection, schema: 'raw' | 'ops', name: string): Promise<void> {
  await connection.run(`DELETE FROM ${table(schema, name)}`);
  await connection.run(
    `INSERT INTO ${table(schema, name)} BY NAME SELECT * FROM ${table(SOURCE, schema, name)}`,
  );
}

/** Copies the tables of `ops`, except those that record what an engine has created. */
export async function copyOps(connection: Connection): Promise<void> {
  for (const name of await movedTables(connection, 'ops'))
    if (!OF_ENGINE.includes(name)) await copyRows(connection, 'ops', name);
}

/** Creates a table of `raw` like that of the source. Returns its columns. */
export async function makeTable(
  connection: Connection,
  dataset: string,
): Promise<readonly { name: string }[]> {
  const name = table('raw', dataset);
  const columns = typedRows(
    SourceColumn,
    await connection.rows(
      `SELECT source.column_name AS name, source.data_type AS type, own.data_type AS own
       FROM duckdb_columns() AS source
       LEFT JOIN duckdb_columns() AS own ON own.database_name = current_database() AND own.schema_name = 'raw'
         AND own.table_name = source.table_name AND own.column_name = source.column_name
       WHERE source.database_name = '${SOURCE}' AND source.schema_name = 'raw' AND source.table_name = ?
       ORDER BY source.column_index`,
      [dataset],
    ),
  );
  await connection.run(
    `CREATE TABLE IF NOT EXISTS ${name} (${columns.map((column) => `${ident(column.name)} ${column.type}`).join(', ')})`,
  );
  // An earlier try created it, before the source added or widened a column.
  if (columns.some(({ own }) => own !== null))
    for (const { name: column, type, own } of columns) {
      if (own === null) await connection.run(`ALTER TABLE ${name} ADD COLUMN ${ident(column)} ${type}`);
      else if (own !== type) await connection.run(`ALTER TABLE ${name} ALTER ${ident(column)} TYPE ${type}`);
    }
  return columns;
}

export type MovedUnit = NamedUnit & { readonly rows: bigint };

/** Returns units whose load is not in the target yet. */
export async function unitsToMove(connection: Connection): Promise<MovedUnit[]> {
  const rows = await connection.rows(
    `SELECT ${UNIT_COLUMNS.join(', ')}, loaded FROM ${SOURCE}.ops.loads AS source
     WHERE NOT EXISTS (
       SELECT 1 FROM ops.loads AS own WHERE own.unit = source.unit AND own.run_id = source.run_id
         AND own.loaded_at = source.loaded_at AND own.loaded = source.loaded)
     ORDER BY dataset, unit`,
  );
  return rows.map((row) => ({ ...unitOf(row), rows: row.loaded as bigint }));
}

/**
 * Records that a unit is in the target. The publication counts its rows in the same way as the rows of a new unit.
 *
 * @param withFingerprint whether its rows are in the target's file
 */
export async function recordMoved(
  connection: Connection,
  unit: string,
  withFingerprint: boolean,
): Promise<void> {
  const fingerprint = withFingerprint ? 'fingerprint' : 'NULL';
  await connection.run('DELETE FROM ops.loads WHERE unit = ?', [unit]);
  await connection.run(
    `INSERT INTO ops.loads BY NAME SELECT * REPLACE (CAST(NULL AS BIGINT) AS queryable, ${fingerprint} AS fingerprint)
     FROM ${SOURCE}.ops.loads WHERE unit = ?`,
    [unit],
  );
}

/**
 * Compares the row counts that readers see before and after the move, for each unit and for each model that is a table
 * on both sides.
 *
 * @throws CrawlhouseError `unreconciled` naming the first difference
 */
export async function compareMoved(
  from: MovedPlace,
  to: MovedPlace,
  signal: AbortSignal,
): Promise<MovedTable[]> {
  const before = await countRows(from, signal);
  const after = await countRows(to, signal);
  // A model may be a view in one engine, and a table in the other.
  const both = [...before].filter(([name]) => name.startsWith('raw.') || after.has(name));
  for (const [name, units] of both)
    for (const unit of new Set([...units.keys(), ...(after.get(name)?.keys() ?? [])])) {
      const [rows, moved] = [units.get(unit) ?? 0n, after.get(name)?.get(unit) ?? 0n];
      if (rows === moved) continue;
      const what = unit === '' ? name : `${unit} in ${name}`;
      throw new CrawlhouseError('unreconciled', `${what}: ${rows} rows before, ${moved} after`, {
        hint: 'keep the warehouse setting; the original warehouse is unchanged',
      });
    }
  return both.map(([name, units]) => ({
    name,
    units: name.startsWith('raw.') ? units.size : null,
    rows: [...units.values()].reduce((sum, rows) => sum + rows, 0n),
  }));
}

async function countRows(settings: MovedPlace, signal: AbortSignal): Promise<Map<string, UnitRows>> {
  const engine = await openEngine(settings.engine);
  const counted = await readPublished(settings, async (connection) => {
    await using published = await engine.openQueries(connection);
    return await countEach(await storedTables(connection), published.queries, signal);
  });
  if (counted !== undefined) return counted;
  throw nothingPublished(settings.warehouse);
}

async function storedTables(connection: Connection): Promise<string[]> {
  return await connection.column(
    `SELECT schema_name || '.' || table_name AS name FROM duckdb_tables()
     WHERE database_name = current_database() AND schema_name IN ('raw', 'mart') ORDER BY name`,
  );
}

async function countEach(
  names: readonly string[],
  queries: ModelQueries,
  signal: AbortSignal,
): Promise<Map<string, UnitRows>> {
  const counted = new Map<string, UnitRows>();
  for (const name of names) {
    const unit = name.startsWith('raw.') ? '_unit' : "''";
    const rows = typedRows(
      UnitCount,
      await queries.rows(
        `SELECT ${unit} AS unit, count(*) AS n FROM ${relationTable(name)} GROUP BY 1`,
        [],
        signal,
      ),
    );
    counted.set(name, new Map(rows.map((row) => [row.unit, row.n])));
  }
  return counted;
}
