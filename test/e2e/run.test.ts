import { expect, test } from 'vitest';
import type { RunResult } from '../../src/etl/project/model/runs/run-result.ts';
import { projectFolder, requestCount, runProject, sandboxFor } from '../support/project.ts';

const statusOf = ({ report }: RunResult, status: string) =>
  report.units.filter((unit) => unit.status === status);

const SMALL = 'projects=1,crawls=2,pages=40,links=150,columns=20,seed=3';

test('a run counts every row from the service to the query, and a second one does nothing', async () => {
  const sandbox = await sandboxFor({ generate: [SMALL] });
  const folder = await projectFolder();
  const first = await runProject(folder, sandbox);
  expect(first.exitCode).toBe(0);
  const [loaded, skipped] = [statusOf(first, 'loaded'), statusOf(first, 'skipped')];
  expect(loaded.length + skipped.length).toBe(first.report.units.length);
  // Two crawls with five data types each, five lists of the workspace, three of the project.
  expect(loaded.length).toBe(2 * 5 + 5 + 3);
  expect(skipped.map((unit) => unit.error?.message)).toEqual([
    ...Array(4).fill('the project has no log monitoring'),
    'the project has no ranking performance',
  ]);
  for (const { unit, counts } of loaded) {
    const { reported, received, staged, rejected, loaded: rows, queryable } = counts;
    expect([unit, received, staged, rows, queryable, rejected]).toEqual([
      unit,
      received,
      received,
      received,
      received,
      0,
    ]);
    expect([unit, reported ?? received]).toEqual([unit, received]);
  }
  const rows = first.report.units
    .filter((unit) => unit.dataset === 'crawl_links')
    .map((unit) => unit.counts.queryable);
  expect(rows).toEqual([150, 150]);
  expect(first.report.tests.every((one) => one.status === 'passed')).toBe(true);

  const before = await requestCount(sandbox);
  const second = await runProject(folder, sandbox);
  expect(second.report.units.map((unit) => unit.status)).toEqual(Array(8).fill('unchanged'));
  expect(second.report.models.every((model) => model.status === 'unchanged')).toBe(true);
  expect((await requestCount(sandbox)) - before).toBeLessThanOrEqual(10);
});
