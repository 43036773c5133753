import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { silentLogger } from '../../src/core/logger.ts';
import { loadSettings } from '../../src/people/settings/load-settings.ts';
import { drop } from '../../src/pipeline/drop.ts';
import { discoverUnits, reportPlan } from '../../src/pipeline/plan.ts';
import type { RunRequest } from '../../src/pipeline/run.ts';
import { loadPipelines } from '../../src/project/settings/pipelines.ts';
import { rawProjectFolder, runProject, sandboxFor } from '../support/project.ts';
import { signal } from './package-project.ts';

test('a plan says what is due with its count, then what is loaded or was dropped, and changes nothing', async () => {
  const sandbox = await sandboxFor({ generate: ['crawls=1,pages=12,links=5,columns=8,seed=3'] });
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
  const plan = async (more: Partial<RunRequest> = {}) =>
    (await reportPlan(settings, { ...request, ...more }, silentLogger, signal)).units.map(
      ({ status, route, rows, requests }) => [status, route, rows, requests],
    );
  expect(await plan()).toEqual([['due', 'stream', 12, 3]]);
  expect(existsSync(settings.warehouse)).toBe(false);
  const found = await discoverUnits(settings, request, silentLogger, signal);
  expect([found.plan.units.length, found.loaded.size]).toEqual([1, 0]);

  await runProject(folder, sandbox, { pipelines: ['crawl_pages'] });
  expect(await plan()).toEqual([['loaded', null, null, 0]]);
  expect(await plan({ reload: true })).toEqual([['due', 'stream', 12, 3]]);

  const crawl = found.plan.units[0]?.unit.source.id ?? '';
  await drop(settings, { crawls: [crawl], projects: [], datasets: [] }, silentLogger, signal);
  expect(await plan()).toEqual([['skipped', null, null, 0]]);
  expect(await plan({ selection: { ...request.selection, crawls: [crawl] } })).toEqual([
    ['due', 'stream', 12, 3],
  ]);
});
