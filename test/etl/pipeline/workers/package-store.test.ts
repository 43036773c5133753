import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { openConfiguredStore } from '../../../../src/core/stores/registry.ts';
import { readPackage } from '../../../../src/etl/pipeline/load/read-package.ts';
import { unitFolders } from '../../../../src/etl/pipeline/stage/unit-folders.ts';
import { PackageStore, removePublishedPackages } from '../../../../src/etl/pipeline/workers/package-store.ts';
import type { PreparedLoad } from '../../../../src/etl/project/model/prepared-load.ts';
import { environmentOf, rawProjectFolder, sandboxFor } from '../../../support/project.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { packageProject, signal } from '../package-project.ts';

/** A bucket of S3, and packages of one queue in it. */
async function bucket() {
  const sandbox = await sandboxFor({});
  const environment = environmentOf(sandbox, { CRAWLHOUSE_PACKAGES_STORE: 'store_b' });
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) process.env[name] = environment[name];
  const settings = await loadSettings(await rawProjectFolder(), environment);
  const place = settings.packages ?? { store: 'store_b', prefix: '' };
  const store = await openConfiguredStore(settings, 'store_b');
  onTestFinished(() => store[Symbol.asyncDispose]());
  const queue = randomUUID();
  const packages = await PackageStore.open(settings, place, queue);
  onTestFinished(() => packages[Symbol.asyncDispose]());
  const keys = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { key } of store.list('packages/', signal))
      found.push(key.replace(`packages/${queue}/`, ''));
    return found;
  };
  return { settings, store, queue, packages, keys, folders: unitFolders(await temporaryFolder(), 'u') };
}

test('a package is read back as stored, and removed once it is not needed', async () => {
  const { settings, packages, keys, folders } = await bucket();
  const project = await packageProject();
  const put = await readPackage(await project.make('c1', ['/a', '/b']));
  for (const claim of ['first', 'second']) await packages.put(claim, put, signal);
  const fetched = await packages.fetch('second', folders, signal);
  expect([fetched.folder, fetched.manifest]).toEqual([folders.package, put.manifest]);
  expect((await project.load(fetched.folder)).report.units).toMatchObject([{ status: 'loaded' }]);
  await packages.sweep(async () => new Set(['second']), signal);
  expect(await keys()).toEqual(['second/manifest.json', `second/${put.manifest.parts[0]?.file}`]);
  // Without a shared ledger nobody has put any.
  const logger = { warn: () => expect.unreachable() } as never;
  await removePublishedPackages({ ledger: { offers: null }, settings, logger, signal });
  expect(await keys()).toHaveLength(2);
});

test('a package whose rows are in the warehouse is fetched without parts until they are needed', async () => {
  const { store, queue, packages, keys, folders } = await bucket();
  const project = await packageProject();
  const put = await readPackage(await project.make('c1', ['/a', '/b']));
  const load: PreparedLoad = {
    load: randomUUID(),
    location: 's3://rows/x.parquet',
    rows: 2,
    bytes: 100,
    loaded_at: '2026-11-23T06:00:00.000Z',
    values: [{ target: 'url', type: 'VARCHAR', sql: 'url' }],
  };
  await packages.put('claim', put, signal, load);
  expect((await keys()).sort()).toEqual([
    'claim/manifest.json',
    ...put.manifest.parts.map(({ file }) => `claim/${file}`),
    'claim/prepared.json',
  ]);
  const fetched = await packages.fetch('claim', folders, signal, true);
  expect([fetched.manifest, fetched.prepared?.load]).toEqual([put.manifest, load]);
  const present = put.manifest.parts.map(({ file }) => existsSync(join(fetched.folder, file)));
  // On disk, only a whole package has a manifest.
  expect([present, existsSync(join(fetched.folder, 'manifest.json'))]).toEqual([[false], false]);
  await fetched.prepared?.bringParts();
  expect((await readPackage(fetched.folder)).manifest).toEqual(put.manifest);
  // A run whose warehouse is a file takes the parts.
  const whole = await packages.fetch('claim', folders, signal);
  expect([whole.manifest, whole.prepared]).toEqual([put.manifest, undefined]);
  const folder = await temporaryFolder();
  // Runs of one state directory, and one that the store refused.
  await Promise.all(['run', 'next'].map((run) => packages.putTables(run, '{}', folder, signal)));
  await expect(packages.putTables('run', '{}', folder, AbortSignal.abort())).rejects.toThrow();
  expect(await readdir(folder)).toEqual([]);
  expect([await packages.tables('run', signal), await packages.tables('other', signal)]).toEqual([
    '{}',
    null,
  ]);
  const file = join(folder, 'record');
  await writeFile(file, '{"load":1}');
  await store.put(`packages/${queue}/claim/prepared.json`, file, signal);
  await expect(packages.fetch('claim', folders, signal, true)).rejects.toMatchObject({ code: 'bad_package' });
});

test('an incomplete or modified package is refused', async () => {
  const { store, queue, packages, folders } = await bucket();
  const project = await packageProject();
  const put = await readPackage(await project.make('c1', ['/a', '/b']));
  const part = put.manifest.parts[0]?.file ?? '';
  await store.put(`packages/${queue}/cut/${part}`, join(put.folder, part), signal);
  await expect(packages.fetch('cut', folders, signal)).rejects.toMatchObject({
    code: 'bad_package',
    message: expect.stringContaining('has no manifest.json'),
  });
  await packages.put('changed', put, signal);
  const changed = join(await temporaryFolder(), 'part');
  await writeFile(changed, 'PAR1PAR1');
  await store.put(`packages/${queue}/changed/${part}`, changed, signal);
  await expect(packages.fetch('changed', folders, signal)).rejects.toMatchObject({ code: 'bad_package' });
  await packages.put('more', put, signal);
  await store.put(`packages/${queue}/more/outside`, changed, signal);
  await expect(packages.fetch('more', folders, signal)).rejects.toMatchObject({ code: 'bad_package' });
});

test('table schemas can be read while they are replaced', async () => {
  const { packages } = await bucket();
  const folder = await temporaryFolder();
  expect(await packages.tables('run', signal)).toBeNull();
  await packages.putTables('run', '"0"', folder, signal);
  let isOver = false;
  const replaced = (async (): Promise<number> => {
    let times = 0;
    for (; !isOver; times++) await packages.putTables('run', JSON.stringify(String(times)), folder, signal);
    return times;
  })();
  const reads = Array.from({ length: 4 }, async () => {
    for (let read = 0; read < 25; read++) expect(await packages.tables('run', signal)).toMatch(/^"\d+"$/);
  });
  await Promise.all(reads).finally(() => {
    isOver = true;
  });
  expect(await replaced).toBeGreaterThan(10);
});
