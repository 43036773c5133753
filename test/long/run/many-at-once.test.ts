import { expect, test } from 'vitest';
import { CrawlhouseError } from '../../../src/core/errors/errors.ts';
import type { Sandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import {
  clearFaults,
  type RunOptions,
  rawProjectFolder,
  runProject,
  sandboxFor,
  setFaults,
} from '../../support/project.ts';

const PIPELINES = ['crawl_pages'];

/** How many data exports were open at once at most, from their request to the last look at them. */
async function mostExportsAtOnce(sandbox: Sandbox): Promise<number> {
  const response = await fetch(`${sandbox.baseUrl}/_sandbox/requests`);
  const requests = (await response.json()) as { method: string; path: string }[];
  const lastLook = new Map<string, number>();
  const asked: number[] = [];
  for (const [at, { method, path }] of requests.entries()) {
    const match = /\/data_exports(?:\/(\w+))?$/.exec(path);
    if (match?.[1] !== undefined) lastLook.set(match[1], at);
    else if (match && method === 'POST') asked.push(at);
  }
  const ended = [...lastLook.values()];
  expect(ended).toHaveLength(asked.length);
  return Math.max(
    ...asked.map((at) => asked.filter((one) => one <= at).length - ended.filter((one) => one < at).length),
  );
}

test('a project with stalled downloads does not delay another project', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=2,crawls=3,pages=20,columns=8,seed=71'] });
  const folder = await rawProjectFolder();
  const first = await runProject(await rawProjectFolder(), sandbox, { pipelines: PIPELINES });
  const byProject = Map.groupBy(first.report.units, (unit) => unit.source.project_id);
  const [slow = [], quick = []] = [...byProject.values()].map((units) => units.map((one) => one.unit));
  expect([slow.length, quick.length]).toEqual([3, 3]);

  const stop = new AbortController();
  const loaded: string[] = [];
  const options: RunOptions = {
    pipelines: PIPELINES,
    environment: { CRAWLHOUSE_CONCURRENCY: '3' },
    signal: stop.signal,
    progress(text) {
      const unit = quick.find((one) => text.includes(one) && text.includes('loaded'));
      if (unit) loaded.push(unit);
      if (loaded.length === quick.length) stop.abort(new CrawlhouseError('interrupted', 'enough'));
    },
  };
  const ids = slow.map((unit) => unit.split('/')[1]).join('|');
  await setFaults(sandbox, [{ match: { path: `(${ids}).*export=true` }, kind: 'stall' }]);
  const second = await runProject(folder, sandbox, options);
  expect(second.exitCode).toBe(130);
  expect(loaded.toSorted()).toEqual(quick.toSorted());

  await clearFaults(sandbox);
  const third = await runProject(folder, sandbox, { pipelines: PIPELINES });
  expect(third.exitCode).toBe(0);
  expect(third.report.units.map((one) => one.unit).toSorted()).toEqual(slow.toSorted());
});

test('the number of units with a data export in one store is limited', async () => {
  const most: number[] = [];
  for (const allowed of ['1', '4']) {
    const sandbox = await sandboxFor({ generate: ['projects=1,crawls=6,pages=20,columns=8,seed=72'] });
    const { exitCode, report } = await runProject(await rawProjectFolder(), sandbox, {
      pipelines: PIPELINES,
      store: 'store_a',
      environment: {
        CRAWLHOUSE_CONCURRENCY: '4',
        CRAWLHOUSE_CONCURRENCY_PER_PROJECT: '4',
        CRAWLHOUSE_CONCURRENCY_PER_STORE: allowed,
      },
    });
    expect([exitCode, report.units.map(({ route, status }) => `${route} ${status}`)]).toEqual([
      0,
      Array(6).fill('export loaded'),
    ]);
    most.push(await mostExportsAtOnce(sandbox));
  }
  expect(most).toEqual([1, expect.toSatisfy((many: number) => many > 1)]);
});
