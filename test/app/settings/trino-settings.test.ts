import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { explainSettings, loadSettings } from '../../../src/app/settings/load-settings.ts';
import { Database } from '../../../src/core/duckdb/duckdb.ts';
import { redact } from '../../../src/core/secrets/redact.ts';
import { asTrino } from '../../../src/etl/engines/trino/client/address.ts';
import { openTrinoClient, openTrinoPlace } from '../../../src/etl/engines/trino/client/open-trino.ts';
import type { Settings } from '../../../src/etl/project/settings/settings.ts';
import { errorOf } from '../../support/error-of.ts';
import { IN_DUCKDB } from '../../support/in-duckdb.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const NEEDED = {
  engine: 'trino',
  url: 'https://trino.example',
  catalog: 'lake',
  location: 's3://rows/crawls',
  region: 'eu-west-1',
};

/** Settings whose `warehouse` has these parts, in this order. */
async function load(
  parts: Readonly<Record<string, string | undefined>>,
  variables: Readonly<Record<string, string>> = {},
): Promise<Settings> {
  return loadSettings(await folderWith(parts), variables);
}

async function folderWith(parts: Readonly<Record<string, string | undefined>>): Promise<string> {
  const folder = await temporaryFolder();
  const lines = Object.entries(parts).flatMap(([key, value]) =>
    value === undefined ? [] : [`  ${key}: ${value}`],
  );
  await writeFile(join(folder, 'crawlhouse.yaml'), ['since: all', 'warehouse:', ...lines, ''].join('\n'));
  return folder;
}

test('a warehouse in Trino has an address, and its catalog is in the state directory', async () => {
  const settings = await load({
    ...NEEDED,
    schema_prefix: 'shop_',
    endpoint: 'http://127.0.0.1:7070',
    ca: 'ca.crt',
  });
  expect(settings.warehouse).toBe(join(settings.state_dir, 'catalogue.duckdb'));
  expect(settings.engine).toEqual({
    engine: 'trino',
    url: 'https://trino.example',
    catalog: 'lake',
    schemaPrefix: 'shop_',
    bucket: 'rows',
    folder: 'crawls',
    region: 'eu-west-1',
    endpoint: 'http://127.0.0.1:7070',
    user: 'crawlhouse',
    credentials: undefined,
    authority: join(settings.projectDir, 'ca.crt'),
  });
});

test('a warehouse in DuckDB has no address', async () => {
  const folder = await temporaryFolder();
  const settings = await loadSettings(folder, { CRAWLHOUSE_WAREHOUSE: 'other.duckdb' });
  expect([settings.warehouse, settings.engine]).toEqual([join(folder, 'other.duckdb'), IN_DUCKDB]);
});

test('the bucket folder may have several parts and a trailing slash', async () => {
  const trino = asTrino((await load({ ...NEEDED, location: 's3://rows/of/2026/' })).engine);
  expect([trino.bucket, trino.folder]).toEqual(['rows', 'of/2026']);
});

test('credentials are a password, a token, or client credentials; each is masked', async () => {
  const given = [
    { password: 'pass-of-reader' },
    { token: 'token-of-reader' },
    {
      client_id: 'reader',
      client_secret: 'secret-of-reader',
      token_url: 'https://login.example',
      scope: 'trino',
    },
  ];
  const read = await Promise.all(
    given.map(async (one) => asTrino((await load({ ...NEEDED, ...one })).engine).credentials),
  );
  expect(read).toEqual([
    { password: 'pass-of-reader' },
    { token: 'token-of-reader' },
    {
      clientId: 'reader',
      clientSecret: 'secret-of-reader',
      tokenUrl: 'https://login.example',
      scope: 'trino',
    },
  ]);
  expect(redact('pass-of-reader token-of-reader secret-of-reader')).toBe('[redacted] [redacted] [redacted]');
});

test('each part has a variable that overrides the same part of the file', async () => {
  const { engine } = await load(NEEDED, {
    CRAWLHOUSE_WAREHOUSE_PASSWORD: 'pass-from-environment',
    CRAWLHOUSE_WAREHOUSE_USER: 'reader',
    CRAWLHOUSE_WAREHOUSE_CATALOG: 'other',
  });
  expect(engine).toMatchObject({
    user: 'reader',
    catalog: 'other',
    url: 'https://trino.example',
    credentials: { password: 'pass-from-environment' },
  });
});

test('a path variable overrides the parts in the file, and conflicts with variables of parts', async () => {
  const path = { CRAWLHOUSE_WAREHOUSE: '/data/w.duckdb' };
  expect(await load(NEEDED, path)).toMatchObject({ warehouse: '/data/w.duckdb', engine: IN_DUCKDB });
  expect(await errorOf(load(NEEDED, { ...path, CRAWLHOUSE_WAREHOUSE_USER: 'reader' }))).toMatchObject({
    code: 'bad_settings',
    message: 'CRAWLHOUSE_WAREHOUSE_USER: another variable already sets warehouse',
  });
});

test('`crawlhouse config` prints all parts on one line', async () => {
  const origins = await explainSettings(await folderWith(NEEDED), {});
  expect(origins.filter(({ key }) => key.startsWith('warehouse'))).toEqual([
    {
      key: 'warehouse',
      value: { ...NEEDED, schema_prefix: '', user: 'crawlhouse' },
      from: 'crawlhouse.yaml',
      place: 'crawlhouse.yaml:2',
    },
  ]);
});

test.for([
  [{ engine: 'spark' }, '3: warehouse.engine: there is no such engine; allowed values: trino'],
  [{ url: undefined }, '2: warehouse.url: an address is expected, such as https://trino.example'],
  [{ url: 'trino.example:8080' }, '4: warehouse.url: an address is expected'],
  [
    { url: 'https://me:hidden-word@trino.example' },
    '4: warehouse.url: an address without user name and password',
  ],
  [{ catalog: 'Lake' }, '5: warehouse.catalog: the name of an Iceberg catalog of Trino is expected'],
  [{ location: '/data/rows' }, '6: warehouse.location: s3://BUCKET/FOLDER is expected'],
  [{ location: 's3://rows' }, '6: warehouse.location: s3://BUCKET/FOLDER is expected'],
  [{ region: undefined }, '2: warehouse.region: a text is expected'],
  [{ schema_prefix: 'Shop-' }, '8: warehouse.schema_prefix: lower-case letters'],
  [{ schema: 'shop' }, '8: unknown key warehouse.schema'],
  [{ password: 'word-one', token: 'word-two' }, 'set only one of password, token and client_id'],
  [{ client_id: 'me' }, 'warehouse.client_secret: OAuth2 needs client_id, client_secret, token_url'],
  [
    { url: 'http://trino.example', password: 'word-three' },
    '4: warehouse.url: https is expected, because crawlhouse sends credentials to this address',
  ],
] as const)('%j is refused', async ([change, message]) => {
  expect(await errorOf(load({ ...NEEDED, ...change }))).toMatchObject({
    code: 'bad_settings',
    message: expect.stringContaining(message),
  });
});

test('a value that is neither a path nor parts is refused', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'crawlhouse.yaml'), 'warehouse: 5\n');
  expect(await errorOf(loadSettings(folder, {}))).toMatchObject({
    message: 'crawlhouse.yaml:1: warehouse: a path or {engine: trino, …} is expected',
  });
});

test('a missing certificate is named', async () => {
  const { engine, projectDir } = await load({ ...NEEDED, ca: 'ca.crt' });
  expect(await errorOf(openTrinoClient(asTrino(engine)))).toMatchObject({
    code: 'bad_settings',
    message: `warehouse.ca: ${join(projectDir, 'ca.crt')} cannot be read`,
  });
});

test('one call gives the writer client, bucket and catalog', async () => {
  const { engine, state_dir: stateDir } = await load({ ...NEEDED, schema_prefix: 'shop_' });
  await using database = await Database.open({ memoryLimit: '100MB', threads: 1, tempDirectory: stateDir });
  await using connection = await database.connect();
  await using place = await openTrinoPlace(asTrino(engine), { connection, stateDir });
  expect(place).toMatchObject({
    catalog: 'lake',
    prefix: 'shop_',
    bucket: 'rows',
    folder: 'crawls',
    temporary: join(stateDir, 'engine'),
  });
});
