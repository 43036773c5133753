import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  crawlhouse,
  differences,
  published,
  rawProjectFolder,
  runProject,
  sandboxFor,
} from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const DAY = 86_400_000;
const TABLES = ['crawl_pages', 'log_pages_days', 'ranking_performance'];

/** A folder that keeps one crawl of a project. */
async function folderOfOne(): Promise<string> {
  const folder = await rawProjectFolder();
  const file = join(folder, 'pipelines', 'crawl_pages.yaml');
  await writeFile(file, `${await readFile(file, 'utf8')}\nkeep: { crawls: 1 }\n`);
  return folder;
}

test('a clock set back drops no crawl within keep, and loses no day of since or reload_last', async () => {
  const sandbox = await sandboxFor({
    generate: ['projects=1,crawls=4,pages=20,columns=8,log_days=12,events=300,ranking_days=12,seed=8'],
  });
  // Two days after the last generated crawl, and half a week before the one that `since` takes first.
  const real = Date.parse('2025-01-29T06:00:00Z');
  const from = Date.parse('2025-01-18T00:00:00Z');
  const connection = await temporaryConnection(await temporaryFolder());
  const run = async (folder: string, now: number) => {
    vi.useFakeTimers({ toFake: ['Date'], now });
    onTestFinished(() => void vi.useRealTimers());
    const { report, exitCode, errors } = await runProject(folder, sandbox, { pipelines: TABLES, from });
    vi.useRealTimers();
    expect([exitCode, errors]).toEqual([0, []]);
    return report.units.filter(({ status }) => status === 'loaded').length;
  };
  const days = (folder: string) =>
    published(
      connection,
      folder,
      `SELECT DISTINCT dataset, source_id, window_from FROM ops.loads WHERE NOT starts_with(dataset, 'crawl_over') ORDER BY ALL`,
    );
  const calm = await folderOfOne();
  expect(await run(calm, real)).toBeGreaterThan(10);

  const folder = await folderOfOne();
  const first = await run(folder, real - 5 * DAY);
  const before = await days(folder);
  expect(await run(folder, real)).toBeGreaterThan(3);
  expect(first).toBeGreaterThan(3);
  const whole = await days(folder);
  expect(whole).toEqual(await days(calm));
  expect(whole).toEqual(expect.arrayContaining(before));
  for (const back of [3 * DAY, 400 * DAY, 0]) {
    await run(folder, real - back);
    expect([back, await days(folder)]).toEqual([back, whole]);
  }
  for (const table of TABLES)
    expect([table, await differences(connection, calm, folder, table)]).toEqual([table, 0n]);
});

/** The program with a clock that is ahead of that of this machine, and so its own service's; Node dates its answers itself. */
const ahead = (days: number): Readonly<Record<string, string>> => {
  const clock = `import { ServerResponse } from 'node:http';
    const { writeHead } = ServerResponse.prototype;
    ServerResponse.prototype.writeHead = function (...head) {
      this.sendDate = false;
      return writeHead.apply(this, head);
    };
    const Now = Date; const now = () => Now.now() + ${days * DAY};
    globalThis.Date = class extends Now {
      constructor(...time) { super(...(time.length > 0 ? time : [now()])); }
      static now() { return now(); }
    };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(clock)}` };
};

test('periods loaded too early by a wrong clock are corrected once the clock is right', async () => {
  const folder = await rawProjectFolder();
  const connection = await temporaryConnection(folder);
  const today = new Date().toUTCString();
  const day = `${today.slice(5, 16).replaceAll(' ', '/')}:00:00`;
  const add = async (name: string, hits: number, environment: Readonly<Record<string, string>>) => {
    const line = (hit: number) =>
      `66.249.66.1 - - [${day}:00 +0000] "GET /${name}-${hit} HTTP/1.1" 200 5 "-" "Googlebot/2.1"\n`;
    await writeFile(join(folder, name), Array.from({ length: hits }, (_, hit) => line(hit)).join(''));
    const argv = ['logs', 'add', name, '--site', 'https://shop.example/'];
    const { status, stderr } = await crawlhouse(folder, null, argv, environment);
    expect([status, stderr]).toEqual([0, expect.any(String)]);
    const hits_of = (span: string) => `(SELECT sum(hits)::INTEGER FROM raw.log_pages_${span}) AS ${span}`;
    return published(connection, folder, `SELECT ${['days', 'weeks', 'months'].map(hits_of).join(', ')}`);
  };
  expect(await add('first', 8, ahead(40))).toEqual([{ days: 8, weeks: 8, months: 8 }]);
  // None of the periods has ended: those that the service counts at their end show nothing until then.
  expect(await add('second', 4, {})).toEqual([{ days: 12, weeks: null, months: null }]);
  expect(await add('third', 1, ahead(40))).toEqual([{ days: 13, weeks: 13, months: 13 }]);
});
