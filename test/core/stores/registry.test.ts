import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gcs } from '../../../src/core/stores/gcs/gcs.ts';
import {
  configuredStores,
  exportParameters,
  openConfiguredStore,
  STORE_NAMES,
  STORE_SETTINGS,
} from '../../../src/core/stores/registry.ts';
import { s3 } from '../../../src/core/stores/s3/s3.ts';

const STORES = join(import.meta.dirname, '..', '..', '..', 'src', 'core', 'stores');
const registry = readFileSync(join(STORES, 'registry.ts'), 'utf8');

test('every folder of stores contains one kind of store', () => {
  const folders = readdirSync(STORES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders) {
    const file = `${name}/${name}.ts`;
    expect(existsSync(join(STORES, file)), `src/core/stores/${name}/ has no ${name}.ts`).toBe(true);
    expect(
      registry.includes(`'./${file}'`),
      `src/core/stores/${file} has no line in src/core/stores/registry.ts`,
    ).toBe(true);
  }
});

test('each store has its own setting', () => {
  expect(STORE_NAMES).toEqual(['store_a', 'store_b']);
  expect(Object.keys(STORE_SETTINGS)).toEqual(STORE_NAMES);
});

test('a store is configured if the settings name its bucket', () => {
  const settings = { store_b: { bucket: 'exports', prefix: '', region: 'eu-west-1' } };
  expect(configuredStores(settings)).toEqual(['store_b']);
  expect(() => openConfiguredStore(settings, 'store_a')).toThrow('the setting store_a.bucket is missing');
});

test('an export request has the bucket, the prefix and, for S3, the region and the secret', () => {
  const store_a = STORE_SETTINGS.store_a.parse({ bucket: 'a', prefix: '/below/' });
  const store_b = STORE_SETTINGS.store_b.parse({ bucket: 'b', region: 'eu', credentials_secret: 'key' });
  expect(store_a?.prefix).toBe('below');
  expect(exportParameters({ store_a }, 'store_a', 'w1', 'unit/')).toEqual({
    store_a_bucket: 'a',
    store_a_prefix: 'unit/',
  });
  expect(exportParameters({ store_b }, 'store_b', 'w1', 'unit/')).toEqual({
    store_b_credentials: 'secrets://w1/key',
    store_b_bucket: 'b',
    store_b_region: 'eu',
    store_b_prefix: 'unit/',
  });
});

test('a data export to S3 needs the name of the secret; reading does not', async () => {
  const store_b = STORE_SETTINGS.store_b.parse({ bucket: 'b', region: 'eu' });
  expect(() => exportParameters({ store_b }, 'store_b', 'w1', 'unit/')).toThrow(
    'the setting store_b.credentials_secret is missing',
  );
  await using store = await openConfiguredStore({ store_b }, 'store_b');
  expect(store).toBeDefined();
});

test('each kind opens without a request', async () => {
  await using bucket = await gcs.open({ bucket: 'exports', endpoint: 'http://127.0.0.1:1' });
  await using other = await s3.open({ bucket: 'exports', region: 'eu', endpoint: 'http://127.0.0.1:1' });
  expect([bucket, other]).toHaveLength(2);
});
