import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sqliteAlertStore } from '../../../../src/app/operations/alert/open-alert-store.ts';
import { metricsReader, writeMetrics } from '../../../../src/app/operations/metrics/read-metrics.ts';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { lockState } from '../../../../src/core/locks/state-lock.ts';
import { createLogger, silentLogger } from '../../../../src/core/logs/logger.ts';
import type { Settings } from '../../../../src/etl/project/settings/settings.ts';
import { startSandbox } from '../../../../src/service/sandbox/start-sandbox.ts';
import { crawlhouse, environmentOf, rawProjectFolder, runProject } from '../../../support/project.ts';
import { waitingAlert } from '../alert/alert-store-contract.ts';

const sandbox = await startSandbox({ generate: ['projects=1,crawls=2,pages=5,links=7,columns=8,seed=92'] });
afterAll(() => sandbox.close());

async function settingsOf(folder: string, extra: Readonly<Record<string, string>> = {}): Promise<Settings> {
  return await loadSettings(folder, environmentOf(sandbox, extra));
}

/** The value of a line, by its name and labels. */
function valueIn(text: string, sample: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.slice(sample.length + 1));
}

test('a project without a run exports its version and a free lock', async () => {
  const text = await metricsReader(await settingsOf(await rawProjectFolder()))();
  expect(text).toMatch(
    /^# HELP crawlhouse_info .*\n# TYPE crawlhouse_info gauge\ncrawlhouse_info\{version="\S+"\} 1\n/,
  );
  expect(valueIn(text, 'crawlhouse_lock_held')).toBe(0);
  expect(text).not.toContain('crawlhouse_runs');
});

test('runs, units, rows and bytes come from the last publication, also while a process holds the lock', async () => {
  const folder = await rawProjectFolder();
  const settings = await settingsOf(folder);
  const read = metricsReader(settings);
  const before = Date.now() / 1000;
  await runProject(folder, sandbox, { pipelines: ['crawl_pages'] });
  const first = await read();
  expect(valueIn(first, 'crawlhouse_runs{status="done"}')).toBe(1);
  expect(valueIn(first, 'crawlhouse_units{dataset="crawl_pages",status="published"}')).toBe(2);
  expect(valueIn(first, 'crawlhouse_rows{dataset="crawl_pages"}')).toBe(10);
  expect(valueIn(first, 'crawlhouse_downloaded_bytes{dataset="crawl_pages"}')).toBeGreaterThan(100);
  expect(valueIn(first, 'crawlhouse_last_load_timestamp_seconds{dataset="crawl_pages"}')).toBeGreaterThan(
    before - 1,
  );
  expect(valueIn(first, 'crawlhouse_run_last_success_timestamp_seconds')).toBeGreaterThan(before - 1);
  expect(valueIn(first, 'crawlhouse_run_last_rows')).toBe(10);
  expect(valueIn(first, 'crawlhouse_warehouse_bytes')).toBe((await stat(settings.warehouse)).size);

  await runProject(folder, sandbox, { pipelines: ['crawl_links'] });
  using _lock = lockState(settings.state_dir, 'crawlhouse run');
  await using store = sqliteAlertStore(join(settings.state_dir, 'alerts'));
  const alerts = [{ target: 'webhook-x', alert: waitingAlert('x') }];
  await store.change(() => ({ opened: [], closed: [], alerts }));
  const second = await read();
  expect(valueIn(second, 'crawlhouse_rows{dataset="crawl_links"}')).toBe(14);
  expect(valueIn(second, 'crawlhouse_runs{status="done"}')).toBe(2);
  expect(valueIn(second, 'crawlhouse_lock_held')).toBe(1);
  expect(valueIn(second, 'crawlhouse_alerts_undelivered')).toBe(1);
});

test('a run from cron writes a complete metrics file that others can read', async () => {
  const folder = await rawProjectFolder();
  const extra = { CRAWLHOUSE_METRICS_FILE: 'metrics/crawlhouse.prom' };
  await mkdir(join(folder, 'metrics'));
  const { status } = await crawlhouse(folder, sandbox, ['run', 'crawl_pages', '--quiet'], extra);
  expect(status).toBe(0);
  const file = join(folder, 'metrics', 'crawlhouse.prom');
  expect(valueIn(await readFile(file, 'utf8'), 'crawlhouse_rows{dataset="crawl_pages"}')).toBe(10);
  expect(((await stat(file)).mode & 0o777) | process.umask()).toBe(0o666 | process.umask());
});

test('a metrics file that cannot be written is logged, and fails nothing', async () => {
  const settings = await settingsOf(await rawProjectFolder(), { CRAWLHOUSE_METRICS_FILE: '/nowhere/x.prom' });
  const log: string[] = [];
  await writeMetrics(
    settings,
    createLogger('error', (line) => void log.push(line)),
  );
  expect(log.join('\n')).toMatch(/metrics not written.*\/nowhere\/x\.prom/);
  await writeMetrics({ ...settings, metrics_file: undefined }, silentLogger);
});

test('open incidents are counted by event; projects export their age and next expected crawl, the oldest first', async () => {
  const own = await startSandbox({ generate: ['projects=3,crawls=5,pages=3,links=0,columns=8,seed=7'] });
  try {
    const folder = await rawProjectFolder();
    await runProject(folder, own, { pipelines: ['projects', 'crawls', 'crawl_pages'] });
    const read = async (projects: number): Promise<string> =>
      await metricsReader({ ...(await loadSettings(folder, environmentOf(own))), metrics: { projects } })();
    const text = await read(20);
    const events = ['failure', 'stale', 'volume', 'schema', 'change'];
    const open = events.map((event) => valueIn(text, `crawlhouse_open_incidents{event="${event}"}`));
    expect(open).toEqual(events.map(() => expect.any(Number)));
    const agesIn = (metrics: string): number[] =>
      [...metrics.matchAll(/^crawlhouse_project_age_seconds\{project_id="\S+",project=".+"\} (\S+)$/gm)].map(
        ([, age]) => Number(age),
      );
    const ages = agesIn(text);
    expect(ages).toHaveLength(3);
    expect(ages).toEqual(ages.toSorted((a, b) => b - a));
    expect(text.match(/^crawlhouse_project_expected_by_timestamp_seconds\{.+\} \d+(\.\d+)?$/gm)).toHaveLength(
      3,
    );
    expect(agesIn(await read(1))[0]).toBeCloseTo(ages[0] ?? 0, -3);
    expect(agesIn(await read(1))).toHaveLength(1);
    expect(await read(0)).not.toContain('crawlhouse_project_');
  } finally {
    await own.close();
  }
});
