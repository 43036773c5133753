import { expect, test } from 'vitest';
import { CrawlhouseError } from '../../src/core/errors.ts';
import { rawProjectFolder, runProject, sandboxFor, setFaults } from '../support/project.ts';

const PAGES = { pipelines: ['crawl_pages'] } as const;

async function runOf(crawls: number, ...faults: object[]) {
  const sandbox = await sandboxFor({ generate: [`crawls=${crawls},pages=5,links=5,columns=8,seed=3`] });
  const folder = await rawProjectFolder();
  await setFaults(sandbox, faults);
  return { sandbox, folder, ...(await runProject(folder, sandbox, PAGES)) };
}

test('a unit that is refused keeps no other back, and the next run loads it alone', async () => {
  const refused = { match: { path: 'export=true' }, kind: 'status', status: 400, times: 1 };
  const { sandbox, folder, exitCode, report } = await runOf(3, refused);
  expect(report.units.map(({ status }) => status).sort()).toEqual(['loaded', 'loaded', 'refused']);
  expect(exitCode).not.toBe(0);
  const again = await runProject(folder, sandbox, PAGES);
  expect(again.report.units.map(({ status }) => status)).toEqual(['loaded']);
});

test('an answer that lets us in no more ends the rest of the run', async () => {
  const { exitCode, report } = await runOf(12, {
    match: { path: 'export=true' },
    kind: 'status',
    status: 401,
  });
  expect(exitCode).toBe(5);
  expect(report.units.length).toBeLessThan(12);
  expect(report.units.every(({ status }) => status === 'failed')).toBe(true);
});

test('a unit that can’t be loaded is reported once, not again while the reason stays', async () => {
  const sandbox = await sandboxFor({ generate: ['crawls=1,pages=5,links=5,columns=8,seed=3'] });
  const folder = await rawProjectFolder();
  const logs = { pipelines: ['log_events'] } as const;
  const first = await runProject(folder, sandbox, logs);
  expect(first.report.units.map(({ status }) => status)).toEqual(['skipped']);
  expect((await runProject(folder, sandbox, logs)).report.units).toEqual([]);
});

test('rows of a package that an earlier run has left count in the progress', async () => {
  const sandbox = await sandboxFor({ generate: ['crawls=1,pages=5,links=5,columns=8,seed=3'] });
  const folder = await rawProjectFolder();
  const ended = new AbortController();
  const endAtLoad = (text: string): void => {
    if (/\] .*\bload\b/.test(text)) ended.abort(new CrawlhouseError('interrupted', 'ended by the test'));
  };
  const first = await runProject(folder, sandbox, { ...PAGES, signal: ended.signal, progress: endAtLoad });
  expect(first.report.units.map(({ status }) => status)).not.toContain('loaded');
  const said: string[] = [];
  const second = await runProject(folder, sandbox, { ...PAGES, progress: (text) => said.push(text) });
  expect(second.report.units.map(({ status }) => status)).toEqual(['loaded']);
  expect(said.at(-1)).toContain(' · 5 rows');
});
