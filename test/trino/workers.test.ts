import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { loadSettings } from '../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { stringifyJson } from '../../src/core/text/json.ts';
import { RelationNames } from '../../src/etl/engines/trino/client/relation-names.ts';
import { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import { vacuumRows } from '../../src/etl/engines/trino/rows/vacuum-rows.ts';
import { WorkingCopy } from '../../src/etl/engines/working-copy.ts';
import { loadPackage } from '../../src/etl/pipeline/load/load-package.ts';
import { type Package, readPackage } from '../../src/etl/pipeline/load/read-package.ts';
import { LoadWriter } from '../../src/etl/pipeline/workers/load-writer.ts';
import { describeTables } from '../../src/etl/pipeline/workers/run-tables.ts';
import type { Sandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { startSandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { openServer } from '../core/stores/store-server.ts';
import { openDatabase } from '../etl/engines/open-working.ts';
import { fields, makePackage, type PackageSpec } from '../etl/pipeline/load/make-package.ts';
import { type LedgerServer, startLedgerServer } from '../support/ledger-server.ts';
import { clearFaults, crawlhouse, rawProjectFolder, setFaults } from '../support/project.ts';
import { sharedFolder, temporaryFolder } from '../support/temporary.ts';
import { bucketCredentials, trinoSettings } from '../support/trino-settings.ts';
import { watchedS3 } from '../support/watched-s3.ts';
import { GENERATE, type Machine, RUN, TABLES, workerScene } from '../support/worker-scene.ts';
import { expectSameOnTrino, onTrino } from '../support/workers-on-trino.ts';

const trino = inject('trino');
const { signal } = new AbortController();
const client = new TrinoClient({ url: trino.url, user: 'test', catalog: trino.catalog });
const newPrefix = (): string => `w${randomUUID().slice(0, 8)}_`;
const alone = newPrefix();
const shared = sharedFolder();
let postgres: LedgerServer;
let sandbox: Sandbox;

beforeAll(async () => {
  [postgres, sandbox] = await Promise.all([startLedgerServer(), startSandbox({ generate: GENERATE })]);
  const folder = await projectOn(alone, shared);
  const ran = await crawlhouse(folder, sandbox, RUN, bucketCredentials(trino));
  expect([ran.status, ran.stderr]).toEqual([0, expect.anything()]);
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await sandbox?.close();
  await postgres?.[Symbol.asyncDispose]();
});

async function projectOn(prefix: string, parent?: string): Promise<string> {
  const folder = await rawProjectFolder(parent);
  await writeFile(join(folder, 'crawlhouse.yaml'), trinoSettings(trino, prefix));
  return folder;
}

const expectSame = (prefix: string): Promise<void> => expectSameOnTrino(client, prefix, alone);

/** Objects of rows that have come with loads. */
async function loads(prefix: string): Promise<string[]> {
  const bucket = await openServer({ kind: 'store_b', bucket: trino.bucket, ...trino.s3 });
  try {
    const listed = await Array.fromAsync(bucket.list(`rows/${prefix}/raw/`, signal));
    return listed
      .map(({ key }) => key)
      .filter((key) => TABLES.some((one) => key.includes(`raw/${one}/data/unit=`)));
  } finally {
    await bucket[Symbol.asyncDispose]();
  }
}

const slow = (rate = 10_000) =>
  setFaults(sandbox, [{ match: { path: 'export=true' }, kind: 'slow', bytes_per_second: rate }]);

test('workers write the loads, and the run registers them without reading their rows', async () => {
  const prefix = newPrefix();
  const watched = await watchedS3(trino.s3.endpoint);
  const scene = await workerScene(postgres, sandbox, prefix, onTrino(trino, prefix, watched.endpoint));
  const asked = (pattern: RegExp): string[] => watched.requests.filter((one) => pattern.test(one));
  const written = (): number => asked(/^PUT .*\/raw\/crawl_\w+\/data\/unit=/).length;
  const prepared = (): number => asked(/^GET .*\/prepared\.json/).length;
  await slow();
  const workers = [await scene.worker(), await scene.worker()];
  const first = scene.run();
  const code = await first.ended;
  expect(code, first.said.text).toBe(0);
  // Iceberg makes no table where files are: the first load of each is the run's.
  expect([written() + prepared(), written() >= TABLES.length]).toEqual([8, true]);
  await expectSame(prefix);
  const before = {
    staged: staged(workers),
    written: written(),
    prepared: prepared(),
    parts: asked(PARTS).length,
  };
  const again = scene.reload();
  expect([await again.ended, again.said.text]).toEqual([0, expect.anything()]);
  await clearFaults(sandbox);
  const byWorkers = staged(workers) - before.staged;
  expect(byWorkers).toBeGreaterThan(3);
  expect(asked(PARTS)).toHaveLength(before.parts);
  expect([prepared() - before.prepared, written() - before.written]).toEqual([byWorkers, 8 - byWorkers]);
  expect([await scene.queue(), await scene.objects()]).toEqual([[], []]);
  expect(await loads(prefix)).toHaveLength(16);
  await expectSame(prefix);
});

const PARTS = /^GET .*\/parts\//;
const staged = (workers: readonly Machine[]): number =>
  workers.flatMap(({ said }) => said.text.match(/unit staged/g) ?? []).length;

test('a worker killed after its upload leaves a file that housekeeping removes', async () => {
  const prefix = newPrefix();
  const scene = await workerScene(postgres, sandbox, prefix, onTrino(trino, prefix));
  const filled = scene.run();
  expect([await filled.ended, filled.said.text]).toEqual([0, expect.anything()]);
  const former = new Set(await loads(prefix));
  await slow(4_000);
  const victim = await scene.worker();
  const run = scene.reload();
  await victim.heard(/unit claimed/);
  run.child.kill('SIGSTOP');
  await victim.heard(/unit staged/);
  victim.child.kill('SIGKILL');
  const isIts = `worker LIKE 'crawlhouse worker (process ${victim.child.pid} on %'`;
  // As if it had been killed before it said that it was done.
  await postgres.admin(
    `UPDATE crawlhouse.queue SET status = 'claimed', until = now() WHERE project = '${prefix}' AND ${isIts}`,
    'ledgers',
  );
  const lost = (await loads(prefix)).filter((key) => !former.has(key));
  expect(lost.length, `${victim.said.text}\n${run.said.text}`).toBeGreaterThan(0);
  run.child.kill('SIGCONT');
  expect([await run.ended, run.said.text]).toEqual([0, expect.anything()]);
  await clearFaults(sandbox);
  await expectSame(prefix);
  expect(await loads(prefix)).toEqual(expect.arrayContaining(lost));
  const relations = TABLES.map((table) => `raw.${table}`);
  const names = new RelationNames(prefix);
  await vacuumRows({ client, catalog: trino.catalog, names, relations, grace: '0s', check: async () => {} });
  expect((await loads(prefix)).filter((key) => lost.includes(key))).toEqual([]);
  await expectSame(prefix);
});

test('an outdated load file is written again by the run, and every other one is used unchanged', async () => {
  const prefix = newPrefix();
  const folder = await projectOn(prefix);
  Object.assign(process.env, bucketCredentials(trino));
  const settings = await loadSettings(folder, { CRAWLHOUSE_BASE_URL: sandbox.baseUrl });
  const database = await openDatabase(folder);
  const { warehouse, engine } = settings;
  const working = await WorkingCopy.open(
    database,
    { stateDir: settings.state_dir, warehouse, engine },
    silentLogger,
  );
  onTestFinished(() => working[Symbol.asyncDispose]());
  const own = await openDatabase(await temporaryFolder());
  const writer = await LoadWriter.open(settings.engine, own, await temporaryFolder());
  if (writer === null) return expect.unreachable();
  onTestFinished(() => writer[Symbol.asyncDispose]());
  const staging = await own.connect();
  const parent = await temporaryFolder();
  const staged = async (id: string, rows: PackageSpec['rows'], spec = fields('url', 'n natural')) =>
    readPackage(await makePackage(staging, parent, { id, fields: spec, rows }));
  const tell = async () =>
    stringifyJson(
      await describeTables({ working, fieldsRead: () => new Map(), signal }, new Set(['crawl_pages'])),
    );
  const prepare = async (one: Package, runId: string, tables: string) =>
    writer.write(
      {
        runId,
        schemaChange: 'evolve',
        staged: one,
        tables: async () => tables,
        pipeline: { dataset: 'crawl_pages' } as never,
      },
      signal,
    );
  const options = (runId: string) => ({ runId, schemaChange: 'evolve' as const, signal });
  const brought: string[] = [];
  const load = async (one: Package, prepared: Awaited<ReturnType<typeof prepare>>, runId: string) => {
    if (prepared === null) return expect.unreachable();
    const bringParts = async (): Promise<void> => {
      brought.push(one.manifest.name);
    };
    return loadPackage(working, { ...one, prepared: { load: prepared, bringParts } }, options(runId));
  };
  // Iceberg makes no table where a file is.
  expect(await prepare(await staged('c0', [{ url: 'a', n: 1 }]), 'run', await tell())).toBeNull();
  await loadPackage(working, await staged('c0', [{ url: '0', n: 0 }]), options('run'));
  const tables = await tell();
  const narrow = await staged('c1', [
    { url: 'a', n: 1 },
    { url: 'b', n: null },
  ]);
  const wide = await staged('c2', [{ url: 'c', n: 123456789012345678901234567890n }]);
  const [first, second] = [await prepare(narrow, 'run', tables), await prepare(wide, 'run', tables)];
  expect(await load(wide, second, 'run')).toMatchObject({ loaded: 1 });
  expect(brought).toEqual([]);
  // Its file has whole numbers of 64 bits, but the column is wider by now.
  expect(await load(narrow, first, 'run')).toMatchObject({ loaded: 2 });
  expect(brought).toEqual(['crawl_pages/c1']);
  const third = await prepare(narrow, 'later', await tell());
  expect(await load(narrow, third, 'later')).toMatchObject({ loaded: 2 });
  expect(brought).toHaveLength(1);
  // Another run would write other rows: their `_run_id` differs.
  expect(await load(narrow, third, 'last')).toMatchObject({ loaded: 2 });
  expect(brought).toHaveLength(2);
  // Its file is gone, or nobody but the worker has ever seen it.
  const fourth = await prepare(wide, 'last', await tell());
  const bucket = await openServer({ kind: 'store_b', bucket: trino.bucket, ...trino.s3 });
  onTestFinished(() => bucket[Symbol.asyncDispose]());
  for await (const object of bucket.list(`rows/${prefix}/raw/`, signal))
    if (fourth && object.key.endsWith(`${fourth.load}.parquet`)) await bucket.remove(object, signal);
  expect(await load(wide, fourth, 'last')).toMatchObject({ loaded: 1 });
  expect(brought.slice(2)).toEqual(['crawl_pages/c2']);
  const names = new RelationNames(prefix);
  const rows = await client.rows(`SELECT url, n, _run_id FROM ${names.work('raw.crawl_pages')} ORDER BY url`);
  expect(rows.map((row) => Object.values(row).map(String).join(' '))).toEqual([
    '0 0 run',
    'a 1 last',
    'b null last',
    'c 123456789012345678901234567890 last',
  ]);
});
