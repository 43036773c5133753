import { expect, test } from 'vitest';
import { CrawlhouseError } from '../../src/core/errors.ts';
import {
  clearFaults,
  type HouseOptions,
  rawProjectFolder,
  runHouse,
  sandboxFor,
  setFaults,
} from '../support/house.ts';

const PIPELINES = ['crawl_pages'];

test('a project whose downloads stand still does not keep another one from its data', {
  timeout: 60_000,
}, async () => {
  const sandbox = await sandboxFor({ generate: ['projects=2,crawls=3,pages=20,columns=8,seed=71'] });
  const folder = await rawProjectFolder();
  const first = await runHouse(await rawProjectFolder(), sandbox, { pipelines: PIPELINES });
  const byProject = Map.groupBy(first.report.units, (unit) => unit.source.project_id);
  const [slow = [], quick = []] = [...byProject.values()].map((units) => units.map((one) => one.unit));
  expect([slow.length, quick.length]).toEqual([3, 3]);

  const stop = new AbortController();
  const loaded: string[] = [];
  const options: HouseOptions = {
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
  const second = await runHouse(folder, sandbox, options);
  expect(second.exitCode).toBe(130);
  expect(loaded.toSorted()).toEqual(quick.toSorted());

  await clearFaults(sandbox);
  const third = await runHouse(folder, sandbox, { pipelines: PIPELINES });
  expect(third.exitCode).toBe(0);
  expect(third.report.units.map((one) => one.unit).toSorted()).toEqual(slow.toSorted());
});
