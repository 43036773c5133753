import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderName } from '../../../src/etl/project/model/column-name.ts';
import { sqliteLedger } from '../../../src/etl/state/ledger/sqlite/sqlite-ledger.ts';
import type { Sandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { faultyProxy, type Strike } from '../../core/stores/faulty-proxy.ts';
import { DataExportDesk } from '../../support/data-exports.ts';
import {
  clearFaults,
  published,
  type RunOptions,
  rawProjectFolder,
  runProject,
  sandboxFor,
  setFaults,
  spawnCrawlhouse,
} from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const PAGES = 60;
/** The same rows under the same ids in every sandbox. */
const DATA = { generate: [`projects=1,crawls=1,pages=${PAGES},columns=20,seed=31`] };
const BY_EXPORT = {
  pipelines: ['crawl_pages'],
  route: 'export',
  format: 'json',
  store: 'store_b',
} as const satisfies RunOptions;
const AGAIN = { ...BY_EXPORT, command: 'backfill', reload: true } as const satisfies RunOptions;

/** A sandbox with one crawl, its data exports, and an empty project folder. */
async function scene(more: { exportObjects?: number } = {}) {
  const sandbox = await sandboxFor({ ...DATA, ...more });
  const desk = new DataExportDesk(sandbox);
  const crawlId = await desk.service.crawlId();
  const prefix = `${folderName(`crawl_pages/${crawlId}`)}/`;
  return { sandbox, desk, crawlId, prefix, folder: await rawProjectFolder() };
}

let undisturbed: readonly unknown[] | undefined;

/** Holds the rows of a warehouse against those of a run that nothing disturbed. */
async function expectUndisturbed(folder: string): Promise<void> {
  if (undisturbed === undefined) {
    const sandbox = await sandboxFor(DATA);
    const other = await rawProjectFolder();
    expect((await runProject(other, sandbox, { pipelines: ['crawl_pages'] })).exitCode).toBe(0);
    undisturbed = await pagesOf(other);
    expect(undisturbed).toHaveLength(PAGES);
  }
  expect(await pagesOf(folder)).toEqual(undisturbed);
}

/** The service's own columns of every row. */
async function pagesOf(folder: string): Promise<readonly unknown[]> {
  const connection = await temporaryConnection(await temporaryFolder());
  const columns = "COLUMNS(name -> NOT starts_with(name, '_'))";
  return published(connection, folder, `SELECT ${columns} FROM raw.crawl_pages ORDER BY ALL`);
}

async function rowsOf(folder: string): Promise<unknown> {
  const connection = await temporaryConnection(await temporaryFolder());
  const [row] = await published(connection, folder, 'SELECT count(*) AS n FROM raw.crawl_pages');
  return row?.n;
}

test.for(['kept', 'lost'] as const)(
  'after a kill between an export and its load, the next run uses the same export, the state directory %s',
  async (state) => {
    const { sandbox, desk, folder } = await scene();
    await setFaults(sandbox, [{ match: { at: 'store_b', method: 'GET' }, kind: 'stall' }]);
    const args = ['run', 'crawl_pages', '--route', 'export', '--format', 'json', '--store', 'store_b'];
    const child = spawnCrawlhouse(folder, sandbox, args);
    const ended = once(child, 'exit');
    await desk.done();
    child.kill('SIGKILL');
    await ended;
    await clearFaults(sandbox);
    if (state === 'lost') await rm(join(folder, '.crawlhouse'), { recursive: true });

    const { exitCode, report } = await runProject(folder, sandbox, BY_EXPORT);
    expect([exitCode, report.units[0]?.route]).toEqual([0, 'export']);
    expect(await desk.asked()).toBe(1);
    await expectUndisturbed(folder);
  },
);

test.for([
  ['run', BY_EXPORT],
  ['reload', AGAIN],
] as const)('an export whose creation got no response is found again, by a %s', async ([, options]) => {
  const { sandbox, desk, folder } = await scene();
  await setFaults(sandbox, [
    { match: { method: 'POST', path: 'data_exports$' }, kind: 'reset', after_bytes: 20, times: 1 },
  ]);
  const { exitCode, report } = await runProject(folder, sandbox, options);
  expect([exitCode, report.units[0]?.attempts]).toEqual([0, 2]);
  expect([await desk.asked(), (await desk.all()).length]).toEqual([1, 1]);
  await expectUndisturbed(folder);
});

test('without a ledger, only an own export with complete objects is reused', async () => {
  const { sandbox, desk, crawlId, folder } = await scene();
  await desk.put(crawlId, 'nightly/pages/');
  const forget = async (): Promise<void> => {
    for (const name of ['.crawlhouse', 'warehouse.duckdb'])
      await rm(join(folder, name), { recursive: true, force: true });
  };
  expect((await runProject(folder, sandbox, BY_EXPORT)).exitCode).toBe(0);
  expect(await desk.asked()).toBe(2);
  await forget();
  const environment = { CRAWLHOUSE_KEEP_EXPORTS: 'never' };
  expect((await runProject(folder, sandbox, { ...BY_EXPORT, environment })).exitCode).toBe(0);
  expect(await desk.asked()).toBe(2);
  // Now its objects are gone, as after any load under that setting.
  await forget();
  const { exitCode, report } = await runProject(folder, sandbox, BY_EXPORT);
  expect([exitCode, report.units[0]?.attempts, await desk.asked()]).toEqual([0, 1, 3]);
  await expectUndisturbed(folder);
});

test('an export with missing objects is replaced with a new one', async () => {
  const { sandbox, desk, folder } = await scene();
  // The service writes to the store, which does not let us in.
  await setFaults(sandbox, [{ match: { at: 'store_b', method: 'GET' }, kind: 'status', status: 403 }]);
  expect((await runProject(folder, sandbox, BY_EXPORT)).exitCode).toBe(3);
  await clearFaults(sandbox);
  const [first] = await desk.all();
  await desk.patch(first?.id ?? '', {
    target_parameters: { ...first?.target_parameters, store_b_prefix: 'gone/' },
  });
  const { exitCode, report } = await runProject(folder, sandbox, BY_EXPORT);
  expect([exitCode, report.units[0]?.attempts]).toEqual([0, 2]);
  expect(await desk.asked()).toBe(2);
  await expectUndisturbed(folder);
});

test('a failed export reports its reason, keeps the previous rows, and the next run requests a new one', async () => {
  const { sandbox, desk, folder } = await scene();
  await runProject(folder, sandbox, { pipelines: ['crawl_pages'] });
  const name = 'keys-of-nobody';
  const value = Buffer.from(JSON.stringify({ access_key: 'nobody', secret_key: 'nothing' })).toString(
    'base64',
  );
  const secret = { name, type: 'store_b_credentials', value };
  await desk.service.api(`/workspaces/${await desk.service.workspace()}/secrets`, { body: { secret } });
  const environment = { CRAWLHOUSE_STORE_B_CREDENTIALS_SECRET: name };
  const { exitCode, report, errors } = await runProject(folder, sandbox, { ...AGAIN, environment });
  expect([exitCode, report.status, report.units[0]?.status]).toEqual([3, 'failed', 'failed']);
  expect(errors[0]).toMatchObject({
    code: 'export_failed',
    message: expect.stringMatching(/ended as FAILED: the upload to store_b \S+ failed: InvalidAccessKeyId/),
  });
  expect([await desk.asked(), await rowsOf(folder)]).toEqual([1, String(PAGES)]);
  expect((await runProject(folder, sandbox, AGAIN)).exitCode).toBe(0);
  expect(await desk.asked()).toBe(2);
  await expectUndisturbed(folder);
});

test.for([
  [
    'BUCKET',
    'nobodys-bucket',
    /^store_b\.bucket: there is no bucket nobodys-bucket.*; the data export .* FAILED/,
  ],
  ['REGION', 'mars-1', /^store_b\.region: .* is not in mars-1 but in eu-west-1.*; the data export .* FAILED/],
] as const)(
  'a %s that the service cannot write to is a configuration error, not retried',
  async ([setting, value, message]) => {
    const { sandbox, desk, folder } = await scene();
    const environment = { [`CRAWLHOUSE_STORE_B_${setting}`]: value };
    const { exitCode, errors } = await runProject(folder, sandbox, { ...BY_EXPORT, environment });
    expect([exitCode, errors[0]?.code]).toEqual([2, 'bad_settings']);
    expect(errors[0]?.message).toMatch(message);
    expect(errors[0]?.hint).toMatch(/^set store_b\./);
    expect((await runProject(folder, sandbox, BY_EXPORT)).exitCode).toBe(0);
    expect(await desk.asked()).toBe(2);
  },
);

test('an export with another row count than the service is refused, and the next run requests another', async () => {
  const { sandbox, desk, crawlId, prefix, folder } = await scene();
  const { id } = await desk.put(crawlId, `${prefix}an-attempt/`);
  await desk.patch(id, { output_row_count: PAGES - 1 });
  const { exitCode, errors } = await runProject(folder, sandbox, BY_EXPORT);
  expect([exitCode, errors[0]?.message]).toEqual([
    4,
    expect.stringContaining(`the service counts ${PAGES} rows, its data export ${id} has ${PAGES - 1}`),
  ]);
  expect((await runProject(folder, sandbox, BY_EXPORT)).exitCode).toBe(0);
  expect(await desk.asked()).toBe(2);
  await expectUndisturbed(folder);
});

test('an export with a missing object is never loaded, and the next run requests another', async () => {
  const { sandbox, desk, crawlId, prefix, folder } = await scene({ exportObjects: 3 });
  await desk.put(crawlId, `${prefix}an-attempt/`);
  const proxy = await faultyProxy(sandbox.ready.store_b.endpoint, () => undefined);
  // Of one object no listing tells: as if it had been deleted.
  const { S3Client, ListObjectsV2Command, DeleteObjectCommand } = await import('@aws-sdk/client-s3');
  const { bucket, region, access_key, secret_key } = sandbox.ready.store_b;
  const credentials = { accessKeyId: access_key, secretAccessKey: secret_key };
  const client = new S3Client({ endpoint: proxy.endpoint, region, credentials, forcePathStyle: true });
  const { Contents: found = [] } = await client.send(
    new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }),
  );
  expect(found).toHaveLength(3);
  await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: found[1]?.Key }));
  client.destroy();
  const { exitCode, errors, report } = await runProject(folder, sandbox, BY_EXPORT);
  expect([exitCode, report.units[0]?.counts.received]).toEqual([4, null]);
  expect(errors[0]?.message).toContain(
    `${PAGES} rows reported by the service, but ${(PAGES / 3) * 2} received`,
  );
  expect((await runProject(folder, sandbox, BY_EXPORT)).exitCode).toBe(0);
  expect(await desk.asked()).toBe(2);
  await expectUndisturbed(folder);
});

test('the next run finishes the cleanup after a load, and a refusal by the store fails nothing', async () => {
  const { sandbox, desk, folder } = await scene();
  const environment = { CRAWLHOUSE_KEEP_EXPORTS: 'never' };
  await setFaults(sandbox, [{ match: { at: 'store_b', method: 'DELETE' }, kind: 'status', status: 403 }]);
  expect((await runProject(folder, sandbox, { ...BY_EXPORT, environment })).exitCode).toBe(0);
  await clearFaults(sandbox);
  const { id } = await desk.done();
  // As a kill leaves it that falls between the load and what comes after.
  await using ledger = sqliteLedger(join(folder, '.crawlhouse'));
  const [job] = await ledger.exports();
  expect(job).toMatchObject({ data_export_id: id, status: 'loaded' });
  await ledger.setExportStatus(job?.unit ?? '', 'DONE');
  expect((await runProject(folder, sandbox, { ...BY_EXPORT, environment })).exitCode).toBe(0);
  expect((await ledger.exports())[0]?.status).toBe('loaded');
  // Its objects are gone: a reload asks for its own.
  expect((await runProject(folder, sandbox, AGAIN)).exitCode).toBe(0);
  expect(await desk.asked()).toBe(2);
  await expectUndisturbed(folder);
});

/** A run whose reads of the store go through a proxy that strikes. */
async function throughProxy(
  { sandbox, folder }: { sandbox: Sandbox; folder: string },
  strike: (request: string, times: number) => Strike | undefined,
  store: 'store_a' | 'store_b' = 'store_b',
) {
  const proxy = await faultyProxy(sandbox.ready[store].endpoint, strike);
  const environment = { [`CRAWLHOUSE_${store.toUpperCase()}_ENDPOINT`]: proxy.endpoint };
  return runProject(folder, sandbox, { ...BY_EXPORT, store, environment });
}

const reads = (request: string): boolean => /x-id=GetObject|alt=media/.test(request);

test.for(['store_a', 'store_b'] as const)(
  'temporary faults of %s are fixed by retries: truncated, busy, replaced since the listing',
  async (store) => {
    const it = await scene();
    const changed = '<?xml version="1.0"?><Error><Code>PreconditionFailed</Code></Error>';
    const strikes: Strike[] = [
      { status: 503, headers: { 'retry-after': '0' }, body: '<Error><Code>SlowDown</Code></Error>' },
      { cutAfter: 1000 },
      { shortBy: 1 },
      { flip: true },
      { status: store === 'store_a' ? 404 : 412, body: changed },
    ];
    let left = 0;
    const result = await throughProxy(it, (request) => (reads(request) ? strikes[left++] : undefined), store);
    // The bytes of two attempts were not those that were listed; the other faults cost no attempt.
    expect([result.exitCode, result.report.units[0]?.attempts]).toEqual([0, 3]);
    expect(left).toBeGreaterThan(strikes.length);
    expect(await it.desk.asked()).toBe(1);
    await expectUndisturbed(it.folder);
  },
);

test('invalid store settings are named, and rejected credentials exit with 3', async () => {
  const { sandbox, desk, crawlId, prefix, folder } = await scene();
  await desk.put(crawlId, `${prefix}an-attempt/`);
  const settings = async (environment: Record<string, string>) => {
    const { exitCode, errors } = await runProject(folder, sandbox, { ...BY_EXPORT, environment });
    await rm(join(folder, '.crawlhouse'), { recursive: true });
    return [exitCode, errors[0]?.code, errors[0]?.message];
  };
  expect(await settings({ CRAWLHOUSE_STORE_B_BUCKET: 'nobodys-bucket' })).toEqual([
    2,
    'bad_settings',
    expect.stringMatching(/^store_b\.bucket: there is no bucket nobodys-bucket/),
  ]);
  expect(await settings({ CRAWLHOUSE_STORE_B_REGION: 'mars-1' })).toEqual([
    2,
    'bad_settings',
    expect.stringMatching(/^store_b\.region: .* is not in mars-1/),
  ]);
  const [exitCode, code, message] = await settings({ AWS_SECRET_ACCESS_KEY: 'not-the-secret' });
  expect([exitCode, code]).toEqual([3, 'store_access']);
  expect(message).not.toContain('not-the-secret');
  expect(await desk.asked()).toBe(1);
});
