import { END_REASONS_WITHOUT_REPORT } from '../api/crawls.ts';
import type { Settings } from '../config/settings.ts';
import type { Connection } from '../core/duckdb.ts';
import type { LedgerUnit } from '../model/ledger-records.ts';
import { rowCountAnomalies } from '../warehouse/ops-loads.ts';
import { projectNames } from '../warehouse/project-names.ts';
import { rawTableColumns } from '../warehouse/raw-table.ts';
import { readPublished } from '../warehouse/read-published.ts';
import type { FailedUnit } from './find-failures.ts';
import type { Rhythm } from './find-stale.ts';
import type { RowCountAnomaly } from './row-count-anomaly.ts';

/** What alerts are made from, as ledger and published warehouse have it after a run. */
export interface AlertFacts {
  readonly failed: readonly FailedUnit[];
  readonly rhythms: readonly Rhythm[];
  readonly anomalies: readonly RowCountAnomaly[];
  /** Names of projects by id. */
  readonly names: ReadonlyMap<string, string>;
}

/** @param units as the ledger has them, or where it is lost the warehouse */
export async function alertFacts(settings: Settings, units: readonly LedgerUnit[]): Promise<AlertFacts> {
  const failed = failedUnits(units);
  const held = failed.filter(({ code }) => code === 'volume_held');
  const heldBack = held.flatMap(({ project_id, message, hint, failing_since }) =>
    project_id === null ? [] : [{ project_id, what: `${message}; not loaded`, began: failing_since, hint }],
  );
  const found = await readPublished(settings, async (connection) => {
    const names = await projectNames(connection);
    return {
      names,
      rhythms: await rhythmsOf(connection, names),
      anomalies: (await rowCountAnomalies(connection)).map(
        ({ unit, project_id, rows, usual, loaded_at }) => ({
          project_id,
          what: `${unit}: ${rows} rows, usually ${usual}`,
          began: loaded_at,
          hint: 'look at the crawl in the service; it is loaded as it is, and the next one with the usual rows ends this',
        }),
      ),
    };
  });
  return {
    failed,
    rhythms: found?.rhythms ?? [],
    anomalies: [...heldBack, ...(found?.anomalies ?? [])],
    names: found?.names ?? new Map(),
  };
}

function failedUnits(units: readonly LedgerUnit[]): FailedUnit[] {
  return units.flatMap(({ unit, source, status, error, failing_since, updated_at }) => {
    if (error === null || (status !== 'failed' && status !== 'refused')) return [];
    return [{ unit, project_id: source.project_id, ...error, failing_since: failing_since ?? updated_at }];
  });
}

/** When the crawls ended that left a report, of the projects that are there now. */
async function rhythmsOf(connection: Connection, names: ReadonlyMap<string, string>): Promise<Rhythm[]> {
  const columns = await rawTableColumns(connection, 'crawls');
  const needed = ['id', 'project_id', 'ended_at', 'end_reason', '_seen_to'];
  if (!needed.every((column) => columns.has(column))) return [];
  const rows = await connection.jsonRows(
    `SELECT project_id, list(ended_at ORDER BY ended_at) AS ends FROM (
       SELECT DISTINCT project_id, id, ended_at FROM raw.crawls
       WHERE _seen_to IS NULL AND ended_at IS NOT NULL
         AND NOT list_contains(CAST(from_json(?, '["VARCHAR"]') AS VARCHAR[]), coalesce(end_reason, ''))
       QUALIFY row_number() OVER (PARTITION BY project_id ORDER BY ended_at DESC) <= 20)
     GROUP BY project_id ORDER BY project_id`,
    [JSON.stringify(END_REASONS_WITHOUT_REPORT)],
  );
  return rows.flatMap(({ project_id, ends }) => {
    const name = names.get(String(project_id));
    return name === undefined
      ? []
      : [{ project_id: String(project_id), name, ends: (ends as (number | bigint)[]).map(Number) }];
  });
}
