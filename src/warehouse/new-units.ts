import { existsSync } from 'node:fs';
import { type Connection, ident, table } from '../core/duckdb.ts';
import type { Unit } from '../model/unit.ts';
import { attachDespiteWriter } from './attach-published.ts';
import { ABOUT_UNITS } from './drop-units.ts';
import { mergeType } from './merge-type.ts';
import { publicationOf } from './ops-publication.ts';
import { CATALOG, columnsOfVersion, WAREHOUSE_VERSION } from './schema.ts';
import type { WorkingCopy } from './working-copy.ts';

const FORMER = 'former_publication';
const LISTED = `(SELECT unnest(from_json($1, '["VARCHAR"]')))`;

/** A unit whose load is in the working copy and not in the published warehouse. */
export interface NewUnit extends Unit {
  readonly unit: string;
  /** The run that loaded it. */
  readonly run_id: string;
  readonly content_sha256: string | null;
}

/** What is new in the working copy, compared with the published warehouse. */
export interface NewUnits {
  readonly units: readonly NewUnit[];
  /**
   * Brings units back to what is published of them, which may be nothing: rows, fields, rejects, line in `ops.loads`.
   * Within the caller's transaction.
   *
   * @param names units of `units`
   */
  readonly putBack: (names: readonly string[]) => Promise<void>;
}

/**
 * Gives `work` the units of crawls, comparisons and windows whose present load is not published. Lists of resources are
 * not among them: what discovery knows follows from them.
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
  return await work({ units, putBack: (names) => putBack(connection, isThere, names) });
}

async function newUnits(connection: Connection, isThere: boolean): Promise<NewUnit[]> {
  const published = isThere
    ? `EXISTS (FROM ${table(FORMER, 'ops', 'loads')} AS former WHERE former.unit = load.unit
         AND former.run_id = load.run_id AND former.loaded_at = load.loaded_at)`
    : 'false';
  const rows = await connection.rows<Record<string, string | null>>(
    `SELECT unit, dataset, source_kind, source_id, project_id, window_from, window_to, run_id, content_sha256
     FROM ops.loads AS load WHERE source_kind <> 'resource' AND NOT ${published} ORDER BY unit`,
  );
  return rows.map((row) => ({
    unit: String(row.unit),
    dataset: String(row.dataset),
    source: { kind: row.source_kind, id: row.source_id, project_id: row.project_id } as Unit['source'],
    window: row.window_from ? { from: row.window_from, to: String(row.window_to) } : null,
    run_id: String(row.run_id),
    content_sha256: row.content_sha256 ?? null,
  }));
}

async function putBack(connection: Connection, isThere: boolean, names: readonly string[]): Promise<void> {
  const listed = [JSON.stringify(names)];
  const retyped: string[] = [];
  const datasets = await connection.rows<{ dataset: string }>(
    `SELECT DISTINCT dataset FROM ops.loads WHERE unit IN ${LISTED} ORDER BY dataset`,
    listed,
  );
  for (const { dataset } of datasets) {
    const raw = table('raw', dataset);
    await connection.run(`DELETE FROM ${raw} WHERE _unit IN ${LISTED}`, listed);
    const former = isThere ? await formerColumns(connection, dataset) : [];
    if (former.length === 0) continue;
    if (former.some(({ isRetyped }) => isRetyped)) retyped.push(dataset);
    const columns = former.map(({ name }) => ident(name)).join(', ');
    const values = former.map(({ value }) => value).join(', ');
    await connection.run(
      `INSERT INTO ${raw} (${columns}) SELECT ${values} FROM ${table(FORMER, 'raw', dataset)} WHERE _unit IN ${LISTED}`,
      listed,
    );
  }
  const version = isThere ? (await publicationOf(connection, FORMER)).version : WAREHOUSE_VERSION;
  for (const name of ABOUT_UNITS) {
    const own = table('ops', name);
    await connection.run(`DELETE FROM ${own} WHERE unit IN ${LISTED}`, listed);
    if (isThere)
      await connection.run(
        `INSERT INTO ${own} BY NAME SELECT ${columnsOfVersion(name, version)} FROM ${table(FORMER, 'ops', name)} WHERE unit IN ${LISTED}`,
        listed,
      );
  }
  // Fingerprints hold for the types that the columns had.
  await connection.run(
    `UPDATE ops.loads SET fingerprint = NULL
     WHERE unit IN ${LISTED} AND dataset IN (SELECT unnest(from_json($2, '["VARCHAR"]')))`,
    [...listed, JSON.stringify(retyped)],
  );
}

/** The columns of a published raw table, each with the SQL of its value in the type that the column has by now. */
async function formerColumns(
  connection: Connection,
  dataset: string,
): Promise<{ readonly name: string; readonly value: string; readonly isRetyped: boolean }[]> {
  const rows = await connection.rows<{ name: string; former: string; own: string }>(
    `SELECT former.column_name AS name, former.data_type AS former, own.data_type AS own
     FROM duckdb_columns() AS former
     JOIN duckdb_columns() AS own ON own.database_name = $2 AND own.schema_name = 'raw'
       AND own.table_name = former.table_name AND own.column_name = former.column_name
     WHERE former.database_name = $3 AND former.schema_name = 'raw' AND former.table_name = $1
     ORDER BY former.column_index`,
    [dataset, CATALOG, FORMER],
  );
  return rows.map(({ name, former, own }) => ({
    name,
    value: mergeType(own, former, true)?.incoming(ident(name)) ?? ident(name),
    isRetyped: own !== former,
  }));
}
