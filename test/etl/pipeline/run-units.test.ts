import { expect, onTestFinished, test } from 'vitest';
import { printBlocks } from '../../../src/app/answers/presentation/print-blocks.ts';
import { readStatus } from '../../../src/app/operations/status/read-status.ts';
import { statusBlocks } from '../../../src/app/operations/status/status-blocks.ts';
import { statusFacts } from '../../../src/app/operations/status/status-facts.ts';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { CrawlhouseError } from '../../../src/core/errors/errors.ts';
import { clearFaults, rawProjectFolder, runProject, sandboxFor, setFaults } from '../../support/project.ts';

const PAGES = { pipelines: ['crawl_pages'] } as const;

async function runOf(crawls: number, ...faults: object[]) {
  const sandbox = await sandboxFor({ generate: [`crawls=${crawls},pages=5,links=5,columns=8,seed=3`] });
  const folder = await rawProjectFolder();
  await setFaults(sandbox, faults);
  return { sandbox, folder, ...(await runProject(folder, sandbox, PAGES)) };
}

test('a refused unit does not delay others, and the next run loads it alone', async () => {
  const refused = { match: { path: 'export=true' }, kind: 'status', status: 400, times: 1 };
  const { sandbox, folder, exitCode, report } = await runOf(3, refused);
  expect(report.units.map(({ status }) => status).sort()).toEqual(['loaded', 'loaded', 'refused']);
  expect(exitCode).not.toBe(0);
  const again = await runProject(folder, sandbox, PAGES);
  expect(again.report.units.map(({ status }) => status)).toEqual(['loaded']);
});

test('no further unit starts after rejected credentials, and the report lists the untried units', async () => {
  const { exitCode, report } = await runOf(12, {
    match: { path: 'export=true' },
    kind: 'status',
    status: 401,
  });
  expect(exitCode).toBe(5);
  const tried = report.units.filter(({ attempts }) => attempts > 0);
  expect([report.units.length, tried.length < 12]).toEqual([12, true]);
  const untried = report.units.filter((one) => !tried.includes(one));
  expect(untried.map(({ error }) => error?.message)).toEqual(
    untried.map(() => expect.stringMatching(/^not tried, because the run ended: POST .* 401/)),
  );
  expect(report.units.every(({ status }) => status === 'failed')).toBe(true);
});

test('a unit that cannot be loaded is reported once while the reason stays the same', async () => {
  const sandbox = await sandboxFor({ generate: ['crawls=1,pages=5,links=5,columns=8,seed=3'] });
  const folder = await rawProjectFolder();
  const logs = { pipelines: ['log_events'] } as const;
  const first = await runProject(folder, sandbox, logs);
  expect(first.report.units.map(({ status }) => status)).toEqual(['skipped']);
  expect((await runProject(folder, sandbox, logs)).report.units).toEqual([]);
});

test('rows of a package left by an earlier run count in the progress', async () => {
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

test('interrupted units are due and do not fail, so the status reports no problem', async () => {
  const sandbox = await sandboxFor({ generate: ['crawls=2,pages=50,links=5,columns=8,seed=3'] });
  const folder = await rawProjectFolder();
  await setFaults(sandbox, [{ match: { path: 'export=true' }, kind: 'stall', after_bytes: 100 }]);
  onTestFinished(() => clearFaults(sandbox));
  const ended = new AbortController();
  const endAtDownload = (text: string): void => {
    if (/\] .*\bdownload\b/.test(text)) ended.abort(new CrawlhouseError('interrupted', 'ended by the test'));
  };
  const { exitCode, report } = await runProject(folder, sandbox, {
    ...PAGES,
    signal: ended.signal,
    progress: endAtDownload,
  });
  expect([exitCode, report.units.map(({ error }) => error?.code)]).toEqual([
    130,
    expect.arrayContaining(['interrupted']),
  ]);
  const status = await readStatus(await loadSettings(folder, {}), Date.now());
  expect(status.incidents).toEqual([]);
  expect(status.units.filter((one) => ['failed', 'refused'].includes(one.status))).toEqual([]);
  expect(printBlocks(statusBlocks(statusFacts(status, []), Date.now()), { indent: 2 })).toMatch(
    /^Nothing is wrong\.\n(?!.*Units that fail)/s,
  );
  await clearFaults(sandbox);
  const next = await runProject(folder, sandbox, PAGES);
  expect(next.report.units.map((one) => [one.status, one.attempts])).toEqual([
    ['loaded', expect.any(Number)],
    ['loaded', expect.any(Number)],
  ]);
});
