import { once } from 'node:events';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { type Connection, ident, text } from '../../../src/core/duckdb/duckdb.ts';
import { sqliteLedger } from '../../../src/etl/state/ledger/sqlite/sqlite-ledger.ts';
import { startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { missed, project } from '../../app/operations/schedule/service.ts';
import {
  clearFaults,
  crawlhouse,
  crawlhouseProcess,
  environmentOf,
  setFaults,
} from '../../support/project.ts';
import { ALL_ROUNDS, roundSeed, seededRandom } from '../../support/random.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';
import { until } from '../../support/until.ts';

const PAGES = 20;
const DATASETS = ['crawl_pages', 'crawl_links'];
const sandbox = await startSandbox({
  generate: [`projects=1,crawls=3,pages=${PAGES},links=40,columns=12,seed=6`],
});
afterAll(() => sandbox.close());

const REFUSED =
  / is in use by (?:crawlhouse \w+ \(process \d+ on .*\)|another process).*(?:Try: |hint=")wait until it ends/s;
const BACKFILL = ['backfill', '--from', '2000-01-01', '--to', '2100-01-01'];

/** The crawls that are due, by the time of their end. */
async function dueCrawls(folder: string): Promise<string[]> {
  const { stdout } = await crawlhouse(folder, sandbox, ['discover', '--json']);
  return [...new Set([...stdout.matchAll(/"crawl_pages\/([^"/]+)"/g)].map(([, id]) => id ?? ''))];
}

/** The program, and how it ends. */
function started(folder: string, argv: readonly string[]) {
  const child = crawlhouseProcess(folder, argv, environmentOf(sandbox));
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout.resume();
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    said += piece;
  });
  const ended = once(child, 'exit').then(([code]) => ({ argv, code: code as number | null, stderr: said }));
  return { child, ended, said: () => said };
}

/** What a published warehouse has: the units, and each table's rows without those columns that tell of their loading. */
async function contentOf(connection: Connection, file: string): Promise<unknown> {
  await connection.run(`ATTACH ${text(file)} AS published (READ_ONLY)`);
  try {
    const tables = await connection.rows<{ name: string }>(
      `SELECT table_name AS name FROM duckdb_tables() WHERE database_name = 'published' AND schema_name = 'raw'`,
    );
    const found: Record<string, unknown> = {};
    for (const name of DATASETS.filter((one) => tables.some((table) => table.name === one)))
      found[name] = await connection.jsonRows(
        `SELECT count(*) AS rows, sum(CAST(hash(own) AS HUGEINT)) AS content
         FROM (SELECT COLUMNS(name -> name = '_source_id' OR NOT starts_with(name, '_')) FROM published.raw.${ident(name)}) AS own`,
      );
    found.units = await connection.jsonRows(
      `SELECT unit, status FROM published.ops.units WHERE dataset IN ('crawl_pages', 'crawl_links') ORDER BY ALL`,
    );
    return found;
  } finally {
    await connection.run('DETACH published');
  }
}

test(`two concurrent writing commands end as if run in sequence, or one is refused with a message (seed ${roundSeed()})`, async () => {
  const base = await project();
  const [crawl = ''] = await dueCrawls(base);
  expect(await started(base, ['run', 'crawl_pages', '--crawl', crawl]).ended).toMatchObject({ code: 0 });
  await missed(base);
  const writers = [
    ['run'],
    BACKFILL,
    ['schedule', '--once'],
    ['transform'],
    ['drop', '--yes', '--crawl', crawl],
    ['backup', 'copy.duckdb', '--overwrite'],
  ];
  // A second drop of the same finds nothing.
  const pairs = writers
    .flatMap((one, index) => writers.slice(index).map((other) => [one, other] as const))
    .filter((pair) => pair.some(([name]) => name !== 'drop'));
  const random = seededRandom(roundSeed());
  const shuffled = pairs.map((pair) => [random(), pair] as const).sort(([a], [b]) => a - b);
  const connection = await temporaryConnection(await temporaryFolder());
  const copied = async (): Promise<string> => {
    const folder = join(await temporaryFolder(), 'copy');
    await cp(base, folder, { recursive: true });
    return folder;
  };
  for (const [, pair] of shuffled.slice(0, ALL_ROUNDS ? pairs.length : 6)) {
    const folder = await copied();
    const ends = await Promise.all(pair.map((argv) => started(folder, argv).ended));
    expect(ends.map(({ code }) => code)).toContain(0);
    for (const { argv, code, stderr } of ends.filter((one) => one.code !== 0)) {
      expect([pair, code, stderr]).toEqual([pair, 6, expect.stringMatching(REFUSED)]);
      expect([pair, await started(folder, argv).ended]).toEqual([pair, expect.objectContaining({ code: 0 })]);
    }
    const orders: unknown[] = [];
    for (const order of [pair, pair.toReversed()]) {
      const calm = await copied();
      for (const argv of order) expect(await started(calm, argv).ended).toMatchObject({ code: 0 });
      orders.push(await contentOf(connection, join(calm, 'warehouse.duckdb')));
      await rm(calm, { recursive: true });
    }
    const found = await contentOf(connection, join(folder, 'warehouse.duckdb'));
    expect([pair, orders]).toEqual([pair, expect.arrayContaining([found])]);
    if (pair.some(([name]) => name === 'backup')) await contentOf(connection, join(folder, 'copy.duckdb'));
  }
});

test('other commands wait for a stopped process with the lock, or are refused with a message, and it loses nothing', async () => {
  const folder = await project();
  const due = await dueCrawls(folder);
  expect(await started(folder, ['run', 'crawl_pages', '--crawl', due[0] ?? '']).ended).toMatchObject({
    code: 0,
  });
  await missed(folder);
  await setFaults(sandbox, [{ match: { path: 'pages.*export=true' }, kind: 'slow', bytes_per_second: 500 }]);
  onTestFinished(() => clearFaults(sandbox));
  const stopped = started(folder, ['run', 'crawl_pages']);
  await until(async () => {
    await using ledger = sqliteLedger(join(folder, '.crawlhouse'));
    return (await ledger.units()).some(({ status }) => status === 'downloading') || undefined;
  });
  stopped.child.kill('SIGSTOP');
  await clearFaults(sandbox);
  const names = `is in use by crawlhouse run (process ${stopped.child.pid} on `;
  for (const argv of [
    ['run'],
    ['schedule', '--once'],
    ['transform'],
    ['drop', '--yes', '--crawl', due[0] ?? ''],
  ])
    expect(await started(folder, argv).ended).toEqual({
      argv,
      code: 6,
      stderr: expect.stringContaining(names),
    });
  for (const argv of [
    ['status'],
    ['query', 'SELECT count(*) FROM raw.crawl_pages'],
    ['backup', 'copy.duckdb'],
  ])
    expect(await started(folder, argv).ended).toMatchObject({ argv, code: 0 });
  const waiting = started(folder, BACKFILL);
  await until(async () => waiting.said().includes('waiting for the state lock') || undefined);
  // Whatever it waited for is long over when it goes on.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(waiting.child.exitCode).toBeNull();
  stopped.child.kill('SIGCONT');
  expect(await stopped.ended).toMatchObject({ code: 0 });
  expect(await waiting.ended).toMatchObject({ code: 0 });
  const calm = await project();
  expect(await started(calm, BACKFILL).ended).toMatchObject({ code: 0 });
  const connection = await temporaryConnection(await temporaryFolder());
  expect(await contentOf(connection, join(folder, 'warehouse.duckdb'))).toEqual(
    await contentOf(connection, join(calm, 'warehouse.duckdb')),
  );
  await contentOf(connection, join(folder, 'copy.duckdb'));
});
