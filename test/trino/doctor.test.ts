import { randomUUID } from 'node:crypto';
import { expect, inject, test, vi } from 'vitest';
import { listObjects } from '../../src/core/stores/list-objects.ts';
import type { TrinoAddress } from '../../src/etl/engines/trino/client/address.ts';
import { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import { examineTrino } from '../../src/etl/engines/trino/examine-trino.ts';
import { openServer } from '../core/stores/store-server.ts';

const trino = inject('trino');
const { signal } = new AbortController();
const folder = `doctor/${randomUUID()}`;
const { url, catalog, bucket, s3 } = trino;
const address: TrinoAddress = {
  url,
  catalog,
  bucket,
  folder,
  region: s3.region,
  endpoint: s3.endpoint,
  engine: 'trino',
  schemaPrefix: `d${randomUUID().slice(0, 8)}_`,
  user: 'doctor',
  credentials: undefined,
  authority: undefined,
};

async function examined(change: Partial<TrinoAddress> = {}) {
  vi.stubEnv('AWS_ACCESS_KEY_ID', s3.accessKey);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', s3.secretKey);
  const checks = await examineTrino({ ...address, ...change }, signal);
  return checks.map(({ name, status, message, hint }) => ({ name, status, message, hint }));
}

test('doctor tests a warehouse in Trino with a file and a table, and leaves nothing', async () => {
  expect(await examined()).toEqual([
    {
      name: 'location',
      status: 'ok',
      hint: null,
      message: `s3://${bucket}/${folder}: can list, write, read and delete`,
    },
    {
      name: 'trino',
      status: 'ok',
      hint: null,
      message: `${new URL(url).host}, version 476, catalog ${catalog}: can register and read a file; nothing published yet`,
    },
  ]);
  await using objects = await openServer({ kind: 'store_b', bucket, ...s3 });
  expect(await listObjects(objects, folder, signal)).toEqual([]);
  await using client = new TrinoClient({ url, user: 'test', catalog });
  expect(await client.rows(`SHOW SCHEMAS LIKE '${address.schemaPrefix}%'`)).toEqual([]);
});

test('a wrong catalog, bucket or unreachable address is named', async () => {
  const [, noCatalog] = await examined({ catalog: 'nowhere' });
  expect(noCatalog).toMatchObject({
    status: 'fail',
    message: 'warehouse.catalog: Trino has no catalog nowhere',
    hint: expect.stringContaining(catalog),
  });
  const [noBucket, table] = await examined({ bucket: 'nowhere' });
  expect([noBucket?.status, table?.status]).toEqual(['fail', 'fail']);
  const [, nobody] = await examined({ url: 'http://127.0.0.1:9' });
  expect(nobody).toMatchObject({ status: 'fail', message: expect.stringContaining('cannot be reached') });
  const [first, second] = await examined({ authority: '/nowhere/ca.crt' });
  expect([first?.message, second?.message]).toEqual(
    Array(2).fill('warehouse.ca: /nowhere/ca.crt cannot be read'),
  );
});
