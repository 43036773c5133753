import { expect, test } from 'vitest';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { routesOf, scopeOf } from '../../../src/etl/pipeline/run.ts';
import { loadPipelines } from '../../../src/etl/project/settings/pipelines.ts';
import { field, importFolder } from '../../service/support.ts';
import {
  clearFaults,
  crawlhouse,
  rawProjectFolder,
  runProject,
  sandboxFor,
  setFaults,
} from '../../support/project.ts';

const SELECTION = {
  projects: 'all',
  crawls: null,
  from: Number.NEGATIVE_INFINITY,
  to: Number.POSITIVE_INFINITY,
} as const;

async function requestOf(dataset: string) {
  const folder = await rawProjectFolder();
  const settings = await loadSettings(folder, { CRAWLHOUSE_SWEEP_DAYS: '9' });
  const pipelines = (await loadPipelines(folder)).filter((one) => one.dataset === dataset);
  return { settings, pipelines };
}

test('an impossible request is refused before any request is sent', async () => {
  const { settings, pipelines } = await requestOf('crawl_pages');
  const none = { route: null, format: null, store: null } as const;
  expect(routesOf(settings, { pipelines, override: none }).get('crawl_pages')?.[0]?.route).toBe('stream');
  expect(() => routesOf(settings, { pipelines, override: { ...none, route: 'export' } })).toThrow(
    expect.objectContaining({ code: 'impossible_route' }),
  );
});

test('only a full reload reads the lists to their end', async () => {
  const { settings, pipelines } = await requestOf('crawl_pages');
  const known = { held: new Map(), known: {} } as never;
  const sweeps = (reload: boolean, crawls: readonly string[] | null): boolean =>
    scopeOf(settings, { pipelines, selection: { ...SELECTION, crawls }, reload, now: 7 }, known).sweep ??
    false;
  expect([sweeps(false, null), sweeps(true, null), sweeps(true, ['c'])]).toEqual([false, true, false]);
  const scope = scopeOf(settings, { pipelines, selection: SELECTION, now: 7 }, known);
  expect([scope.now, scope.sweepDays]).toEqual([7, 9]);
});

test('a run loads and publishes due units, and records open crawls in the ledger', async () => {
  const sandbox = await sandboxFor({ generate: ['crawls=2,pages=5,links=5,columns=8,seed=3'] });
  const folder = await rawProjectFolder();
  const { report, exitCode, yielded } = await runProject(folder, sandbox, { pipelines: ['crawl_pages'] });
  expect([exitCode, yielded, report.status]).toEqual([0, false, 'done']);
  expect(report.units.map(({ status, counts }) => [status, counts.queryable])).toEqual([
    ['loaded', 5],
    ['loaded', 5],
  ]);
});

test('a crawl without displayable fields is refused alone, and other crawls are published', async () => {
  const rows = [{ url: 'https://www.shop.example/' }];
  const imported = (name: string, can_display: boolean): Promise<string> =>
    importFolder(name, { pages: { fields: [field('url', 'string', 'one', { can_display })], rows } });
  const importDirs = [await imported('seen-2026-01-01', true), await imported('hidden-2026-01-02', false)];
  const sandbox = await sandboxFor({ importDirs });
  const { report, exitCode } = await runProject(await rawProjectFolder(), sandbox, {
    pipelines: ['crawl_pages'],
  });
  expect(exitCode).toBe(4);
  expect(
    report.units.map(({ status, counts, error }) => [status, counts.queryable, error?.code]).sort(),
  ).toEqual([
    ['loaded', 1, undefined],
    ['refused', null, 'contract_broken'],
  ]);
});

test('a failed reload is retried by the next run, and then nothing fails', async () => {
  const sandbox = await sandboxFor({ generate: ['crawls=1,pages=5,links=5,columns=8,seed=3'] });
  const folder = await rawProjectFolder();
  const options = { pipelines: ['crawl_pages'] };
  await runProject(folder, sandbox, options);
  await setFaults(sandbox, [{ match: { path: '/crawl/\\w+/pages' }, kind: 'status', status: 400 }]);
  const reload = await runProject(folder, sandbox, { ...options, reload: true });
  expect(reload.report.units.map(({ status }) => status)).toEqual(['refused']);
  await clearFaults(sandbox);
  const plan = await crawlhouse(folder, sandbox, ['run', 'crawl_pages', '--plan', '--json']);
  expect(JSON.parse(plan.stdout).units).toMatchObject([
    { status: 'due', reason: expect.stringMatching(/^loaded again; /) },
  ]);
  const next = await runProject(folder, sandbox, options);
  expect(next.report.units.map(({ status, counts }) => [status, counts.queryable])).toEqual([['loaded', 5]]);
  const status = await crawlhouse(folder, sandbox, ['status', '--json']);
  expect(JSON.parse(status.stdout)).toMatchObject({ units: [{ status: 'published' }], incidents: [] });
});
