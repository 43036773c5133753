import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { drop } from '../../../src/etl/pipeline/drop.ts';
import { discoverUnits, reportPlan } from '../../../src/etl/pipeline/plan.ts';
import type { RunRequest } from '../../../src/etl/pipeline/run.ts';
import { loadPipelines } from '../../../src/etl/project/settings/pipelines.ts';
import { rawProjectFolder, requestCount, runProject, sandboxFor, setFaults } from '../../support/project.ts';
import { signal } from './package-project.ts';

/** A project of one crawl, and what a plan of its pages is asked with. */
async function unplanned(columns = 8) {
  const sandbox = await sandboxFor({ generate: [`crawls=1,pages=12,links=5,columns=${columns},seed=3`] });
  const folder = await rawProjectFolder();
  const settings = await loadSettings(folder, {
    CRAWLHOUSE_BASE_URL: sandbox.baseUrl,
    CRAWLHOUSE_ACCESS_TOKEN: sandbox.accessToken,
  });
  const pipelines = (await loadPipelines(folder)).filter(({ dataset }) => dataset === 'crawl_pages');
  const request: RunRequest = {
    command: 'run',
    pipelines,
    selection: {
      projects: 'all',
      crawls: null,
      from: Number.NEGATIVE_INFINITY,
      to: Number.POSITIVE_INFINITY,
    },
    override: { route: null, format: null, store: null },
    reload: false,
  };
  return { sandbox, folder, settings, request };
}

test('a plan lists due units with counts, then loaded and dropped ones, and changes nothing', async () => {
  const { sandbox, folder, settings, request } = await unplanned();
  const plan = async (more: Partial<RunRequest> = {}) =>
    (await reportPlan(settings, { ...request, ...more }, silentLogger, signal)).units.map(
      ({ status, route, rows, requests }) => [status, route, rows, requests],
    );
  expect(await plan()).toEqual([['due', 'stream', 12, 3]]);
  expect(existsSync(settings.warehouse)).toBe(false);
  const found = await discoverUnits(settings, request, silentLogger, signal);
  expect([found.plan.tasks.length, found.loaded.size]).toEqual([1, 0]);

  await runProject(folder, sandbox, { pipelines: ['crawl_pages'] });
  expect(await plan()).toEqual([['loaded', null, null, 0]]);
  expect(await plan({ reload: true })).toEqual([['due', 'stream', 12, 3]]);

  const crawl = found.plan.tasks[0]?.unit.source.id ?? '';
  await drop(settings, { crawls: [crawl], projects: [], datasets: [] }, silentLogger, signal);
  expect(await plan()).toEqual([['skipped', null, null, 0]]);
  expect(await plan({ selection: { ...request.selection, crawls: [crawl] } })).toEqual([
    ['due', 'stream', 12, 3],
  ]);
});

const OPEN = [
  null,
  'not in the warehouse; a streamed export carries every row; its fields decide the format',
  12,
];

test('a plan shows the format that the fields decide; if fields are unknown, it still counts the rows', async () => {
  const { sandbox, settings, request } = await unplanned(60);
  const plan = async (more: object = {}) =>
    (await reportPlan(settings, { ...request, ...more }, silentLogger, signal)).units.map(
      ({ format, reason, rows }) => [format, reason, rows],
    );
  expect(await plan()).toEqual([['json', expect.stringMatching(/; JSON, because CSV loses /), 12]]);
  const [pages] = request.pipelines;
  const pipelines = [{ ...pages, fields: { include: ['url', 'depth'], exclude: [] } }];
  expect(await plan({ pipelines })).toEqual([['csv', expect.stringMatching(/; CSV, because each /), 12]]);
  const override = { route: null, format: 'csv', store: null };
  expect(await plan({ override })).toEqual([['csv', expect.not.stringContaining('because'), 12]]);
  const requests = async (more: object): Promise<number> => {
    const before = await requestCount(sandbox);
    await plan(more);
    return (await requestCount(sandbox)) - before;
  };
  expect(await plan({ countsOnly: true })).toEqual([OPEN]);
  expect((await requests({})) - (await requests({ countsOnly: true }))).toBe(1);
  await setFaults(sandbox, [{ match: { path: '/fields' }, kind: 'status', status: 404 }]);
  expect(await plan()).toEqual([OPEN]);
});
