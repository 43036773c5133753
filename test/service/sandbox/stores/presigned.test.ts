import { createHash, createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { builtInStores } from './stores-support.ts';

interface Presigned {
  readonly method: string;
  readonly key: string;
  readonly expires: number;
  readonly date: Date;
}

/** A presigned address, made from the description of Signature Version 4 and nothing of ours. */
function presign(
  store: { endpoint: string; bucket: string; region: string; access_key: string; secret_key: string },
  { method, key, expires, date }: Presigned,
): string {
  const stamp = `${date.toISOString().replace(/[-:]|\.\d+/g, '')}`;
  const day = stamp.slice(0, 8);
  const scope = `${day}/${store.region}/s3/aws4_request`;
  const query = new URLSearchParams({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${store.access_key}/${scope}`,
    'X-Amz-Date': stamp,
    'X-Amz-Expires': String(expires),
    'X-Amz-SignedHeaders': 'host',
  });
  const canonical = [
    method,
    `/${store.bucket}/${key}`,
    query.toString(),
    `host:${new URL(store.endpoint).host}\n`,
    'host',
    'UNSIGNED-PAYLOAD',
  ].join('\n');
  const hash = createHash('sha256').update(canonical).digest('hex');
  const key4 = [day, store.region, 's3', 'aws4_request'].reduce<Buffer | string>(
    (so, part) => createHmac('sha256', so).update(part).digest(),
    `AWS4${store.secret_key}`,
  );
  const signature = createHmac('sha256', key4)
    .update(['AWS4-HMAC-SHA256', stamp, scope, hash].join('\n'))
    .digest('hex');
  return `${store.endpoint}/${store.bucket}/${key}?${query}&X-Amz-Signature=${signature}`;
}

test('a presigned address works for its method and key until it expires', async () => {
  const { stores } = await builtInStores();
  const address = (given: Partial<Presigned>) =>
    presign(stores.store_b, { method: 'GET', key: 'k', expires: 60, date: new Date(), ...given });
  const put = await fetch(address({ method: 'PUT' }), { method: 'PUT', body: 'text' });
  expect(put.status).toBe(200);
  expect(await (await fetch(address({}))).text()).toBe('text');
  const refused = async (url: string, method = 'GET') => (await fetch(url, { method })).text();
  expect(await refused(address({ date: new Date(Date.now() - 61_000) }))).toContain('Request has expired');
  expect(await refused(address({ date: new Date(Date.now() + 3_600_000) }))).toContain('not valid yet');
  expect(await refused(address({}), 'DELETE')).toContain('SignatureDoesNotMatch');
  expect(await refused(address({}).replace('/k?', '/other?'))).toContain('SignatureDoesNotMatch');
  expect(await refused(address({}).replace('X-Amz-Expires=60', 'X-Amz-Expires=600'))).toContain(
    'SignatureDoesNotMatch',
  );
  expect(await refused(address({ expires: 700_000 }))).toContain('AuthorizationQueryParametersError');
  expect(await (await fetch(address({}))).text()).toBe('text');
});
