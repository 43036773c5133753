import { expect, test } from 'vitest';
import type { PageQuery } from '../../../../src/client/http/pagination.ts';
import { ServiceClient } from '../../../../src/client/http/service-client.ts';
import { type Json, type Service, service, sharedService } from '../../support.ts';

function base64(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');
}

const shared = await sharedService({});
const KEYS = { access_key: 'ACCESS', secret_key: 'very-secret-key' };

async function create(it: Service, secret: Json): Promise<{ status: number; json: Json; text: string }> {
  return it.api(`/workspaces/${await it.workspace()}/secrets`, { body: { secret } });
}

test('a secret can be created, listed, sorted, filtered and deleted, and its value is never returned', async () => {
  const it = await service();
  const { baseUrl, accessToken } = it.sandbox;
  await using client = new ServiceClient({ baseUrl, accessToken });
  const workspace = await it.workspace();
  const own = await Array.fromAsync(client.list('secrets', { workspace_id: workspace }));
  expect(own.map(({ name }) => name)).toEqual([it.sandbox.ready.store_b.credentials_secret]);
  const made = await client.call('createSecret', {
    workspace_id: workspace,
    body: { secret: { name: 'my-bucket_1', type: 'store_b_credentials', value: base64(KEYS) } },
  });
  const other = { name: 'Google', type: 'store_a_credentials', value: base64({ any: ['json'] }) } as const;
  await client.call('createSecret', { workspace_id: workspace, body: { secret: other } });
  expect(made).toEqual({
    id: expect.any(String),
    name: 'my-bucket_1',
    type: 'store_b_credentials',
    creation_date: expect.any(Number),
    owner_id: expect.any(String),
  });
  const names = async (query: PageQuery) =>
    (await Array.fromAsync(client.list('secrets', { workspace_id: workspace, query }))).map(
      ({ name }) => name,
    );
  expect(await names({})).toEqual(['Google', 'my-bucket_1', 'sandbox-store-b']);
  expect(await names({ sort: { name: 'name', order: 'desc' } })).toEqual([
    'sandbox-store-b',
    'my-bucket_1',
    'Google',
  ]);
  expect(await names({ filters: { field: ['type', 'equals', 'store_a_credentials'] } })).toEqual(['Google']);
  const patched = await it.ask(`/_sandbox/secrets/${made.id}`, { method: 'PATCH', body: { owner_id: 'me' } });
  expect(patched.json).toMatchObject({ owner_id: 'me' });
  const list = await it.api(`/workspaces/${workspace}/secrets?limit=100`);
  for (const text of [patched.text, list.text]) {
    expect(text).not.toContain(base64(KEYS));
    expect(text).not.toContain('_value');
  }
  await client.call('deleteSecret', { workspace_id: workspace, secret_id: made.id });
  expect(await names({})).toEqual(['Google', 'sandbox-store-b']);
  await expect(
    client.call('deleteSecret', { workspace_id: workspace, secret_id: made.id }),
  ).rejects.toMatchObject({ code: 'not_found' });
});

test.each([
  ['a name that begins with a digit', { name: '1abc' }, 'name'],
  ['a name of two letters', { name: 'ab' }, 'name'],
  ['a name of 65 letters', { name: 'a'.repeat(65) }, 'name'],
  ['a name with a blank', { name: 'a b c' }, 'name'],
  ['an invalid type', { type: 'store_c_credentials' }, 'type'],
  ['a value that is not base64', { value: '{"access_key":"x"}' }, 'value'],
  ['a value that is not JSON', { value: base64('access_key') }, 'value'],
  ['keys under other names', { value: base64({ accessKey: 'a', secretKey: 'b' }) }, 'value'],
  ['an empty value', { value: '' }, 'value'],
  ['a key that is not of the contract', { owner_id: 'x' }, 'owner_id'],
])('%s is refused by its name', async (_, change, field) => {
  const it = shared;
  const good = { name: 'good-name', type: 'store_b_credentials', value: base64(KEYS) };
  const answer = await create(it, { ...good, ...change });
  expect(answer.status).toBe(400);
  expect(answer.json).toMatchObject({ type: 'invalid_request_parameters', fields: [{ name: field }] });
  expect(answer.text).not.toContain(base64(KEYS));
});

test('a secret name is unique, and available again after deletion', async () => {
  const it = shared;
  const secret = { name: 'a-name', type: 'store_b_credentials', value: base64(KEYS) };
  const { id } = (await create(it, secret)).json.secret as Json;
  const twice = await create(it, secret);
  expect([twice.status, twice.json.type]).toEqual([400, 'duplicate_entry']);
  const path = `/workspaces/${await it.workspace()}/secrets/${id}`;
  expect((await it.api(path, { method: 'DELETE' })).status).toBe(204);
  expect((await create(it, secret)).status).toBe(200);
});

test('a plain user of a workspace can read its secrets, not write them', async () => {
  const it = await service();
  const workspace = await it.workspace();
  await it.ask(`/_sandbox/workspaces/${workspace}`, { method: 'PATCH', body: { role: 'user' } });
  const list = await it.api(`/workspaces/${workspace}/secrets`);
  const [{ id } = { id: '' }] = list.json.secrets as Json[];
  const secret = { name: 'a-name', type: 'store_b_credentials', value: base64(KEYS) };
  const made = await create(it, secret);
  const gone = await it.api(`/workspaces/${workspace}/secrets/${id}`, { method: 'DELETE' });
  for (const refused of [made, gone])
    expect([refused.status, refused.json.type, refused.json.code]).toEqual([
      403,
      'forbidden',
      'insufficient_role',
    ]);
  await it.ask(`/_sandbox/workspaces/${workspace}`, { method: 'PATCH', body: { role: 'manager' } });
  expect((await create(it, secret)).status).toBe(200);
});
