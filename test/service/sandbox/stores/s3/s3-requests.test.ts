import { expect, test, vi } from 'vitest';
import { createLogger } from '../../../../../src/core/logs/logger.ts';
import { S3Error } from '../../../../../src/service/sandbox/stores/s3/s3-error.ts';
import { ServedS3 } from '../../../../../src/service/sandbox/stores/s3/served-s3.ts';
import { elements } from '../../../../../src/service/sandbox/stores/s3/xml.ts';
import { requestsOf } from './requests.ts';

vi.mock('../../../../../src/service/sandbox/stores/s3/signature.ts', async (original) => ({
  ...(await original<object>()),
  checkSignature: () => 'UNSIGNED-PAYLOAD',
}));

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A store with the bucket `bucket`, and its answers to requests with good signatures. */
function store() {
  const { folder, request } = requestsOf();
  folder.ensureBucket('bucket');
  const logged: string[] = [];
  const served = new ServedS3(
    folder,
    'eu-1',
    createLogger('debug', (line) => logged.push(line)),
  );
  const ask = async ({ path = '/bucket/k', ...sent }: Sent) => {
    const asked = { ...request(sent).request, path };
    const answer = await served.answer(asked).catch((error: unknown) => served.refusal(error, asked));
    const body = typeof answer.body === 'string' ? answer.body : '';
    return { status: answer.status, headers: answer.headers ?? {}, body, code: elements(body, 'Code')[0] };
  };
  return { ask, served, logged, folder };
}

test.each<[string, Sent]>([
  ['NoSuchBucket', { path: '/none/k' }],
  ['MethodNotAllowed', { method: 'POST', path: '/' }],
  ['MethodNotAllowed', { method: 'DELETE', path: '/bucket' }],
  ['MethodNotAllowed', { method: 'PUT', path: '/bucket', query: 'policy' }],
  ['MethodNotAllowed', { method: 'POST', path: '/bucket' }],
  ['MethodNotAllowed', { method: 'POST' }],
  ['MethodNotAllowed', { method: 'PATCH' }],
  ['InvalidBucketName', { method: 'PUT', path: '/A' }],
  ['BucketAlreadyOwnedByYou', { method: 'PUT', path: '/bucket' }],
  ['KeyTooLongError', { path: `/bucket/${'é'.repeat(513)}` }],
  ['NoSuchKey', { path: `/bucket/${'é'.repeat(512)}` }],
  ['InvalidArgument', { path: '/bucket/%zz' }],
  ['NotImplemented', { method: 'PUT', headers: { 'x-amz-copy-source': '/bucket/a' } }],
  ['NotImplemented', { query: 'uploadId=x' }],
  ['NoSuchUpload', { method: 'PUT', query: 'uploadId=x&partNumber=1' }],
  ['NoSuchUpload', { method: 'DELETE', query: 'uploadId=x' }],
  ['NotImplemented', { path: '/bucket' }],
  ['InvalidArgument', { path: '/bucket', query: 'list-type=2&max-keys=x' }],
  ['InvalidArgument', { path: '/bucket', query: 'list-type=2&continuation-token=a' }],
])('%s refuses request %#', async (code, sent) => {
  expect(await store().ask(sent)).toMatchObject({
    code,
    status: new S3Error(code as 'NoSuchKey', '').status,
  });
});

test('buckets are made, located and listed', async () => {
  const { ask } = store();
  expect(await ask({ method: 'PUT', path: '/new' })).toMatchObject({
    status: 200,
    headers: { location: '/new' },
  });
  expect((await ask({ method: 'HEAD', path: '/new' })).headers).toEqual({ 'x-amz-bucket-region': 'eu-1' });
  expect((await ask({ path: '/new', query: 'location' })).body).toMatch(/>eu-1<\/LocationConstraint>$/);
  const list = await ask({ path: '/' });
  expect(elements(elements(list.body, 'Buckets')[0] ?? '', 'Name')).toEqual(['bucket', 'new']);
});

test('keys are listed by prefix and page; a delimiter joins them, and a key may be encoded', async () => {
  const { ask } = store();
  for (const key of ['a%201', 'd/1', 'd/2', 'z']) await ask({ method: 'PUT', path: `/bucket/${key}` });
  const list = async (query: string) => (await ask({ path: '/bucket', query: `list-type=2&${query}` })).body;
  const keys = async (query: string) => elements(await list(query), 'Key');
  expect(await keys('')).toEqual(['a 1', 'd/1', 'd/2', 'z']);
  expect(await keys('encoding-type=url')).toEqual(['a%201', 'd/1', 'd/2', 'z']);
  expect(await keys('prefix=d/&start-after=d/1')).toEqual(['d/2']);
  const joined = await list('delimiter=/&prefix=');
  expect(elements(joined, 'CommonPrefixes')).toEqual(['<Prefix>d/</Prefix>']);
  expect([
    elements(joined, 'KeyCount'),
    elements(joined, 'Delimiter'),
    elements(joined, 'IsTruncated'),
  ]).toEqual([['3'], ['/'], ['false']]);
  const first = await list('max-keys=3');
  expect([elements(first, 'Key'), elements(first, 'IsTruncated')]).toEqual([['a 1', 'd/1', 'd/2'], ['true']]);
  const token = elements(first, 'NextContinuationToken')[0] ?? '';
  const last = await list(`continuation-token=${token}&start-after=zz`);
  expect([elements(last, 'Key'), elements(last, 'ContinuationToken')]).toEqual([['z'], [token]]);
  expect(await list('')).not.toMatch(/<(?:Delimiter|EncodingType|ContinuationToken|NextContinuationToken)>/);
  expect(elements(await list('max-keys=5000'), 'MaxKeys')).toEqual(['1000']);
});

test('an upload in parts is joined in the order of its parts, which are checked', async () => {
  const { ask, folder } = store();
  const begun = await ask({ method: 'POST', query: 'uploads', headers: { 'content-type': 'text/csv' } });
  const id = elements(begun.body, 'UploadId')[0] ?? '';
  const send = async (number: number | string, body: string) =>
    ask({ method: 'PUT', query: `uploadId=${id}&partNumber=${number}`, body });
  for (const number of ['0', '10001', '1.5', 'x'])
    expect((await send(number, 'x')).code).toBe('InvalidArgument');
  const large = 'x'.repeat(5 * 1024 * 1024);
  const tags = new Map<number, string>();
  for (const [number, body] of [
    [1, large],
    [2, 'small'],
    [10_000, 'end'],
  ] as const)
    tags.set(number, (await send(number, body)).headers.etag ?? '');
  const complete = async (...numbers: readonly number[]) => {
    const parts = numbers.map(
      (number) => `<Part><PartNumber>${number}</PartNumber><ETag>${tags.get(number) ?? ''}</ETag></Part>`,
    );
    return ask({ method: 'POST', query: `uploadId=${id}`, body: `<Complete>${parts.join('')}</Complete>` });
  };
  expect((await complete()).code).toBe('MalformedXML');
  expect((await complete(2, 1)).code).toBe('InvalidPartOrder');
  expect((await complete(1, 1)).code).toBe('InvalidPartOrder');
  expect((await complete(1, 3)).code).toBe('InvalidPart');
  expect((await complete(2, 10_000)).code).toBe('EntityTooSmall');
  expect((await ask({ method: 'POST', path: '/bucket/other', query: `uploadId=${id}` })).code).toBe(
    'NoSuchUpload',
  );
  const done = await complete(1, 10_000);
  expect(elements(done.body, 'ETag')[0]).toMatch(/-2&quot;$/);
  expect(folder.index.object('bucket', 'k')).toMatchObject({
    ...{ size: large.length + 3, parts: [large.length, 3], headers: { 'content-type': 'text/csv' } },
  });
  expect((await send(1, 'x')).code).toBe('NoSuchUpload');
  expect((await ask({ query: 'partNumber=2' })).headers).toMatchObject({ 'content-length': '3' });
  const next = elements((await ask({ method: 'POST', query: 'uploads' })).body, 'UploadId')[0];
  expect((await ask({ method: 'DELETE', query: `uploadId=${next}` })).status).toBe(204);
});

test('an internal error is logged, and a fault has the code of its status', () => {
  const { served, logged } = store();
  const request = { method: 'GET', path: '/bucket' } as never;
  expect(served.refusal(new Error('broken disk'), request)).toMatchObject({ status: 500 });
  expect(logged).toHaveLength(1);
  const region = served.refusal(new S3Error('AccessDenied', 'no', { Region: 'eu-1' }), request);
  expect([region.headers?.['x-amz-bucket-region'], logged.length]).toEqual(['eu-1', 1]);
  const code = (status: number) => elements(String(served.faulty(status).body), 'Code')[0];
  expect([503, 499, 500, 599].map(code)).toEqual([
    'SlowDown',
    'InvalidRequest',
    'InternalError',
    'InternalError',
  ]);
  expect(served.faulty(599).status).toBe(599);
});
