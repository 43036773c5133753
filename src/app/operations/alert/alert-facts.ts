import type { Connection } from '../../../core/duckdb/duckdb.ts';
import type { LedgerUnit } from '../../../etl/project/model/runs/ledger-records.ts';
import { rowCountAnomalies } from '../../../etl/state/catalog/ops/ops-loads.ts';
import { type FieldChange, lastFieldChanges } from '../../../etl/state/catalog/ops/ops-schema-changes.ts';
import { type PublishedPlace, readPublished } from '../../../etl/state/catalog/published/read-published.ts';
import { crawlEnds, projectNames } from '../../../etl/state/catalog/raw/raw-projects.ts';
import { type SiteChange, siteChanges } from '../../../etl/state/catalog/site-changes.ts';
import type { LedgerSettings } from '../../../etl/state/ledger/open-ledger.ts';
import type { FailedUnit } from './find-failures.ts';
import type { Rhythm } from './find-stale.ts';
import type { RowCountAnomaly } from './incident.ts';

/** The stored state of a project: its ledger and, if that is lost, the published warehouse. */
export type MemoryPlace = PublishedPlace & LedgerSettings;

/** The facts for alerts, from the ledger and the published warehouse after a run. */
export interface AlertFacts {
  readonly failed: readonly FailedUnit[];
  readonly rhythms: readonly Rhythm[];
  readonly anomalies: readonly RowCountAnomaly[];
  readonly changes: readonly SiteChange[];
  readonly fields: readonly FieldChange[];
  readonly nameOf: (projectId: string) => string;
}

/** The facts of the published warehouse; undefined if there is none. */
export type PublishedFacts = Awaited<ReturnType<typeof publishedFacts>>;

export async function publishedFacts(settings: PublishedPlace) {
  return await readPublished(settings, async (connection) => {
    const names = await projectNames(connection);
    return {
      names,
      rhythms: await rhythmsOf(connection, names),
      changes: await siteChanges(connection),
      fields: await lastFieldChanges(connection),
      anomalies: (await rowCountAnomalies(connection)).map(
        ({ unit, project_id, rows, usual, loaded_at }) => ({
          project_id,
          what: `${unit}: ${rows} rows, usually ${usual}`,
          began: loaded_at,
          hint: 'check the crawl in the service; its rows are loaded, and the next crawl with the usual number of rows ends the incident',
        }),
      ),
    };
  });
}

/** @param units from the ledger or, if it is lost, from the warehouse */
export function alertFacts(found: PublishedFacts, units: readonly LedgerUnit[]): AlertFacts {
  const failed = failedUnits(units);
  const held = failed.filter(({ code }) => code === 'volume_held');
  const heldBack = held.flatMap(({ project_id, message, hint, failing_since }) =>
    project_id === null ? [] : [{ project_id, what: `${message}; not loaded`, began: failing_since, hint }],
  );
  return {
    failed,
    rhythms: found?.rhythms ?? [],
    anomalies: [...heldBack, ...(found?.anomalies ?? [])],
    changes: found?.changes ?? [],
    fields: found?.fields ?? [],
    nameOf: (id) => found?.names.get(id) ?? id,
  };
}

function failedUnits(units: readonly LedgerUnit[]): FailedUnit[] {
  return units.flatMap(({ unit, source, status, error, failing_since, updated_at }) => {
    if (error === null || (status !== 'failed' && status !== 'refused')) return [];
    const workspace_id = source.kind === 'resource' && source.project_id === null ? source.id : null;
    return [
      {
        unit,
        project_id: source.project_id,
        workspace_id,
        ...error,
        failing_since: failing_since ?? updated_at,
      },
    ];
  });
}

/** Returns the ends of crawls with a report, for the current projects. */
async function rhythmsOf(connection: Connection, names: ReadonlyMap<string, string>): Promise<Rhythm[]> {
  return (await crawlEnds(connection)).flatMap(({ project_id, ends }) => {
    const name = names.get(project_id);
    return name === undefined ? [] : [{ project_id, name, ends }];
  });
}
