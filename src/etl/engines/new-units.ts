import { existsSync } from 'node:fs';
import { z } from 'zod';
import { type Connection, ident, listed, table } from '../../core/duckdb/duckdb.ts';
import { typedRows } from '../../core/text/typed-rows.ts';
import { markDirty, publicationOf } from '../state/catalog/ops/ops-publication.ts';
import { type NamedUnit, UNIT_COLUMNS, unitOf } from '../state/catalog/ops/ops-rows.ts';
import { recordRemovedUnits } from '../state/catalog/ops/ops-tombstones.ts';
import { forgetFields } from '../state/catalog/ops/ops-unit-fields.ts';
import { recordDropped } from '../state/catalog/ops/ops-units.ts';
import { attachDespiteWriter } from '../state/catalog/published/attach-published.ts';
import { columnsOfVersion, FORMER, WAREHOUSE_VERSION } from '../state/catalog/schema.ts';
import type { WorkingCopy } from './working-copy.ts';

const NewUnit = z.record(z.string(), z.string().nullable());

const LISTED = listed('$1');

/** A unit whose load is in the working copy but not in the published warehouse. */
export interface NewUnit extends NamedUnit {
  readonly run_id: string;
  readonly content_sha256: string | null;
}

/** The new units of the working copy, compared with the published warehouse. */
export interface NewUnits {
  readonly units: readonly NewUnit[];
  /**
   * Restores the published state of units, which may be empty: rows, fields, rejects, row in `ops.loads`. Runs within
   * the caller's transaction.
   *
   * @param names units of `units`
   */
  readonly putBack: (names: readonly string[]) => Promise<void>;
}

/**
 * Calls `work` with the units of crawls, comparisons and windows whose current load is not published. Omits lists of
 * resources, because discovery depends on them.
 */
export async function withNewUnits<T>(
  working: WorkingCopy,
  work: (found: NewUnits) => Promise<T>,
): Promise<T> {
  const { connection, path, publishedPath } = working;
  const isThere = existsSync(publishedPath);
  await using _former = isThere
    ? await attachDespiteWriter(connection, { path: publishedPath, name: FORMER, workingPath: path })
    : undefined;
  const units = await newUnits(connection, isThere);
  return await work({ units, putBack: (names) => putBack(working, isThere, names) });
}

async function newUnits(connection: Connection, isThere: boolean): Promise<NewUnit[]> {
  const published = isThere
    ? `EXISTS (FROM ${table(FORMER, 'ops', 'loads')} AS former WHERE former.unit = load.unit
         AND former.run_id = load.run_id AND former.loaded_at = load.loaded_at)`
    : 'false';
  const rows = typedRows(
    NewUnit,
    await connection.rows(
      `SELECT ${UNIT_COLUMNS.join(', ')}, run_id, content_sha256
       FROM ops.loads AS load WHERE source_kind <> 'resource' AND NOT ${published} ORDER BY unit`,
    ),
  );
  return rows.map((row) => ({
    ...unitOf(row),
    run_id: String(row.run_id),
    content_sha256: row.content_sha256 ?? null,
  }));
}

async function putBack(
  { connection, rows }: WorkingCopy,
  isThere: boolean,
  names: readonly string[],
): Promise<void> {
  const values = [JSON.stringify(names)] as const;
  const retyped: string[] = [];
  for (const dataset of await datasetsOf(connection, values))
    if (await rows.restoreUnits(`raw.${dataset}`, names)) retyped.push(dataset);
  forgetFields(connection);
  const version = isThere ? (await publicationOf(connection, FORMER)).version : WAREHOUSE_VERSION;
  for (const name of [...ABOUT_UNITS, 'tombstones']) {
    const own = table('ops', name);
    await connection.run(`DELETE FROM ${own} WHERE unit IN ${LISTED}`, values);
    if (isThere && (name !== 'tombstones' || version >= TOMBSTONES_SINCE))
      await connection.run(
        `INSERT INTO ${own} BY NAME SELECT ${columnsOfVersion(name, version)} FROM ${table(FORMER, 'ops', name)} WHERE unit IN ${LISTED}`,
        values,
      );
  }
  // Fingerprints are valid only for the former types of the columns.
  await connection.run(
    `UPDATE ops.loads SET fingerprint = NULL
     WHERE unit IN ${LISTED} AND dataset IN ${listed('$2')}`,
    [...values, JSON.stringify(retyped)],
  );
}

/** @param values the names of units, as a JSON list */
async function datasetsOf(connection: Connection, values: readonly [string]): Promise<string[]> {
  return await connection.column(
    `SELECT DISTINCT dataset FROM ops.loads WHERE unit IN ${LISTED} ORDER BY dataset`,
    values,
  );
}

/** Units to remove from the warehouse or to keep out, and why. */
interface Drop {
  readonly units: readonly NamedUnit[];
  readonly reason: string;
}

/** The first version of `ops` with tombstones. */
const TOMBSTONES_SINCE = 19;

/** The tables with entries about a unit, apart from its rows. `ops.schema_changes` is history and stays. */
const ABOUT_UNITS = ['loads', 'unit_fields', 'rejects'] as const;

/**
 * Drops the rows of units and marks the units in `ops.units` as dropped, in one transaction. If the process is killed,
 * either both steps are done or neither is.
 *
 * @returns the number of removed rows
 */
export async function dropUnits(
  { connection, rows: stored }: Pick<WorkingCopy, 'connection' | 'rows'>,
  { units, reason }: Drop,
): Promise<bigint> {
  const unitNames = units.map(({ unit }) => unit);
  const values = [JSON.stringify(unitNames)] as const;
  return connection.transaction(async () => {
    const datasets = await datasetsOf(connection, values);
    await recordDropped(connection, units, reason);
    await recordRemovedUnits(connection, unitNames, 'dropped');
    forgetFields(connection);
    let rows = 0n;
    for (const dataset of datasets) rows += await stored.removeUnits(`raw.${dataset}`, unitNames);
    for (const name of [...ABOUT_UNITS, 'holds'])
      await connection.run(`DELETE FROM ops.${ident(name)} WHERE unit IN ${LISTED}`, values);
    await markDirty(connection);
    return rows;
  });
}
