import { expect, test, vi } from 'vitest';
import { gcs } from '../../../src/core/stores/gcs/gcs.ts';
import { gcsError } from '../../../src/core/stores/gcs/gcs-store.ts';
import { s3Error } from '../../../src/core/stores/s3/s3-store.ts';
import { storeError } from '../../../src/core/stores/store-errors.ts';
import { QUICK } from './store-server.ts';

/** An error as the SDK of AWS throws it. */
function sdkError(name: string, status: number, headers: Readonly<Record<string, string>> = {}, more = {}) {
  return Object.assign(new Error(`${name} happened`), {
    name,
    $metadata: { httpStatusCode: status },
    $response: { headers },
    ...more,
  });
}
const network = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
const place = { bucket: 'exports', region: 'eu-west-1' };

test.for([
  ['list', sdkError('AccessDenied', 403), 'store_access'],
  ['list', sdkError('ExpiredToken', 400), 'store_access'],
  ['object', sdkError('InvalidToken', 400), 'store_access'],
  ['object', sdkError('RequestTimeTooSkewed', 403), 'store_access'],
  ['object', sdkError('UnknownError', 403), 'store_access'],
  [
    'list',
    new (class CredentialsProviderError extends Error {
      override name = 'CredentialsProviderError';
    })('none'),
    'store_access',
  ],
  ['list', sdkError('NoSuchBucket', 404), 'bad_settings'],
  ['object', sdkError('NoSuchBucket', 404), 'bad_settings'],
  ['list', sdkError('PermanentRedirect', 301, { 'x-amz-bucket-region': 'us-east-2' }), 'bad_settings'],
  ['list', sdkError('PermanentRedirect', 301), 'bad_settings'],
  ['list', sdkError('AuthorizationHeaderMalformed', 400, {}, { Region: 'us-east-2' }), 'bad_settings'],
  ['list', sdkError('AuthorizationHeaderMalformed', 400), 'store_access'],
  ['object', sdkError('Unknown', 400, { 'x-amz-bucket-region': 'us-east-2' }), 'bad_settings'],
  ['object', sdkError('NoSuchKey', 404), 'object_changed'],
  ['object', sdkError('NotFound', 404), 'object_changed'],
  ['object', sdkError('PreconditionFailed', 412), 'object_changed'],
  ['object', sdkError('InvalidRange', 416), 'object_changed'],
  ['object', sdkError('SlowDown', 503), 'store_unavailable'],
  ['object', sdkError('RequestTimeout', 400), 'store_unavailable'],
  ['object', sdkError('Anything', 502), 'store_unavailable'],
  ['object', sdkError('InvalidObjectState', 403), 'store_refused'],
  ['object', sdkError('MalformedXML', 400), 'store_refused'],
  ['object', network, 'connection'],
  ['body', network, 'connection'],
  ['body', new Error('aborted'), 'connection'],
  ['body', new Error('the unexpected'), 'connection'],
  ['object', new Error('the unexpected'), 'store_refused'],
] as const)('S3, %s: %s is mapped to the error to act on: %s', ([asked, error, code]) => {
  expect(s3Error(error, asked, 's3://exports/key', place)).toMatchObject({ code });
});

test('the region in a response appears in the error and its hint', () => {
  const error = sdkError('PermanentRedirect', 301, { 'x-amz-bucket-region': 'us-east-2' });
  expect(s3Error(error, 'list', 's3://exports/', place)).toMatchObject({
    message: expect.stringContaining(
      'store_b.region: the bucket exports is not in eu-west-1 but in us-east-2',
    ),
    hint: 'set store_b.region to us-east-2',
  });
});

test('the wait of a store is respected, and defaults to one second', () => {
  const slow = (headers = {}) =>
    s3Error(sdkError('SlowDown', 503, headers), 'object', 's3://exports/k', place);
  expect([slow({ 'retry-after': '7' }).retryAfterMs, slow().retryAfterMs]).toEqual([7000, 1000]);
  const busy = gcsError({ code: 429, response: { headers: { 'retry-after': '3' } } }, 'list', 'gs://b/', 'b');
  expect(busy.retryAfterMs).toBe(3000);
});

/** Google's error object, as the body of an answer. */
const json = (reason: string): string => JSON.stringify({ error: { message: 'said', errors: [{ reason }] } });

test.for([
  ['list', { code: 401, message: 'Anonymous caller' }, 'store_access'],
  ['object', { code: 403, message: json('forbidden') }, 'store_access'],
  ['object', { code: 403, message: json('userRateLimitExceeded') }, 'store_unavailable'],
  ['list', { code: 403, message: 'x', errors: [{ reason: 'rateLimitExceeded' }] }, 'store_unavailable'],
  ['list', new Error('Could not load the default credentials.'), 'store_access'],
  ['list', Object.assign(new Error('invalid_grant'), { code: '400' }), 'store_access'],
  ['list', { code: 404, message: 'Not Found' }, 'bad_settings'],
  ['list', { code: 400, message: "Invalid bucket name: 'B'" }, 'bad_settings'],
  ['object', { code: 404, message: 'No such object' }, 'object_changed'],
  ['object', { code: 412, message: 'conditionNotMet' }, 'object_changed'],
  ['object', { code: 416, message: 'range' }, 'object_changed'],
  ['object', { code: 408, message: 'timeout' }, 'store_unavailable'],
  ['object', { code: 503, message: '<html>' }, 'store_unavailable'],
  ['object', { code: 400, message: 'Bad Request' }, 'store_refused'],
  ['object', network, 'connection'],
  ['body', new Error('terminated'), 'connection'],
  ['list', Object.assign(new Error('request failed', { cause: network })), 'connection'],
] as const)('Google, %s: %j is mapped to the error to act on: %s', ([asked, error, code]) => {
  expect(gcsError(error, asked, 'gs://exports/key', 'exports')).toMatchObject({ code });
});

test('a Google error shows its message, and no SDK error with the request is its cause', () => {
  const told = gcsError({ code: 403, message: json('forbidden') }, 'object', 'gs://exports/key', 'exports');
  expect(told.message).toBe('gs://exports/key: said (403)');
  expect(told.cause).toBeUndefined();
});

test('unavailable Google credentials are an access error before any request', async () => {
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', '/nowhere/key.json');
  try {
    await using store = await gcs.open({ bucket: 'exports', retry: QUICK });
    const { signal } = new AbortController();
    const refused = { code: 'store_access', hint: expect.stringContaining('GOOGLE_APPLICATION_CREDENTIALS') };
    await expect(Array.fromAsync(store.list('', signal))).rejects.toMatchObject(refused);
    const object = { key: 'k', url: 'gs://exports/k', size: 1, version: '1', hashes: {} };
    await expect(store.read(object, { from: 0, to: 1 }, signal)).rejects.toMatchObject(refused);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('the place of a missing bucket is the setting that names it', () => {
  const facts = { url: 's3://x/', reason: 'gone', bucket: 'x', credentials: '', setting: 's3' } as const;
  expect(storeError('no_bucket', facts)).toMatchObject({
    message: 's3.bucket: there is no bucket x: gone',
    hint: 'set s3.bucket in crawlhouse.yaml or CRAWLHOUSE_S3_BUCKET',
  });
  expect(storeError('no_bucket', { ...facts, location: 'mirror.to' })).toMatchObject({
    message: 'mirror.to: there is no bucket x: gone',
    hint: 'set mirror.to in crawlhouse.yaml',
  });
});
