import { z } from 'zod';
import { type Connection, ident, isoTime, listed, table } from '../../../../core/duckdb/duckdb.ts';
import { stringifyJson } from '../../../../core/text/json.ts';
import { type Typed, typedRows } from '../../../../core/text/typed-rows.ts';
import { FormerLoad } from '../../../project/model/former-load.ts';
import type { Manifest } from '../../../project/model/manifest.ts';
import {
  LAST_LOADS,
  LEAST_ROWS,
  RouteLoad,
  USUAL_OF,
  type Volume,
} from '../../../project/model/route-pace.ts';
import { PastLoad } from '../../../project/model/runs/plan-report.ts';
import { COUNTS, type CountName, Counts } from '../../../project/model/runs/six-counts.ts';
import type { Task } from '../../../project/model/task.ts';
import type { Unit } from '../../../project/model/unit.ts';
import { hasColumns } from '../catalog.ts';
import { exactRows, unitRow } from './ops-rows.ts';

const CountsRow = Counts.extend({ unit: z.string() });

const AnomalyRow = z.strictObject({
  unit: z.string(),
  project_id: z.string(),
  loaded: z.bigint(),
  usual: z.bigint(),
  loaded_at: z.string(),
});

const UsualRow = z.strictObject({ dataset: z.string(), rows: z.number() });

const LoadVersion = z.strictObject({ dataset: z.string(), version: z.string() });

/** Returns every loaded unit, by name. There may be tens of thousands of units, so only the required texts are read. */
export async function loadedUnits(connection: Connection): Promise<Map<string, FormerLoad>> {
  const rows = typedRows(
    FormerLoad,
    await connection.rows(
      `SELECT unit, queryable IS NOT NULL AS published,
         CASE WHEN source_kind NOT IN ('crawl', 'crawl_over_crawl') THEN content_sha256 END AS content_sha256,
         CASE WHEN route = 'export' THEN run_id END AS run_id,
         CAST(epoch_ms(source_ended_at) AS DOUBLE) AS source_ended_at,
         CAST(epoch_ms(loaded_at) AS DOUBLE) AS loaded_at,
         unit IN (SELECT unit FROM ops.units WHERE status IN ('failed', 'refused')
           AND coalesce(error_code, '') NOT IN ('test_held', 'model_held')) AS is_owed
       FROM ops.loads`,
    ),
  );
  return new Map(rows.map((row) => [row.unit, row]));
}

/** The published part of a dataset; `loaded_at` in seconds since 1970, UTC. */
export const LoadTotal = z.strictObject({
  dataset: z.string(),
  rows: z.number(),
  bytes: z.number(),
  loaded_at: z.number(),
});
export type LoadTotal = Typed<typeof LoadTotal>;

export async function loadTotals(connection: Connection): Promise<readonly LoadTotal[]> {
  return typedRows(
    LoadTotal,
    await connection.rows(
      `SELECT dataset, CAST(sum(loaded) AS DOUBLE) AS rows, CAST(sum(bytes) AS DOUBLE) AS bytes,
         epoch(max(loaded_at)) AS loaded_at
       FROM ops.loads GROUP BY dataset ORDER BY dataset`,
    ),
  );
}

/** Returns the six counts of the units in `ops.loads`. */
export async function countsOf(
  connection: Connection,
  units: readonly string[],
): Promise<Map<string, Counts>> {
  const doubles = COUNTS.map((name) => `CAST(${name} AS DOUBLE) AS ${name}`);
  const rows = typedRows(
    CountsRow,
    await connection.rows(`SELECT unit, ${doubles.join(', ')} FROM ops.loads WHERE unit IN ${listed('?')}`, [
      JSON.stringify(units),
    ]),
  );
  return new Map(rows.map(({ unit, ...counts }) => [unit, counts]));
}

/** Returns the rows of the last loaded units of the same dataset, project and filter (JSON or null). */
export async function rowsBefore(
  connection: Connection,
  unit: Unit,
  filter: string | null,
  without: readonly string[],
): Promise<readonly number[]> {
  const rows = await connection.column<bigint>(
    `SELECT loaded FROM ops.loads
     WHERE dataset = ? AND project_id = ? AND unit NOT IN ${listed('?')}
       AND filter IS NOT DISTINCT FROM ? AND loaded IS NOT NULL
     ORDER BY loaded_at DESC, unit DESC LIMIT ${USUAL_OF}`,
    [unit.dataset, unit.source.project_id, JSON.stringify(without), filter],
  );
  return rows.map(Number);
}

/** Returns the last unit of each project and dataset that has far fewer rows than the previous units. */
export async function rowCountAnomalies(
  connection: Connection,
): Promise<{ unit: string; project_id: string; rows: number; usual: number; loaded_at: string }[]> {
  // Published by a version that did not compare rows yet.
  if (!(await hasColumns(connection, 'ops.loads', ['flag']))) return [];
  const rows = typedRows(
    AnomalyRow,
    await connection.rows(
      `SELECT unit, project_id, loaded, usual, ${isoTime('loaded_at')} AS loaded_at FROM (
         SELECT * FROM ops.loads WHERE project_id IS NOT NULL AND source_kind IN ('crawl', 'crawl_over_crawl')
         QUALIFY row_number() OVER (PARTITION BY dataset, project_id ORDER BY loaded_at DESC, unit DESC) = 1)
       WHERE flag = 'few_rows' ORDER BY unit`,
    ),
  );
  return rows.map(({ loaded, usual, ...one }) => ({ ...one, rows: Number(loaded), usual: Number(usual) }));
}

/** Returns past loads by dataset and route, from `ops.loads`. */
export async function readPastLoads(connection: Connection): Promise<readonly PastLoad[]> {
  return typedRows(
    PastLoad,
    await connection.rows(
      `SELECT dataset, route, count(*)::INTEGER AS loads,
              (sum(bytes) / nullif(sum(received), 0))::DOUBLE AS bytes_per_row,
              (sum(seconds) / nullif(sum(received), 0))::DOUBLE AS seconds_per_row,
              avg(bytes)::DOUBLE AS bytes_per_load, min(seconds) AS least_seconds
       FROM ops.loads WHERE seconds IS NOT NULL GROUP BY dataset, route ORDER BY dataset, route`,
    ),
  );
}

export async function usualRows(connection: Connection): Promise<ReadonlyMap<string, number>> {
  const rows = typedRows(
    UsualRow,
    await connection.rows(
      'SELECT dataset, avg(received)::DOUBLE AS rows FROM ops.loads WHERE received IS NOT NULL GROUP BY dataset',
    ),
  );
  return new Map(rows.map((row) => [row.dataset, row.rows]));
}

/** The entry of a unit, for output; times are ISO 8601, UTC. */
export interface LoadEntry extends Readonly<Record<CountName, number | bigint | null>> {
  readonly unit: string;
  readonly dataset: string;
  readonly source_kind: string;
  readonly source_id: string;
  readonly project_id: string | null;
  readonly route: string | null;
  readonly format: string | null;
  readonly reason: string | null;
  readonly bytes: number | bigint | null;
  readonly seconds: number | null;
  readonly attempts: number | bigint | null;
  readonly filter: string | null;
  readonly flag: string | null;
  readonly usual: number | bigint | null;
  readonly run_id: string | null;
  readonly loaded_at: string;
}

/** Returns the entries of one unit, of the units of a run, or of the units of a crawl, by name. */
export async function loadEntries(
  connection: Connection,
  of: 'unit' | 'run_id' | 'source_id',
  value: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<LoadEntry[]> {
  return await exactRows(
    connection,
    `SELECT * REPLACE (${isoTime('loaded_at')} AS loaded_at) FROM ops.loads
     WHERE ${ident(of)} = ? ${of === 'source_id' ? `AND source_kind = 'crawl'` : ''}
     ORDER BY unit LIMIT ${limit} OFFSET ${offset}`,
    [value],
  );
}

/** Returns how many units were loaded last by this run. */
export async function countLoads(connection: Connection, runId: string): Promise<number> {
  return Number(await connection.scalar('SELECT count(*) FROM ops.loads WHERE run_id = ?', [runId]));
}

/**
 * Adds entries of units to `ops.loads`; the units have none yet. The load time of each entry is a microsecond after
 * that of the previous one.
 */
export async function recordLoads(
  connection: Connection,
  loads: {
    readonly manifest: Manifest;
    readonly counts: Counts;
    readonly runId: string;
    readonly fingerprint: string | null;
    readonly volume?: Volume | undefined;
  }[],
): Promise<void> {
  const rows = loads.map(({ manifest, counts, runId, fingerprint, volume }, at) => {
    const { unit, source } = manifest;
    return {
      ...unitRow({ ...unit, unit: manifest.name }),
      ...counts,
      route: source.route,
      format: source.format,
      reason: source.reason ?? null,
      bytes: manifest.bytes,
      seconds: manifest.seconds,
      waited: manifest.waited ?? null,
      attempts: manifest.attempts,
      content_sha256: manifest.content_sha256,
      filter: source.filter === null ? null : stringifyJson(source.filter),
      definition: source.definition ?? null,
      run_id: runId,
      usual: volume?.usual ?? null,
      flag: volume?.isFew ? 'few_rows' : null,
      fingerprint,
      loaded_at: BigInt(Date.now()) * 1000n + BigInt(at),
      source_ended_at: source.ended_at == null ? null : BigInt(source.ended_at) * 1000n,
    };
  });
  const time = 'make_timestamptz(CAST(? AS BIGINT))';
  const columns = Object.keys(rows[0] ?? {});
  const values = columns.map((column) => (column.endsWith('_at') ? time : '?')).join(', ');
  await connection.run(
    `INSERT INTO ops.loads (${columns.map(ident).join(', ')}) VALUES ${rows.map(() => `(${values})`).join(', ')}`,
    rows.flatMap((row) => Object.values(row)),
  );
}

/** Removes entries. Returns the units that had one. */
export async function forgetLoads(
  connection: Connection,
  units: readonly string[],
): Promise<ReadonlySet<string>> {
  const forgotten = await connection.column<string>(
    `DELETE FROM ops.loads WHERE unit IN ${listed('?')} RETURNING unit`,
    [JSON.stringify(units)],
  );
  return new Set(forgotten);
}

/** Returns a short stamp of the loads of each dataset so far. */
export async function loadVersions(connection: Connection): Promise<Map<string, string>> {
  const rows = typedRows(
    LoadVersion,
    await connection.rows(
      `SELECT dataset, md5(string_agg(concat_ws(' ', unit, run_id, epoch_us(loaded_at)), ',' ORDER BY unit)) AS version
       FROM ops.loads GROUP BY dataset ORDER BY dataset`,
    ),
  );
  return new Map(rows.map(({ dataset, version }) => [dataset, version]));
}

/** Records that a user requested units. `keep` leaves them until they are dropped. */
export async function markPinned(connection: Connection, units: readonly string[]): Promise<void> {
  if (units.length === 0) return;
  await connection.run(`UPDATE ops.loads SET pinned = true WHERE unit IN ${listed('?')}`, [
    JSON.stringify(units),
  ]);
}

/** A unit loaded since the last publication, with the fingerprint of its rows. */
export const FreshUnit = z.strictObject({
  dataset: z.string(),
  unit: z.string(),
  fingerprint: z.string(),
  /** Rows times columns. */
  values: z.number(),
});
export type FreshUnit = Typed<typeof FreshUnit>;

/** Returns the unpublished units of a copy, without units from versions that took no fingerprint. */
export async function freshUnits(connection: Connection, catalog: string): Promise<readonly FreshUnit[]> {
  return typedRows(
    FreshUnit,
    await connection.rows(
      `SELECT dataset, l.unit, fingerprint, CAST(loaded AS DOUBLE) * coalesce(fields, 0) AS "values"
       FROM ${table(catalog, 'ops', 'loads')} AS l
       LEFT JOIN (SELECT unit, count(*) AS fields FROM ${table(catalog, 'ops', 'unit_fields')} GROUP BY unit) AS f
         ON f.unit = l.unit
       WHERE queryable IS NULL AND fingerprint IS NOT NULL ORDER BY dataset, l.unit`,
    ),
  );
}

/** Records that every load is published, after its rows were counted in the copy. */
export async function recordPublished(connection: Connection): Promise<void> {
  await connection.run('UPDATE ops.loads SET queryable = loaded WHERE queryable IS NULL');
}

/** Returns the unpublished loads, in their order. */
export async function unpublishedLoads(
  connection: Connection,
): Promise<{ readonly unit: string; readonly rows: number }[]> {
  return await exactRows(
    connection,
    'SELECT unit, loaded AS rows FROM ops.loads WHERE queryable IS NULL ORDER BY loaded_at, unit',
  );
}

export async function unpublishedUnits(connection: Connection, dataset: string): Promise<string[]> {
  return await connection.column('SELECT unit FROM ops.loads WHERE dataset = ? AND queryable IS NULL', [
    dataset,
  ]);
}

export async function recordFingerprint(
  connection: Connection,
  unit: string,
  fingerprint: string,
): Promise<void> {
  await connection.run('UPDATE ops.loads SET fingerprint = ? WHERE unit = ?', [fingerprint, unit]);
}

/** Removes the fingerprints of a dataset, before one of its columns changes its type. */
export async function forgetFingerprints(connection: Connection, dataset: string): Promise<void> {
  await connection.run('UPDATE ops.loads SET fingerprint = NULL WHERE dataset = ?', [dataset]);
}

/**
 * Returns whether the warehouse contains the unit. Returns false if the unit's crawl ran again under the same id and
 * therefore ended at a different time, or if a reload failed.
 */
export function isLoaded(
  loaded: ReadonlyMap<string, FormerLoad>,
  { name, ended_at }: Pick<Task, 'name' | 'ended_at'>,
): boolean {
  return isNameLoaded(loaded, name, ended_at);
}

export function isNameLoaded(
  loaded: ReadonlyMap<string, FormerLoad>,
  name: string,
  endedAt: number | null,
): boolean {
  const found = loaded.get(name);
  if (found === undefined || found.is_owed) return false;
  return found.source_ended_at === null || endedAt === null || found.source_ended_at === endedAt;
}

/**
 * Returns the newest loads, by streamed export or data export, for each project, dataset, route and format.
 * Omits data exports that a killed run requested, because their wait is unknown, and units with a filter, which data
 * exports do not support.
 */
export async function readRouteLoads(connection: Connection): Promise<readonly RouteLoad[]> {
  // Published by a version that did not record it yet.
  const isKept = await hasColumns(connection, 'ops.loads', ['waited']);
  return typedRows(
    RouteLoad,
    await connection.rows(
      `SELECT dataset, project_id, route, format, CAST(received AS DOUBLE) AS rows, seconds, waited
       FROM (SELECT dataset, project_id, route, format, received, seconds, loaded_at, unit,
               ${isKept ? 'waited' : 'CAST(NULL AS DOUBLE)'} AS waited
             FROM ops.loads WHERE source_kind = 'crawl' AND seconds > 0 AND filter IS NULL)
       WHERE (route = 'stream' AND received >= ${LEAST_ROWS}) OR (route = 'export' AND waited IS NOT NULL)
       QUALIFY row_number() OVER (
         PARTITION BY dataset, project_id, route, format ORDER BY loaded_at DESC, unit DESC) <= ${LAST_LOADS}
       ORDER BY dataset, project_id, route, format, loaded_at DESC, unit DESC`,
    ),
  );
}
