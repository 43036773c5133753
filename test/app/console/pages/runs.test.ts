import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import type { Settings } from '../../../../src/etl/project/settings/settings.ts';
import { consoleProject, HOSTILE, HUGE, ledgerRun, ledgerUnit } from '../../../support/console-project.ts';
import { type OpenConsole, openConsole } from '../../../support/open-console.ts';
import { rawProjectFolder } from '../../../support/project.ts';
import { sharedFolder } from '../../../support/temporary.ts';

const folder = sharedFolder();
let settings: Settings;

const FAILED = { code: 'cut_short' as const, message: `it ended early: ${HOSTILE}`, hint: 'run again' };

beforeAll(async () => {
  settings = await consoleProject(
    folder,
    async (connection) => {
      await connection.run(`INSERT INTO ops.loads BY NAME SELECT 'crawl_pages/c1' AS unit, 'crawl_pages' AS dataset,
          'crawl' AS source_kind, 'c1' AS source_id, 'p1' AS project_id, ${HUGE} AS loaded, ${HUGE} AS received,
          NULL AS reported, 'stream' AS route, NULL AS format, 5 AS bytes, 1.5 AS seconds, 'run-two' AS run_id,
          TIMESTAMPTZ '2026-11-20 06:00:00Z' AS loaded_at`);
      await connection.run(
        `INSERT INTO ops.models BY NAME SELECT 'mart.pages' AS name, 'table' AS kind, 12 AS rows, 'run-two' AS run_id`,
      );
      await connection.run(`INSERT INTO ops.test_results BY NAME SELECT 'run-two' AS run_id, 'mart.pages' AS model,
          'unique_url' AS name, 'warn' AS severity, 'failed' AS status, 3 AS failures`);
    },
    {
      units: [
        ledgerUnit('crawl_pages/c1'),
        ledgerUnit('crawl_links/c1', {
          status: 'failed',
          error: FAILED,
          failures: 2,
          attempts: 3,
          updated_at: '2026-11-20T05:59:30.000Z',
        }),
      ],
      runs: [
        ledgerRun('run-one', { started_at: '2026-11-19T05:59:00.000Z', ended_at: null }),
        ledgerRun('run-two', {
          status: 'partial',
          summary: {
            units: { loaded: 1, failed: 1 },
            rows: 12,
            error: FAILED.message,
            errors: 2,
            seconds: { units: 40, after: 20 },
            failure: null,
          },
        }),
      ],
    },
  );
  const lines = [
    {
      time: '2026-11-20T05:59:01.000Z',
      level: 'info',
      message: 'unit loaded',
      run: 'run-two',
      unit: HOSTILE,
    },
    { time: '2026-11-20T05:59:02.000Z', level: 'debug', message: 'a detail', run: 'run-two' },
    { time: '2026-11-20T05:59:03.000Z', level: 'warn', message: 'of another run', run: 'other' },
    { time: '2026-11-20T05:59:04.000Z', level: 'warn', message: 'of no run' },
    { time: '2026-11-20T09:00:00.000Z', level: 'warn', message: 'hours later' },
  ];
  await mkdir(join(settings.state_dir, 'logs'));
  const text = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"cut`;
  await writeFile(join(settings.state_dir, 'logs', '2026-11-20.jsonl'), text);
});

/** Parsed, of any type. */
async function json(ask: OpenConsole['ask'], path: string) {
  return JSON.parse(await (await ask(path)).text());
}

test('the operations page shows problems, their reasons, and the next try', async () => {
  const { ask } = await openConsole(settings);
  const operations = await json(ask, '/operations.json');
  expect(operations.units).toEqual({ published: 1, due: 0, failing: 1, skipped: 0, dropped: 0 });
  expect(operations.failing).toMatchObject([
    { unit: 'crawl_links/c1', project_id: 'p1', project_name: null, failures: 2, cause: FAILED.message },
  ]);
  expect(operations.incidents.length).toBeGreaterThan(0);
  expect(operations.runs.map(({ status }: { status: string }) => status)).toEqual(['partial', 'killed']);
  const page = await (await ask('/operations')).text();
  for (const { title, hint } of operations.incidents) {
    expect(page).toContain(title.slice(0, 20));
    if (hint !== null) expect(page).toContain('<strong>To do:</strong>');
  }
  expect(page).not.toContain('<script>alert');
  expect(page).not.toMatch(/ style="|<style/);
  expect(page).toContain('<time datetime="2026-11-20T05:59:00.000Z">2026-11-20 05:59</time>');
});

test('before the first run, each page shows what to do', async () => {
  const { ask, signIn } = await openConsole(await loadSettings(await rawProjectFolder(), {}));
  const overview = await (await ask('/', { cookie: await signIn('reader', 'analyst') })).text();
  expect(overview).not.toContain('incident');
  expect(overview).not.toContain('action="/start"');
  expect(overview).toContain('No crawl is published yet. Run <code>crawlhouse run</code>');
  const operations = await (await ask('/operations')).text();
  expect(operations).toContain('Nothing is wrong.');
  expect(operations).toContain('Nothing has run yet. Run <code>crawlhouse run</code>');
  expect(await (await ask('/runs')).text()).toContain('Nothing has run yet.');
});

test('runs are listed newest first, filtered by status and command; a run without a process is killed', async () => {
  const { ask } = await openConsole(settings);
  const ids = async (path: string): Promise<string[]> =>
    (await json(ask, path)).runs.map(({ run_id }: { run_id: string }) => run_id);
  expect(await ids('/runs.json')).toEqual(['run-two', 'run-one']);
  expect(await ids('/runs.json?status=killed')).toEqual(['run-one']);
  expect(await ids('/runs.json?command=backfill')).toEqual([]);
  expect(await (await ask('/runs?command=backfill')).text()).toContain('No run matches the filter.');
  expect((await json(ask, '/runs.json?page=99')).paging).toEqual({ page: 1, pages: 1, total: 2 });
});

test('a run shows its units, models, tests, error and log lines', async () => {
  const { ask } = await openConsole(settings);
  const text = await (await ask('/runs/run-two.json')).text();
  expect(text).toContain(`"rows": ${HUGE}`);
  const run = JSON.parse(text);
  expect(run.loaded).toMatchObject([{ unit: 'crawl_pages/c1', route: 'stream', format: null, seconds: 1.5 }]);
  expect(run.failing).toMatchObject([{ unit: 'crawl_links/c1', attempts: 3, hint: 'run again' }]);
  expect(run.models).toEqual([{ name: 'mart.pages', kind: 'table', rows: 12 }]);
  expect(run.tests).toMatchObject([{ name: 'unique_url', status: 'failed', failures: 3 }]);
  const messages = (log: { lines: { message: string }[] }) => log.lines.map(({ message }) => message);
  expect(messages(run.log)).toEqual(['unit loaded', 'of no run']);
  const detailed = await json(ask, '/runs/run-two.json?level=debug');
  expect(messages(detailed.log)).toEqual(['unit loaded', 'a detail', 'of no run']);

  const page = await (await ask('/runs/run-two')).text();
  expect(page).not.toContain('<script>alert');
  expect(page).toContain('9,007,199,254,740,993');
  expect(page).toContain('(and 1 more error)');
  // By the first characters of its id, as `status` takes it.
  expect((await json(ask, '/runs/run-t.json')).run_id).toBe('run-two');
  expect((await ask('/runs/run-three')).status).toBe(404);
});
