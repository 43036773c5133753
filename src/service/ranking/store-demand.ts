import { type Connection, ident, text } from '../../core/duckdb/duckdb.ts';
import { stringifyJson } from '../../core/text/json.ts';
import { lookUp } from '../../core/text/look-up.ts';
import { type DemandExport, dimensionsText, isDetailed } from '../../site/search-data/demand-row.ts';
import { noteChangedDays } from '../rows/changed-days.ts';
import {
  BY,
  DEMAND_COLUMNS,
  DETAILS,
  type DemandTables,
  EXPORT,
  idOf,
  LEFT_OUT,
  TOTALS,
} from './demand-tables.ts';
import { forgetReading, keepLeftOut, keepReplaced } from './remove-demand.ts';
import { refuseOverflow, STAGED } from './repeated-demand.ts';
import { DETAILS_GO, keepEarlier, type Replaced, replacedDemand, totalsGo } from './replaced-demand.ts';
import type { StagedDemand } from './stage-demand.ts';
import type { DemandDifference, DemandSums } from './sum-demand.ts';

const DAY = 86_400_000;
export interface AddedDemand extends StagedDemand {
  /** `unchanged`: the same files were added before. `planned`: nothing was stored, because the caller did not agree. */
  readonly status: 'added' | 'unchanged' | 'planned';
  /** Its files. Earlier versions did not store them. */
  readonly files?: readonly AddedFile[];
  readonly sums: readonly DemandSums[];
  readonly differences: readonly DemandDifference[];
  /** Days whose rows have changed, both inclusive; null if there are none. */
  readonly changed: { readonly from: string; readonly to: string } | null;
  /** Days that had rows of an earlier export, which these replaced. */
  readonly replaced_days: number;
  /** Days that keep the rows of an earlier export, because those have more dimensions or because of `keep`. */
  readonly kept_days: number;
}

interface AddedFile {
  readonly path: string;
  readonly sha256: string;
}

interface StoreOptions {
  readonly source: DemandExport;
  readonly keep: boolean;
  readonly onReplace: ((replaced: Replaced) => void) | undefined;
  /** Whether the understood export is stored. */
  readonly agree: (planned: AddedDemand, replaced: Replaced) => Promise<boolean>;
}

/** The caller did not agree to what would be stored. */
export class NotAgreed extends Error {
  readonly planned: AddedDemand;

  constructor(planned: AddedDemand) {
    super('nothing was stored');
    this.planned = planned;
  }
}

/**
 * Writes the staged rows of an export to the table, replacing earlier rows. Runs in a transaction.
 *
 * @throws NotAgreed
 */
export async function storeDemand(
  connection: Connection,
  tables: DemandTables,
  { source, keep, onReplace, agree }: StoreOptions,
  found: StagedDemand & Pick<AddedDemand, 'sums' | 'differences'>,
): Promise<AddedDemand> {
  try {
    const days = await makeDetails(connection, tables, source, keep);
    await makeTotals(connection, source);
    if (keep)
      Object.assign(days, {
        replaced_days: 0,
        kept_days: days.kept_days + (await keepEarlier(connection, tables)),
      });
    // A page exports all tables of a period together; other sources export one at a time.
    const isWhole = !keep && source.format.endsWith('_page');
    const replaced = await replacedDemand(connection, tables, { hash: source.hash, isWhole });
    onReplace?.(replaced);
    const made = `(SELECT ${idOf('date')} AS day FROM ${DETAILS} UNION SELECT ${idOf('date')} FROM ${TOTALS})`;
    const project = { project_id: tables.projectId, kind: 'ranking_performance' } as const;
    const [span] = await connection.rows(`SELECT min(day) AS "from", max(day) AS "to" FROM ${made}`);
    const isEmpty = span === undefined || span.from === null;
    const added: AddedDemand = {
      ...found,
      status: 'added',
      changed: isEmpty ? null : { from: String(span.from), to: String(span.to) },
      ...days,
      ...(source.fileHashes === undefined
        ? {}
        : { files: source.files.map((path, at) => ({ path, sha256: source.fileHashes?.[at] ?? '' })) }),
    };
    const planned = { ...added, status: 'planned' } as const;
    if (!(await agree(planned, replaced))) throw new NotAgreed(planned);
    await replaceRows(connection, tables, source, isWhole);
    await keepLeftOut(connection, tables, source.hash);
    await refuseOverflow(connection, tables.rows, source.tables[0]?.place ?? '');
    await noteChangedDays(connection, project, `SELECT CAST(day AS DATE) FROM ${made}`);
    if (source.supersedes !== undefined)
      await connection.run(`DELETE FROM ${tables.exports} WHERE starts_with(hash, $1)`, [source.supersedes]);
    await connection.run(`INSERT OR REPLACE INTO ${tables.exports} VALUES ($1, $2)`, [
      source.hash,
      stringifyJson(added),
    ]);
    return added;
  } finally {
    for (const table of [DETAILS, TOTALS, LEFT_OUT]) await connection.run(`DROP TABLE IF EXISTS ${table}`);
  }
}

/** Stores the rows by day and URL, except for days that have rows with more dimensions. */
async function makeDetails(
  connection: Connection,
  { rows }: DemandTables,
  source: DemandExport,
  keep: boolean,
): Promise<Pick<AddedDemand, 'replaced_days' | 'kept_days'>> {
  const by = detailOf(source);
  const depth = by.split(', ').length;
  const days = `SELECT staged.date, coalesce(had.depth, 0) AS depth
    FROM (SELECT DISTINCT date FROM ${STAGED} WHERE counted_by = ${text(by)}) AS staged
    LEFT JOIN (
      SELECT ${idOf('date')} AS date, max(len(string_split(${ident(BY)}, ', '))) AS depth
      FROM ${rows} WHERE ${idOf('period_days')} IS NULL GROUP BY ALL
    ) AS had ON had.date = staged.date`;
  const [counts] = await connection.rows(
    `SELECT count(*) FILTER (depth BETWEEN 1 AND ${depth}) AS replaced, count(*) FILTER (depth > ${depth}) AS kept
     FROM (${days})`,
  );
  const cells = cellsOf(source, { date: 'date', periodDays: 'NULL', totalsBy: 'NULL' });
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${DETAILS} AS SELECT ${cells}, counted_by FROM ${STAGED}
     WHERE counted_by = ${text(by)} AND date IN (SELECT date FROM (${days}) WHERE depth <= ${depth})`,
  );
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${LEFT_OUT} AS
     SELECT left_out.*, (SELECT any_value(${ident(EXPORT)}) FROM ${rows} WHERE ${idOf('period_days')} IS NULL AND ${idOf('date')} = left_out.${idOf('date')}) AS holder, ${keep} AS is_kept_out
     FROM (
       SELECT ${cells}, counted_by FROM ${STAGED}
       WHERE counted_by = ${text(by)} AND date IN (SELECT date FROM (${days}) WHERE depth > ${depth})
     ) AS left_out`,
  );
  return { replaced_days: Number(counts?.replaced ?? 0), kept_days: Number(counts?.kept ?? 0) };
}

/** Stores the rows that are totals of a day or of a period. */
async function makeTotals(connection: Connection, source: DemandExport): Promise<void> {
  const { period } = source;
  const days = period === null ? 1 : (Date.parse(period.to) - Date.parse(period.from)) / DAY + 1;
  const cells = cellsOf(source, {
    date: period === null ? 'date' : `coalesce(date, ${text(period.to)})`,
    periodDays: `CASE WHEN date IS NULL THEN ${days} ELSE 1 END`,
    totalsBy: `CASE WHEN counted_by IN ('', 'date') THEN 'all' ELSE regexp_replace(counted_by, '^date, ', '') END`,
  });
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${TOTALS} AS SELECT ${cells}, counted_by FROM ${STAGED} WHERE counted_by <> ${text(detailOf(source))}`,
  );
}

/** Replaces rows of earlier exports. Forgets an export that loses rows, so that adding it again restores them. */
async function replaceRows(
  connection: Connection,
  tables: DemandTables,
  { hash, supersedes }: DemandExport,
  isWhole: boolean,
): Promise<void> {
  const { rows, exports } = tables;
  const replaced = [DETAILS_GO, `${idOf('period_days')} IS NOT NULL AND ${totalsGo(isWhole)}`];
  // A later reading of the same days by `demand sync` corrects the earlier one.
  if (supersedes !== undefined) await forgetReading(connection, tables, { hash, supersedes });
  else await keepReplaced(connection, tables, { hash, isWhole, replaced });
  for (const go of replaced) {
    await connection.run(
      `DELETE FROM ${exports} WHERE hash IN (SELECT ${ident(EXPORT)} FROM ${rows} WHERE ${go})`,
    );
    await connection.run(`DELETE FROM ${rows} WHERE ${go}`);
  }
  for (const table of [DETAILS, TOTALS])
    await connection.run(`INSERT INTO ${rows} SELECT *, ${text(hash)} FROM ${table}`);
}

/** Returns the dimensions of the rows by day and URL; an export has one set. */
function detailOf({ tables }: DemandExport): string {
  return dimensionsText(
    tables.find(({ dimensions }) => isDetailed(dimensions))?.dimensions ?? ['url', 'date'],
  );
}

/** Returns the values of the columns; they override those of the staged rows. */
function cellsOf(
  { engine }: DemandExport,
  made: { readonly date: string; readonly periodDays: string; readonly totalsBy: string },
): string {
  const own: Readonly<Record<string, string>> = {
    date: made.date,
    period_days: made.periodDays,
    totals_by: made.totalsBy,
    search_engine: text(engine),
  };
  return DEMAND_COLUMNS.map(
    ({ id, field }) => `${lookUp(own, field.name) ?? ident(field.name)} AS ${id}`,
  ).join(', ');
}
