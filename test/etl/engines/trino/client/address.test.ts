import { expect, test } from 'vitest';
import { TrinoWarehouse, trinoAddress } from '../../../../../src/etl/engines/trino/client/address.ts';

const SETTING = {
  engine: 'trino',
  url: 'https://trino.example',
  catalog: 'lake',
  location: 's3://rows/shop/2026/',
  region: 'eu-west-1',
} as const;
const CLIENT = { client_id: 'c', client_secret: 's', token_url: 'https://sign.example/token' };
const HTTPS = 'https is expected, because crawlhouse sends credentials to this address';
const ONLY_ONE = 'set only one of password, token and client_id';
const ALL_THREE = 'OAuth2 needs client_id, client_secret, token_url';

test.each<[more: Readonly<Record<string, string>>, faults: readonly string[]]>([
  [{}, []],
  [{ password: 'p' }, []],
  [CLIENT, []],
  [{ password: 'p', token: 't' }, [`user: ${ONLY_ONE}`]],
  [{ token: 't', ...CLIENT }, [`user: ${ONLY_ONE}`]],
  [{ client_id: 'c' }, [`client_secret: ${ALL_THREE}`]],
  [{ client_secret: 's' }, [`client_id: ${ALL_THREE}`]],
  [{ client_id: 'c', client_secret: 's' }, [`token_url: ${ALL_THREE}`]],
  // Only with credentials.
  [{ url: 'http://trino.example' }, []],
  [{ url: 'http://trino.example', password: 'p' }, [`url: ${HTTPS}`]],
  [{ url: 'http://trino.example', token: 't' }, [`url: ${HTTPS}`]],
  [{ url: 'http://localhost:8080', password: 'p' }, []],
  [{ url: 'http://127.0.0.1:8080', password: 'p' }, []],
  [{ url: 'http://[::1]:8080', password: 'p' }, []],
  [{ ...CLIENT, token_url: 'http://sign.example/token' }, [`token_url: ${HTTPS}`]],
  [{ catalog: 'Lake' }, ['catalog: the name of an Iceberg catalog of Trino is expected, in lower case']],
  [
    { schema_prefix: 'Shop' },
    ['schema_prefix: lower-case letters, digits and _ are expected, such as shop_'],
  ],
  [{ location: 's3://rows' }, ['location: s3://BUCKET/FOLDER is expected']],
])('%j', (more, faults) => {
  const { error } = TrinoWarehouse.safeParse({ ...SETTING, ...more });
  expect((error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`)).toEqual(faults);
});

const addressOf = (more: Readonly<Record<string, string>> = {}) =>
  trinoAddress(TrinoWarehouse.parse({ ...SETTING, ...more }), '/project');

test('the location is a bucket and a folder, and no credentials are needed', () => {
  expect(addressOf()).toEqual({
    engine: 'trino',
    url: 'https://trino.example',
    catalog: 'lake',
    schemaPrefix: '',
    bucket: 'rows',
    folder: 'shop/2026',
    region: 'eu-west-1',
    endpoint: undefined,
    user: 'crawlhouse',
    credentials: undefined,
    authority: undefined,
  });
});

test('credentials are a password, a token or a client, and a certificate is relative to the project', () => {
  expect(addressOf({ password: 'p' }).credentials).toEqual({ password: 'p' });
  expect(addressOf({ token: 't' }).credentials).toEqual({ token: 't' });
  const client = { clientId: 'c', clientSecret: 's', tokenUrl: 'https://sign.example/token' };
  expect(addressOf(CLIENT).credentials).toEqual({ ...client, scope: undefined });
  expect(addressOf({ ...CLIENT, scope: 'read' }).credentials).toEqual({ ...client, scope: 'read' });
  expect([addressOf({ ca: 'ca.pem' }).authority, addressOf({ ca: '/ca.pem' }).authority]).toEqual([
    '/project/ca.pem',
    '/ca.pem',
  ]);
});
