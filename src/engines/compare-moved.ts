import { type Connection, table } from '../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../core/errors/errors.ts';
import { type PublishedPlace, readPublished } from '../state/catalogue/read-published.ts';
import type { EnginePlace } from './engine.ts';
import type { ModelQueries } from './model-engine.ts';
import { openEngine } from './open-engine.ts';

type MovedPlace = PublishedPlace & EnginePlace;

/** A table that was moved. */
export interface MovedTable {
  /** `raw.crawl_pages` */
  readonly name: string;
  /** Null for a model. */
  readonly units: number | null;
  readonly rows: bigint;
}

/** Rows of a table by unit; those of a model have none. */
type UnitRows = ReadonlyMap<string, bigint>;

/**
 * Counts the rows of each unit, and of each model that is a table on both sides, as readers see them, before and after.
 *
 * @throws CrawlhouseError `unreconciled` naming the first that differs
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
        hint: 'keep the setting as it is; the warehouse that was moved is unchanged',
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
  throw new CrawlhouseError('nothing_published', `there is no warehouse at ${settings.warehouse} yet`);
}

async function storedTables(connection: Connection): Promise<string[]> {
  const rows = await connection.rows<{ name: string }>(
    `SELECT schema_name || '.' || table_name AS name FROM duckdb_tables()
     WHERE database_name = current_database() AND schema_name IN ('raw', 'mart') ORDER BY name`,
  );
  return rows.map(({ name }) => name);
}

async function countEach(
  names: readonly string[],
  queries: ModelQueries,
  signal: AbortSignal,
): Promise<Map<string, UnitRows>> {
  const counted = new Map<string, UnitRows>();
  for (const name of names) {
    const unit = name.startsWith('raw.') ? '_unit' : "''";
    const rows = await queries.rows<{ unit: string; n: bigint }>(
      `SELECT ${unit} AS unit, count(*) AS n FROM ${table(...name.split('.'))} GROUP BY 1`,
      [],
      signal,
    );
    counted.set(name, new Map(rows.map((row) => [row.unit, row.n])));
  }
  return counted;
}
