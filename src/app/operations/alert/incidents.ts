import { crawlCommand } from '../../../etl/project/model/crawl-name.ts';
import type { LedgerRun, LedgerUnit } from '../../../etl/project/model/runs/ledger-records.ts';
import { type CrawlFolderSettings, isCrawlFolder } from '../../../etl/project/settings/settings.ts';
import type { PublishedPlace } from '../../../etl/state/catalog/published/read-published.ts';
import { type AlertFacts, alertFacts, publishedFacts } from './alert-facts.ts';
import { findHealed, findRunFailures, findUnitFailures, type RunFailure, runKey } from './find-failures.ts';
import { findSchemaChanges } from './find-schema-changes.ts';
import { findSiteChanges } from './find-site-changes.ts';
import { findStale, type Rhythm, rhythmsIn } from './find-stale.ts';
import { findRowCountAnomalies, type Incident } from './incident.ts';

/** Commands that load all due units. Each command also loads the units that an earlier command left. */
const RUNS: readonly string[] = [
  'run',
  'crawl',
  'logs add',
  'logs remove',
  'demand add',
  'demand sync',
  'demand remove',
];

export interface IncidentSettings extends PublishedPlace, CrawlFolderSettings {
  readonly projects: 'all' | readonly string[];
}

/**
 * Returns the open incidents, oldest first, by the same rules as alerts, whether or not an alert was sent
 * (docs/operate.md).
 *
 * @param runs the last first
 * @param now UTC milliseconds
 */
export async function openIncidents(
  settings: IncidentSettings,
  { units, runs }: { readonly units: readonly LedgerUnit[]; readonly runs: readonly LedgerRun[] },
  now: number,
): Promise<readonly Incident[]> {
  return incidentsOf(settings, alertFacts(await publishedFacts(settings), units), runs, now);
}

/** Returns the open incidents from facts that were already read. */
export function incidentsOf(
  settings: IncidentSettings,
  facts: AlertFacts,
  runs: readonly LedgerRun[],
  now: number,
): readonly Incident[] {
  const stale = findStale(rhythmsIn(facts.rhythms, settings.projects), now);
  const lastEnded = runs.find(({ summary }) => summary !== null);
  return [
    ...killedRun(settings, runs),
    ...findHealed('run', lastEnded?.summary?.healed, lastEnded?.started_at ?? null),
    ...findRunFailures('run', runFailures(runs), true),
    ...failedCrawls(runs, facts.rhythms),
    ...findUnitFailures(facts.failed, facts.nameOf, true),
    ...findRowCountAnomalies(facts.anomalies, facts.nameOf),
    ...findSchemaChanges(facts.fields, facts.nameOf),
    ...findSiteChanges(facts.changes, facts.nameOf),
    ...stale.filter(({ wait }) => wait !== true),
  ].toSorted((a, b) => (a.began ?? '').localeCompare(b.began ?? ''));
}

/** Returns the last run, if its process is dead. A later run continues its work. */
function killedRun(settings: CrawlFolderSettings, [last]: readonly LedgerRun[]): readonly Incident[] {
  if (last?.status !== 'killed') return [];
  return [
    {
      key: runKey('run', 'killed'),
      event: 'failure',
      title: `${last.command} was cut off`,
      details: ['its process is gone: it was killed, for example for lack of memory, or the machine stopped'],
      project_id: null,
      began: last.started_at,
      hint: isCrawlFolder(settings)
        ? 'crawlhouse crawl --resume continues from there'
        : 'crawlhouse run continues from there',
    },
  ];
}

/** Returns the error of the last run as a whole, with the time since which every run has failed. */
function runFailures(newestFirst: readonly LedgerRun[]): readonly RunFailure[] {
  const ended = newestFirst.filter(({ command, summary }) => RUNS.includes(command) && summary !== null);
  const well = ended.findIndex(({ summary }) => !summary?.failure);
  const failing = well < 0 ? ended : ended.slice(0, well);
  const [last] = failing;
  if (!last?.summary?.failure) return [];
  return [{ ...last.summary.failure, failing_since: failing.at(-1)?.started_at ?? last.started_at }];
}

/**
 * Returns websites with a failed crawl after the last loaded crawl. Their figures come from the last loaded crawl.
 */
function failedCrawls(newestFirst: readonly LedgerRun[], rhythms: readonly Rhythm[]): readonly Incident[] {
  return rhythms.flatMap(({ project_id, name, ends }) => {
    const last = Math.max(...ends);
    const failing = newestFirst.filter(
      ({ command, started_at }) => command === crawlCommand(name) && Date.parse(started_at) > last,
    );
    const failure = failing[0]?.summary?.failure;
    if (!failure) return [];
    return [
      {
        key: `crawl/${project_id}`,
        event: 'failure' as const,
        title: `${name}: the last crawl failed; answers come from the previous crawl`,
        details: [failure.message],
        project_id,
        began: failing.at(-1)?.started_at ?? null,
        hint: failure.hint,
      },
    ];
  });
}
