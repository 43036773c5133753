import { z } from 'zod';
import type { Typed } from '../../../core/text/typed-rows.ts';
import type { LedgerUnit } from '../../../etl/project/model/runs/ledger-records.ts';
import { describeDrift, driftHint } from '../../../etl/state/catalog/pipeline-drift.ts';
import { ClaimedUnit } from '../../../etl/state/ledger/ledger-facts.ts';
import { LiveRun } from '../../../etl/state/ledger/live-run.ts';
import { ShownIncident, shownIncident } from '../alert/incident.ts';
import { ProjectFreshness } from '../alert/project-freshness.ts';
import { DiskUse, type Status } from './read-status.ts';
import { RunLine, runLine } from './run-line.ts';

/** Maximum failing units and units in progress to show; `status --json` contains all. */
const MOST = 20;
export const FAILING: readonly string[] = ['failed', 'refused'];
const UNDER_WAY: readonly string[] = ['discovered', 'requested', 'downloading', 'staged', 'loaded'];

export const StatusFacts = z.strictObject({
  live: LiveRun.nullable(),
  incidents: z.array(ShownIncident),
  drift: z.array(z.strictObject({ dataset: z.string(), text: z.string(), hint: z.string() })),
  /** The first failing units. */
  failing: z.array(
    z.strictObject({
      unit: z.string(),
      status: z.string(),
      project_id: z.string().nullable(),
      project_name: z.string().nullable(),
      failures: z.number(),
      next_try_at: z.string().nullable(),
      updated_at: z.string(),
      cause: z.string().nullable(),
    }),
  ),
  /** Units that processes on any machine are loading. */
  claims: z.strictObject({ total: z.number(), first: z.array(ClaimedUnit) }),
  units: z.strictObject({
    published: z.number(),
    due: z.number(),
    failing: z.number(),
    skipped: z.number(),
    dropped: z.number(),
  }),
  /** Crawls that have not ended, and the time of the last full resync of the service's lists. */
  crawls: z.strictObject({ open: z.number(), swept_at: z.string().nullable() }),
  runs: z.array(RunLine),
  projects: z.strictObject({
    total: z.number(),
    /** The projects with the oldest last crawl. */
    oldest: z.array(ProjectFreshness),
  }),
  schedules: z.array(z.strictObject({ name: z.string(), next_at: z.string().nullable() })),
  exports: z.array(
    z.strictObject({
      unit: z.string(),
      data_export_id: z.string().nullable(),
      status: z.string(),
      requested_at: z.string(),
    }),
  ),
  disk: DiskUse,
});
export type StatusFacts = Typed<typeof StatusFacts>;

/** @param most maximum projects and data exports */
export function statusFacts(
  status: Status,
  schedules: StatusFacts['schedules'],
  most = Number.POSITIVE_INFINITY,
): StatusFacts {
  const { incidents, units, runs, live, freshness, drift, exports, claims, discovery, disk } = status;
  const names = new Map(freshness.map((one) => [one.project_id, one.project_name]));
  const count = (...statuses: readonly string[]): number =>
    units.filter((unit) => statuses.includes(unit.status)).length;
  return {
    live,
    incidents: incidents.map(shownIncident),
    drift: drift.map((drift) => ({
      dataset: drift.dataset,
      text: describeDrift(drift),
      hint: driftHint(drift),
    })),
    failing: units
      .filter((unit) => FAILING.includes(unit.status))
      .slice(0, MOST)
      .map((unit) => failingUnit(unit, names)),
    claims: { total: claims.length, first: claims.slice(0, MOST) },
    units: {
      published: count('published'),
      due: count(...UNDER_WAY),
      failing: count(...FAILING),
      skipped: count('skipped'),
      dropped: count('dropped'),
    },
    crawls: { open: discovery.open.length, swept_at: discovery.swept_at },
    runs: runs.map(runLine),
    projects: { total: freshness.length, oldest: freshness.slice(0, most) },
    schedules,
    exports: exports
      .filter((one) => one.status !== 'loaded')
      .slice(0, most)
      .map(({ unit, data_export_id, status: now, requested_at }) => ({
        unit,
        data_export_id,
        requested_at,
        status: now,
      })),
    disk,
  };
}

function failingUnit(
  { unit, status, source: { project_id }, failures, next_try_at, updated_at, error }: LedgerUnit,
  names: ReadonlyMap<string, string | null>,
): StatusFacts['failing'][number] {
  return {
    unit,
    status,
    project_id,
    failures,
    next_try_at,
    updated_at,
    project_name: (project_id && names.get(project_id)) || null,
    cause: error?.message ?? null,
  };
}
