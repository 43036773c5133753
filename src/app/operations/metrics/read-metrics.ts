import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { toCrawlhouseError } from '../../../core/errors/errors.ts';
import { writeFileAtomic } from '../../../core/files/atomic-file.ts';
import { freeBytes } from '../../../core/files/disk-use.ts';
import { giveUserMode } from '../../../core/files/private-files.ts';
import { packageVersion } from '../../../core/host/package-version.ts';
import { isLocked } from '../../../core/locks/state-lock.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import type { LedgerRun } from '../../../etl/project/model/runs/ledger-records.ts';
import { runSeconds } from '../../../etl/project/model/runs/run-summary.ts';
import { ALERT_EVENTS } from '../../../etl/project/settings/alert-settings.ts';
import { type LoadTotal, loadTotals } from '../../../etl/state/catalog/ops/ops-loads.ts';
import { publicationStamp } from '../../../etl/state/catalog/published/publication-stamp.ts';
import { readPublished } from '../../../etl/state/catalog/published/read-published.ts';
import type { UnitCount } from '../../../etl/state/ledger/ledger-facts.ts';
import { type LedgerSettings, readLedger } from '../../../etl/state/ledger/open-ledger.ts';
import { checkOutput, filesOfProject } from '../../answers/query/result/check-output-file.ts';
import { alertFacts, type MemoryPlace, type PublishedFacts, publishedFacts } from '../alert/alert-facts.ts';
import { type IncidentSettings, incidentsOf } from '../alert/incidents.ts';
import { readAlertStore } from '../alert/open-alert-store.ts';
import { type ProjectFreshness, projectFreshness } from '../alert/project-freshness.ts';

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

const RUNS = 1000;

/**
 * Reads the metrics of a project in the text format of Prometheus. It reads the published warehouse again only after a
 * publication, so a scrape is cheap.
 */
export function metricsReader(settings: ReaderSettings): () => Promise<string> {
  let publication = '';
  let published: Published = { totals: [], facts: undefined, projects: () => [] };
  return async () => {
    const stamp = publicationStamp(settings.warehouse);
    if (stamp !== publication) {
      published = {
        totals: (await readPublished(settings, loadTotals)) ?? [],
        facts: await publishedFacts(settings),
        projects: (await readPublished(settings, projectFreshness)) ?? (() => []),
      };
      publication = stamp;
    }
    const now = Date.now();
    return prometheusText([
      ...(await ofMachine(settings)),
      ...(await ofLedger(settings, published.facts, now)),
      ...ofLoads(published.totals),
      ...ofProjects(published.projects(now).slice(0, settings.metrics.projects), now),
    ]);
  };
}

type ReaderSettings = MemoryPlace & IncidentSettings & { readonly metrics: { readonly projects: number } };

interface Published {
  readonly totals: readonly LoadTotal[];
  readonly facts: PublishedFacts;
  readonly projects: (now: number) => readonly ProjectFreshness[];
}

async function ofMachine(settings: MemoryPlace): Promise<Gauge[]> {
  const { state_dir: stateDir, warehouse } = settings;
  const free = await freeBytes(dirname(warehouse));
  return [
    gauge('info', 'The version of this crawlhouse.', [
      { labels: { version: await packageVersion() }, value: 1 },
    ]),
    gauge('lock_held', 'Whether a process holds the state lock.', [{ value: isLocked(stateDir) ? 1 : 0 }]),
    gauge('warehouse_bytes', 'Size of the published warehouse.', [
      { value: existsSync(warehouse) ? statSync(warehouse).size : 0 },
    ]),
    gauge(
      'disk_free_bytes',
      'Free bytes on the disk of the warehouse.',
      free === null ? [] : [{ value: free }],
    ),
    gauge('alerts_undelivered', 'Alerts that have not reached their target.', [
      { value: await undelivered(settings) },
    ]),
  ];
}

async function undelivered(settings: LedgerSettings): Promise<number> {
  await using store = await readAlertStore(settings);
  return (await store?.undelivered())?.length ?? 0;
}

async function ofLedger(settings: ReaderSettings, published: PublishedFacts, now: number): Promise<Gauge[]> {
  await using ledger = await readLedger(settings);
  if (ledger === undefined) return [];
  const runs = await ledger.runs(RUNS);
  const facts = alertFacts(published, await ledger.units('unpublished'));
  const incidents = Map.groupBy(incidentsOf(settings, facts, runs, now), ({ event }) => event);
  const events = ALERT_EVENTS.filter((event) => event !== 'recovery');
  return [
    ...ofRuns(runs),
    ofUnits(await ledger.unitCounts()),
    gauge(
      'open_incidents',
      'Open incidents by the event of their alert.',
      events.map((event) => ({ labels: { event }, value: incidents.get(event)?.length ?? 0 })),
    ),
  ];
}

/** Returns the gauges of the projects with the oldest last crawls. */
function ofProjects(projects: readonly ProjectFreshness[], now: number): Gauge[] {
  const of = (value: (project: ProjectFreshness) => number | string | null): Sample[] =>
    projects.flatMap((project) => {
      const labels = { project_id: project.project_id, project: project.project_name ?? project.project_id };
      const number = value(project);
      return typeof number === 'number' ? [{ labels, value: number }] : [];
    });
  return [
    gauge(
      'project_age_seconds',
      'Time since the last loaded crawl of the project ended.',
      of(({ ended_at }) => ended_at && (now - Date.parse(ended_at)) / 1000),
    ),
    gauge(
      'project_expected_by_timestamp_seconds',
      'Time by which the next crawl of the project is expected.',
      of(({ expected_by }) => expected_by && Date.parse(expected_by) / 1000),
    ),
  ];
}

function ofRuns(runs: readonly LedgerRun[]): Gauge[] {
  const byStatus = Map.groupBy(runs, ({ status }) => status);
  const last = runs.find(({ ended_at }) => ended_at !== null);
  const good = runs.find(({ status }) => status === 'done');
  return [
    gauge(
      'runs',
      `Runs in the ledger by status, of the last ${RUNS}.`,
      [...byStatus].map(([status, of]) => ({ labels: { status }, value: of.length })),
    ),
    gauge('run_last_end_timestamp_seconds', 'Time at which the last run ended.', secondsOf(last?.ended_at)),
    gauge(
      'run_last_success_timestamp_seconds',
      'Time at which the last run with the status done ended.',
      secondsOf(good?.ended_at),
    ),
    gauge('run_last_duration_seconds', 'Duration of the last run.', durationOf(last)),
    gauge(
      'run_last_rows',
      'Rows that the last run loaded.',
      last?.summary ? [{ value: last.summary.rows }] : [],
    ),
  ];
}

function ofUnits(counts: readonly UnitCount[]): Gauge {
  return gauge(
    'units',
    'Units in the ledger by dataset and status.',
    counts.map(({ dataset, status, units }) => ({ labels: { dataset, status }, value: units })),
  );
}

function ofLoads(totals: readonly LoadTotal[]): Gauge[] {
  const of = (value: (total: LoadTotal) => number): Sample[] =>
    totals.map((total) => ({ labels: { dataset: total.dataset }, value: value(total) }));
  return [
    gauge(
      'rows',
      'Rows in the published warehouse.',
      of(({ rows }) => rows),
    ),
    gauge(
      'downloaded_bytes',
      'Downloaded bytes of these rows.',
      of(({ bytes }) => bytes),
    ),
    gauge(
      'last_load_timestamp_seconds',
      'Time at which a published unit of the dataset was last loaded.',
      of(({ loaded_at }) => loaded_at),
    ),
  ];
}

function gauge(name: string, help: string, samples: readonly Sample[]): Gauge {
  return { name: `crawlhouse_${name}`, help, samples };
}

function secondsOf(time: string | null | undefined): Sample[] {
  return time === null || time === undefined ? [] : [{ value: Date.parse(time) / 1000 }];
}

function durationOf(run: LedgerRun | undefined): Sample[] {
  if (run === undefined || run.ended_at === null) return [];
  return [{ value: runSeconds({ ...run, ended_at: run.ended_at }) }];
}

/** Formats gauges in the text format of Prometheus, version 0.0.4; gauges without samples are omitted. */
export function prometheusText(gauges: readonly Gauge[]): string {
  return gauges
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, help, samples }) => [
      `# HELP ${name} ${escaped(help)}`,
      `# TYPE ${name} gauge`,
      ...samples.map(({ labels, value }) => `${name}${labelText(labels)} ${value}`),
    ])
    .map((line) => `${line}\n`)
    .join('');
}

function labelText(labels: Sample['labels']): string {
  if (labels === undefined) return '';
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`,
  );
  return `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

type MetricsSettings = ReaderSettings & { readonly metrics_file?: string | undefined };

/** Writes the metrics atomically to the file of the setting. Errors are logged: metrics must not fail a run. */
export async function writeMetrics(settings: MetricsSettings, logger: Logger): Promise<void> {
  const { metrics_file: file } = settings;
  if (file === undefined) return;
  try {
    await checkOutput(file, { ...filesOfProject(settings), named: 'metrics_file' });
    await writeFileAtomic(file, await metricsReader(settings)());
    await giveUserMode(file);
  } catch (thrown) {
    logger.error('metrics not written', { file, error: toCrawlhouseError(thrown).message });
  }
}
