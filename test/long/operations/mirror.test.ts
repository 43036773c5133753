import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listObjects } from '../../../src/core/stores/list-objects.ts';
import { s3 } from '../../../src/core/stores/s3/s3.ts';
import { crawlhouse, projectFolder, runProject, sandboxFor } from '../../support/project.ts';

const signal = new AbortController().signal;

test('each publication copies its new crawls to the bucket; an unavailable store fails the run, not the publication', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=2,pages=20,links=40'] });
  const folder = await projectFolder();
  const mirror =
    'mirror: {store: store_b, prefix: warehouse, tables: [raw.crawl_pages, mart.page_changes]}\n';
  await writeFile(join(folder, 'crawlhouse.yaml'), mirror);
  const { bucket, region, endpoint } = sandbox.ready.store_b;

  const away = await runProject(folder, sandbox, {
    environment: { CRAWLHOUSE_STORE_B_BUCKET: 'no-such-bucket' },
  });
  expect(away.errors.map((error) => error.code)).not.toEqual([]);
  expect(away.report.units.every((unit) => unit.counts?.queryable === unit.counts?.loaded)).toBe(true);

  const again = await runProject(folder, sandbox);
  expect(again.exitCode).toBe(0);
  await using store = await s3.open({ bucket, region, endpoint });
  const keys: string[] = [];
  for await (const object of store.list('warehouse/', signal)) keys.push(object.key);
  expect(keys.filter((key) => key.startsWith('warehouse/raw/crawl_pages/source_id='))).toHaveLength(2);
  expect(keys.filter((key) => key.startsWith('warehouse/mart/page_changes/crawl='))).toHaveLength(1);
  expect(keys).toContain('warehouse/manifest.json');

  const command = async (...args: string[]) => {
    const { status, stdout } = await crawlhouse(folder, sandbox, [...args, '--json']);
    return { status, ...JSON.parse(stdout) };
  };
  const mirrorCheck = async () =>
    (await command('doctor')).checks.find(({ name }: { name: string }) => name === 'mirror');
  expect(await command('mirror', '--verify')).toMatchObject({ status: 0, partitions: 3, differences: [] });
  expect(await mirrorCheck()).toMatchObject({ status: 'ok', message: expect.stringContaining('3 objects') });
  const [lost] = await listObjects(store, 'warehouse/raw/crawl_pages/', signal);
  if (lost === undefined) throw new Error('nothing was copied');
  await store.remove(lost, signal);
  expect(await mirrorCheck()).toMatchObject({
    status: 'fail',
    message: `1 of 3 objects differ: ${lost.key} is missing`,
  });
  expect(await command('mirror', '--verify')).toMatchObject({
    status: 4,
    differences: [{ object: lost.key, problem: 'missing' }],
    error: { code: 'unreconciled' },
  });
  expect(await command('mirror')).toMatchObject({ status: 0, uploaded: 1, removed: 0 });
  expect(await command('mirror', '--verify', '--full')).toMatchObject({ status: 0, differences: [] });
  expect(await command('mirror', '--full')).toMatchObject({ status: 0, uploaded: 3 });
});

test('a mirror of Iceberg tables is verified, examined and repaired by the same commands', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=2,pages=20,links=40'] });
  const folder = await projectFolder();
  await writeFile(
    join(folder, 'crawlhouse.yaml'),
    'mirror: {store: store_b, prefix: lake, tables: [raw.crawl_pages, mart.crawls], format: iceberg, snapshots: 2}\n',
  );
  const { bucket, region, endpoint } = sandbox.ready.store_b;
  expect((await runProject(folder, sandbox)).exitCode).toBe(0);
  await using store = await s3.open({ bucket, region, endpoint });
  const named = async () =>
    (await listObjects(store, 'lake/mart/crawls/metadata/', signal)).map(({ key }) => key);
  expect(await named()).toContain('lake/mart/crawls/metadata/v1.metadata.json');
  const command = async (...args: string[]) => {
    const { status, stdout } = await crawlhouse(folder, sandbox, [...args, '--json']);
    return { status, ...JSON.parse(stdout) };
  };
  expect(await command('mirror', '--verify', '--full')).toMatchObject({ status: 0, differences: [] });
  expect(await command('mirror')).toMatchObject({ status: 0, uploaded: 0, removed: 0 });
  const [lost] = await listObjects(store, 'lake/mart/crawls/metadata/snap-', signal);
  if (lost === undefined) throw new Error('there is no list of manifests');
  await store.remove(lost, signal);
  const { checks } = await command('doctor');
  expect(checks.find(({ name }: { name: string }) => name === 'mirror')).toMatchObject({
    status: 'fail',
    message: `1 of 3 objects differ: ${lost.key} is missing`,
  });
  expect(await command('mirror', '--verify')).toMatchObject({
    status: 4,
    differences: [{ object: lost.key, problem: 'missing' }],
  });
  expect(await command('mirror')).toMatchObject({ status: 0, uploaded: 0 });
  expect(await named()).toContain('lake/mart/crawls/metadata/v2.metadata.json');
  expect(await command('mirror', '--full')).toMatchObject({ status: 0, uploaded: 3 });
  expect(await command('mirror', '--verify')).toMatchObject({ status: 0, differences: [] });
});
