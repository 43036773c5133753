import { expect, test } from 'vitest';
import { storeExports, storeOptions } from '../../../../src/app/cli/commands/sandbox-start.ts';

const KEYS = { AWS_ACCESS_KEY_ID: 'KEY', AWS_SECRET_ACCESS_KEY: 'SECRET' };

test('external stores read buckets, keys and region from the environment', () => {
  expect(storeOptions(undefined, undefined, {})).toEqual({});
  expect(storeOptions('http://127.0.0.1:1/', undefined, { CRAWLHOUSE_STORE_A_BUCKET: 'a' })).toEqual({
    storeA: { endpoint: 'http://127.0.0.1:1', bucket: 'a' },
  });
  expect(storeOptions(undefined, 'https://s3.example', { ...KEYS, AWS_REGION: 'eu-south-2' })).toEqual({
    storeB: { endpoint: 'https://s3.example', accessKey: 'KEY', secretKey: 'SECRET', region: 'eu-south-2' },
  });
});

test('an invalid address and missing keys are usage errors', () => {
  expect(() => storeOptions('localhost:1', undefined, {})).toThrow('--store-a-endpoint');
  expect(() => storeOptions(undefined, 'http://127.0.0.1:1', {})).toThrow(
    '--store-b-endpoint: the credentials',
  );
});

test('the export lines contain every store setting, and the variables of the AWS tools', () => {
  const lines = storeExports({
    base_url: 'http://127.0.0.1:1',
    access_token: 't',
    pid: 1,
    store_a: { endpoint: 'http://127.0.0.1:2', bucket: 'a' },
    store_b: {
      endpoint: 'http://127.0.0.1:3',
      bucket: 'b',
      region: 'r',
      access_key: 'k',
      secret_key: 's',
      credentials_secret: 'c',
    },
  } as Parameters<typeof storeExports>[0]);
  expect(lines.split('\n')).toEqual([
    'export CRAWLHOUSE_STORE_A_BUCKET=a',
    'export CRAWLHOUSE_STORE_A_ENDPOINT=http://127.0.0.1:2',
    'export CRAWLHOUSE_STORE_B_BUCKET=b',
    'export CRAWLHOUSE_STORE_B_REGION=r',
    'export CRAWLHOUSE_STORE_B_ENDPOINT=http://127.0.0.1:3',
    'export CRAWLHOUSE_STORE_B_CREDENTIALS_SECRET=c',
    'export AWS_ACCESS_KEY_ID=k',
    'export AWS_SECRET_ACCESS_KEY=s',
    '',
  ]);
});
