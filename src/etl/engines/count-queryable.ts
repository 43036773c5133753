import { z } from 'zod';
import { type Connection, given, table } from '../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { typedRows } from '../../core/text/typed-rows.ts';
import { presentRows } from '../state/catalog/fingerprint.ts';
import type { RowStore } from './row-store.ts';

const DatasetLoads = z.strictObject({
  dataset: z.string(),
  loaded: z.bigint(),
  fresh: z.bigint(),
  is_list: z.boolean(),
});

/** What a run does about rows that differ from their load. */
export const LOADS_AGAIN =
  'check the disk and memory for faults; the previous publication stays in place, and the next run loads the unit again';

const UnreconciledUnit = z.strictObject({ unit: z.string(), loaded: z.bigint(), queryable: z.bigint() });

/**
 * Counts the rows in a copy of the warehouse and writes the counts to its `ops.loads`. Counts each raw table and each
 * unpublished unit; in another engine, only unpublished units.
 *
 * @param recent the condition that rows of such units meet (`recentRows`)
 * @throws CrawlhouseError `damaged_warehouse` if a different number was loaded
 */
export async function countQueryable(
  connection: Connection,
  catalog: string,
  recent: (dataset: string) => string,
  { store, signal }: { readonly store: RowStore; readonly signal: AbortSignal },
): Promise<void> {
  const loads = table(catalog, 'ops', 'loads');
  const datasets = typedRows(
    DatasetLoads,
    await connection.rows(
      `SELECT dataset, CAST(sum(loaded) AS BIGINT) AS loaded, count(*) FILTER (queryable IS NULL) AS fresh,
         bool_or(source_kind = 'resource') AS is_list
       FROM ${loads} GROUP BY dataset`,
    ),
  );
  const presentIn = await presentRows(connection, catalog);
  for (const { dataset, loaded, fresh, is_list } of datasets) {
    if (!store.isInCatalog && !is_list) {
      await countRemote(connection, loads, dataset, { store, signal });
      continue;
    }
    const raw = table(catalog, 'raw', dataset);
    const present = presentIn(dataset);
    const total = (await connection.scalar(`SELECT count(*) FROM ${raw} WHERE ${present}`)) as bigint;
    if (total !== loaded) {
      throw rowsDiffer(`raw.${dataset}: ${loaded} rows loaded in total, but ${total} queryable`);
    }
    if (fresh === 0n) continue;
    for (const rows of [`${present} AND ${recent(dataset)}`, present]) {
      // Grouped in one pass. A subquery of the UPDATE would join the rows and keep them in memory.
      await connection.run(
        `UPDATE ${loads} AS l SET queryable = coalesce(c.rows, 0)
         FROM (SELECT unit FROM ${loads} WHERE dataset = $1 AND (queryable IS NULL OR queryable <> loaded)) AS fresh
         LEFT JOIN (SELECT _unit, count(*) AS rows FROM ${raw} WHERE ${rows} GROUP BY _unit) AS c ON c._unit = fresh.unit
         WHERE l.unit = fresh.unit`,
        [dataset],
      );
      if (!(await differentLoad(connection, loads))) break;
    }
  }
  const different = await differentLoad(connection, loads);
  if (different) {
    throw rowsDiffer(
      `${different.unit}: ${different.loaded} rows loaded, but ${different.queryable} queryable`,
    );
  }
}

/** Counts units in the engine that stores their rows outside of the copy. */
async function countRemote(
  connection: Connection,
  loads: string,
  dataset: string,
  { store, signal }: { readonly store: RowStore; readonly signal: AbortSignal },
): Promise<void> {
  const sql = `SELECT unit FROM ${loads} WHERE dataset = $1 AND queryable IS NULL`;
  const units = await connection.column<string>(sql, [dataset]);
  const counts = await store.countUnits(`raw.${dataset}`, units, signal);
  const rows = units.map((unit) => ({ unit, n: String(counts.get(unit) ?? 0) }));
  await connection.run(
    `UPDATE ${loads} AS l SET queryable = c.n
     FROM (SELECT ${given('$1', ['unit'], { n: 'BIGINT' })}) AS c
     WHERE c.unit = l.unit`,
    [JSON.stringify(rows)],
  );
}

async function differentLoad(
  connection: Connection,
  loads: string,
): Promise<{ unit: string; loaded: bigint; queryable: bigint } | undefined> {
  const [different] = typedRows(
    UnreconciledUnit,
    await connection.rows(`SELECT unit, loaded, queryable FROM ${loads} WHERE loaded <> queryable LIMIT 1`),
  );
  return different;
}

/** The rows were counted when they were loaded, so the file has changed since then. */
function rowsDiffer(message: string): CrawlhouseError {
  return new CrawlhouseError('damaged_warehouse', message, { hint: LOADS_AGAIN });
}
