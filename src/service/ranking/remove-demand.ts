import { type Connection, ident, text } from '../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { jsonOf } from '../../core/text/json.ts';
import { noteChangedDays } from '../rows/changed-days.ts';
import {
  BY,
  DEMAND_COLUMNS,
  DETAILS,
  type DemandTables,
  EXPORT,
  IS_KEPT_OUT,
  IS_WHOLE,
  idOf,
  LEFT_OUT,
  REPLACED_AT,
  REPLACED_BY,
} from './demand-tables.ts';
import { hiddenPeriod, hidesPeriod } from './replaced-demand.ts';

/** A file that the user names: its path, and its contents if it exists. */
export interface NamedFile {
  readonly path: string;
  readonly sha256: string | null;
}

/** The result of removing an export. */
export interface RemovedDemand {
  readonly files: readonly string[];
  readonly rows: number;
  /** Restored rows of earlier exports that it had replaced. */
  readonly restored_rows: number;
  readonly days: number;
  /** Files added with `--keep` whose days stay left out, because they would hide totals that answers show. */
  readonly still_out: readonly string[];
}

const [DATE, PERIOD, TOTALS_BY, ENGINE] = ['date', 'period_days', 'totals_by', 'search_engine'].map(idOf);
const CELLS = [...DEMAND_COLUMNS.map(({ id }) => ident(id)), ident(BY), ident(EXPORT)].join(', ');
/** The key of rows that only one export may have: a day, or the totals of a period by some dimensions. */
const SLOT = `CASE WHEN ${PERIOD} IS NULL THEN ${DATE} ELSE concat_ws(' ', ${ENGINE}, ${DATE}, ${PERIOD}, ${TOTALS_BY}) END`;
/**
 * All totals of a period except those of the whole site. An export from the Search Console page replaces them together.
 */
const PERIOD_SLOT = `CASE WHEN ${TOTALS_BY} <> 'all' THEN concat_ws(' ', ${ENGINE}, ${DATE}, ${PERIOD}) END`;

/** Keeps the rows that an export replaces until that export is removed. */
export async function keepReplaced(
  connection: Connection,
  { rows, exports, replacedRows, replacedExports }: DemandTables,
  {
    hash,
    isWhole,
    replaced,
  }: { readonly hash: string; readonly isWhole: boolean; readonly replaced: readonly string[] },
): Promise<void> {
  const at = `(SELECT coalesce(max(${REPLACED_AT}), 0) + 1 FROM ${replacedRows})`;
  const gone = `(${replaced.map((one) => `(${one})`).join(' OR ')}) AND ${EXPORT} <> ${text(hash)}`;
  await connection.run(`DELETE FROM ${replacedRows} WHERE ${EXPORT} = ${text(hash)}`);
  await connection.run(
    `INSERT INTO ${replacedExports} SELECT hash, summary, ${text(hash)}, ${at} FROM ${exports}
     WHERE hash IN (SELECT ${EXPORT} FROM ${rows} WHERE ${gone})`,
  );
  await connection.run(
    `INSERT INTO ${replacedRows} SELECT ${CELLS}, ${text(hash)}, ${at}, ${isWhole}, false FROM ${rows} WHERE ${gone}`,
  );
}

/**
 * Deletes the rows that an earlier reading of the same days left out. The rows that the earlier reading had replaced
 * now belong to the later reading.
 */
export async function forgetReading(
  connection: Connection,
  { replacedRows }: DemandTables,
  { hash, supersedes }: { readonly hash: string; readonly supersedes: string },
): Promise<void> {
  await connection.run(`DELETE FROM ${replacedRows} WHERE starts_with(${EXPORT}, $1)`, [supersedes]);
  await connection.run(
    `UPDATE ${replacedRows} SET ${REPLACED_BY} = $1 WHERE starts_with(${REPLACED_BY}, $2)`,
    [hash, supersedes],
  );
}

/** Keeps the rows of an export that are left out because of other exports, until those are removed. */
export async function keepLeftOut(
  connection: Connection,
  { replacedRows }: DemandTables,
  hash: string,
): Promise<void> {
  const cells = [...DEMAND_COLUMNS.map(({ id }) => ident(id)), 'counted_by'].join(', ');
  await connection.run(
    `INSERT INTO ${replacedRows} SELECT ${cells}, ${text(hash)}, holder,
       (SELECT coalesce(max(${REPLACED_AT}), 0) + 1 FROM ${replacedRows}), false, is_kept_out
     FROM ${LEFT_OUT} WHERE holder <> ${text(hash)}`,
  );
}

/**
 * Removes the exports of the given files as if they had never been added, and restores the rows that they replaced.
 * Runs in a transaction.
 *
 * @throws CrawlhouseError `usage` for a file that was not added, or that was added only together with others
 */
export async function removeDemand(
  connection: Connection,
  tables: DemandTables,
  files: readonly NamedFile[],
): Promise<RemovedDemand[]> {
  const known = await addedExports(connection, tables);
  const isNamed = (file: AddedFile): boolean =>
    files.some(({ path, sha256 }) => (sha256 === null ? path === file.path : sha256 === file.sha256));
  const found = known.filter((one) => one.files.some(isNamed));
  for (const file of files) {
    const isKnown = found.some((one) =>
      one.files.some(({ path, sha256 }) => sha256 === file.sha256 || path === file.path),
    );
    if (!isKnown)
      throw new CrawlhouseError('usage', `${file.path} was not added to the project`, {
        hint: `added: ${known.flatMap((one) => one.files.map(({ path }) => path)).join(', ') || 'no file'}`,
      });
  }
  const removed: RemovedDemand[] = [];
  for (const one of found) {
    const missing = one.files.filter((file) => !isNamed(file)).map(({ path }) => path);
    if (missing.length > 0)
      throw new CrawlhouseError('usage', `the file was added together with ${missing.join(', ')}`, {
        hint: 'name all files of the export',
      });
    removed.push(await removeExport(connection, tables, one));
  }
  return removed;
}

interface AddedFile {
  readonly path: string;
  readonly sha256: string;
}
interface AddedExport {
  readonly hash: string;
  readonly files: readonly AddedFile[];
}

/** Returns the exports that have rows, even if others have replaced all of their rows. */
async function addedExports(
  connection: Connection,
  { exports, replacedExports, rows, replacedRows }: DemandTables,
): Promise<AddedExport[]> {
  const found = await connection.rows(
    `SELECT hash, any_value(summary) AS summary
     FROM (SELECT hash, summary FROM ${exports} UNION ALL SELECT hash, summary FROM ${replacedExports})
     WHERE hash IN (SELECT ${EXPORT} FROM ${rows} UNION SELECT ${EXPORT} FROM ${replacedRows})
     GROUP BY hash ORDER BY hash`,
  );
  return found.map(({ hash, summary }) => {
    const { files = [] } = jsonOf(String(summary)) as { readonly files?: readonly AddedFile[] };
    return { hash: String(hash), files };
  });
}

async function removeExport(
  connection: Connection,
  tables: DemandTables,
  { hash, files }: AddedExport,
): Promise<RemovedDemand> {
  const { rows, exports, replacedRows, replacedExports, projectId } = tables;
  const isOwn = `${EXPORT} = ${text(hash)}`;
  const count = async (sql: string): Promise<number> =>
    Number(await connection.scalar(`SELECT count(*) FROM ${sql}`));
  const own = (await count(`${rows} WHERE ${isOwn}`)) + (await count(`${replacedRows} WHERE ${isOwn}`));
  // The later export that has the slots of this export now. An export of the page has its whole period.
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE demand_heirs AS
     SELECT ${SLOT} AS slot, any_value(${EXPORT}) AS heir FROM ${rows} WHERE NOT (${isOwn}) GROUP BY 1
     UNION ALL
     SELECT ${PERIOD_SLOT}, any_value(${REPLACED_BY}) FROM ${replacedRows}
     WHERE ${isOwn} AND ${IS_WHOLE} AND ${TOTALS_BY} <> 'all' GROUP BY 1`,
  );
  const days = `SELECT ${DATE} AS day FROM ${rows} WHERE ${isOwn}`;
  await connection.run(`CREATE OR REPLACE TEMP TABLE demand_removed_days AS ${days}`);
  const gone = Number(await connection.scalar('SELECT count(DISTINCT day) FROM demand_removed_days'));
  for (const table of [rows, replacedRows]) await connection.run(`DELETE FROM ${table} WHERE ${isOwn}`);
  for (const table of [exports, replacedExports])
    await connection.run(`DELETE FROM ${table} WHERE hash = ${text(hash)}`);
  const isVictim = `${REPLACED_BY} = ${text(hash)}`;
  const heir = `(SELECT any_value(heir) FROM demand_heirs WHERE slot IN (${SLOT}, ${PERIOD_SLOT}))`;
  await connection.run(
    `UPDATE ${replacedRows} SET ${REPLACED_BY} = ${heir} WHERE ${isVictim} AND ${heir} IS NOT NULL`,
  );
  const stillOut = await keepOut(connection, tables, isVictim);
  const restored = await restoreVictims(connection, tables, isVictim);
  // An export that is complete again is recognized again.
  await connection.run(
    `INSERT OR REPLACE INTO ${exports} SELECT hash, any_value(summary) FROM ${replacedExports}
     WHERE hash NOT IN (SELECT ${EXPORT} FROM ${replacedRows}) AND hash IN (SELECT ${EXPORT} FROM ${rows})
     GROUP BY hash`,
  );
  await connection.run(`DELETE FROM ${replacedExports} WHERE hash IN (SELECT hash FROM ${exports})`);
  const changed = { project_id: projectId, kind: 'ranking_performance' } as const;
  await noteChangedDays(connection, changed, 'SELECT CAST(day AS DATE) FROM demand_removed_days');
  for (const table of ['demand_heirs', 'demand_removed_days'])
    await connection.run(`DROP TABLE IF EXISTS temp.${table}`);
  return {
    files: files.map(({ path }) => path),
    rows: own,
    restored_rows: restored,
    days: gone,
    still_out: stillOut,
  };
}

/** Keeps rows left out by `--keep` that would hide the totals of a period now; returns their files. */
async function keepOut(connection: Connection, tables: DemandTables, isVictim: string): Promise<string[]> {
  const { replacedRows, rows } = tables;
  const isOut = `${isVictim} AND ${IS_KEPT_OUT} AND ${PERIOD} IS NULL`;
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${DETAILS} AS SELECT * FROM ${replacedRows} WHERE ${isOut}`,
  );
  const hidden = await hiddenPeriod(connection, rows);
  await connection.run(`DROP TABLE ${DETAILS}`);
  if (hidden === null) return [];
  const hides = `${isOut} AND ${hidesPeriod(hidden)}`;
  const found = await connection.rows(
    `SELECT DISTINCT ${EXPORT} AS hash FROM ${replacedRows} WHERE ${hides}`,
  );
  await connection.run(`UPDATE ${replacedRows} SET ${REPLACED_BY} = ${text(hidden.holder)} WHERE ${hides}`);
  const names = (await addedExports(connection, tables)).filter((one) =>
    found.some(({ hash }) => hash === one.hash),
  );
  return names.flatMap(({ files }) => files.map(({ path }) => path));
}

/** Restores the rows that a removed export had replaced or kept out; returns their number. */
async function restoreVictims(
  connection: Connection,
  { rows, replacedRows }: DemandTables,
  isVictim: string,
): Promise<number> {
  // For each slot, restores the latest of the exports with the most dimensions. Rows kept out by `--keep` count only if
  // they are the first of their slot.
  const isLast = `(${SLOT}, ${REPLACED_AT}) IN (
    SELECT (slot, arg_max(place, [depth, place])) FROM (
      SELECT *, min(place) OVER (PARTITION BY slot) AS first FROM (
        SELECT ${SLOT} AS slot, ${REPLACED_AT} AS place, bool_or(coalesce(${IS_KEPT_OUT}, false)) AS is_out,
          max(CASE WHEN ${PERIOD} IS NULL THEN len(string_split(${ident(BY)}, ', ')) ELSE 0 END) AS depth
        FROM ${replacedRows} WHERE ${isVictim} GROUP BY 1, 2
      )
    ) WHERE NOT is_out OR place = first GROUP BY slot)`;
  await connection.run(
    `INSERT INTO demand_removed_days SELECT ${DATE} FROM ${replacedRows} WHERE ${isVictim} AND ${isLast}`,
  );
  const restored = Number(
    await connection.scalar(`SELECT count(*) FROM ${replacedRows} WHERE ${isVictim} AND ${isLast}`),
  );
  await connection.run(
    `INSERT INTO ${rows} SELECT ${CELLS} FROM ${replacedRows} WHERE ${isVictim} AND ${isLast}`,
  );
  await connection.run(`DELETE FROM ${replacedRows} WHERE ${isVictim} AND ${isLast}`);
  await connection.run(
    `UPDATE ${replacedRows} SET ${REPLACED_BY} = (
       SELECT any_value(now.${EXPORT}) FROM (SELECT ${EXPORT}, ${SLOT} AS slot FROM ${rows}) AS now
       WHERE now.slot = ${SLOT}
     ) WHERE ${isVictim}`,
  );
  return restored;
}
