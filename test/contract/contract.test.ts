import { request as send } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import type { OperationId } from '../../src/client/endpoints.ts';
import { ServiceClient } from '../../src/client/http/service-client.ts';
import { openApiDocument } from '../../src/client/openapi/openapi.ts';
import { SCOPES } from '../../src/client/scopes.ts';
import { sharedService } from '../service/support.ts';
import { CALLS } from './calls.ts';
import { DocumentCheck } from './document-check.ts';
import { GENERATED, inventoryOf } from './inventory.ts';
import { type Recorded, recorderBefore } from './recorder.ts';
import { SPECIFICATION, type SpecifiedOperation } from './specification.ts';

const service = await sharedService({ generate: [GENERATED], allowPrivate: true });
const { baseUrl, accessToken } = service.sandbox;
const recorder = await recorderBefore(baseUrl);
const it = await inventoryOf(service);
const check = new DocumentCheck(openApiDocument(baseUrl));
for (const scope of SCOPES) {
  const scopes = SCOPES.filter((other) => other !== scope);
  await service.ask(`/_sandbox/tokens/without-${scope}`, { method: 'PATCH', body: { scopes } });
}

const UNKNOWN = 'ffffffffffffffffffffffff';

function clientWith(token: string): ServiceClient {
  const client = new ServiceClient({ baseUrl: recorder.baseUrl, accessToken: token });
  onTestFinished(() => client[Symbol.asyncDispose]());
  return client;
}

/** A request again, as it was recorded or changed. */
async function again(of: Recorded, changes: { readonly path?: string; readonly body?: string } = {}) {
  const { path = of.path, body = of.body } = changes;
  const answer = await send(`${baseUrl}/api/v2${path}`, {
    method: of.method as 'GET',
    headers: {
      authorization: `Bearer ${accessToken}`,
      ...(of.headers['content-type'] ? { 'content-type': of.headers['content-type'] } : {}),
    },
    ...(body.length > 0 ? { body } : {}),
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  const sent = { ...of, path, body: Buffer.from(body) };
  const recorded: Recorded = {
    ...sent,
    status: answer.statusCode,
    answer: bytes,
    answerType: 'application/json',
  };
  return { sent, recorded, status: answer.statusCode, text: bytes.toString() };
}

/** Refused with this status, by an error object that the document has for this operation. */
async function refused(
  of: Recorded,
  changes: { path?: string; body?: string },
  status: number,
  what: string,
) {
  const { recorded, text, ...answer } = await again(of, changes);
  expect(`${answer.status} ${text}`, what).toContain(`${status} `);
  expect(check.problemsOfAnswer(recorded), what).toEqual([]);
  return { error: JSON.parse(text) as { fields?: { name: string }[] }, sent: answer.sent };
}

/** Refused because of one parameter, which is named. */
async function refusedFor(of: Recorded, changes: { path?: string; body?: string }, name: string) {
  const { error, sent } = await refused(of, changes, 400, name);
  expect(error.fields?.map((field) => field.name)).toContain(name);
  return sent;
}

function withQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** The recorded path with each identifier in turn replaced by one that nothing has. */
function withUnknownIds({ path: recorded }: Recorded, { path: specified }: SpecifiedOperation): string[] {
  const [path = '', query] = recorded.split('?');
  const rest = query === undefined ? '' : `?${query}`;
  const names = (specified.split('?')[0] ?? '').split('/');
  const inPath = names.flatMap((name, index) => {
    if (!name.startsWith('<')) return [];
    const parts = path.split('/');
    parts[index] = UNKNOWN;
    return [`${parts.join('/')}${rest}`];
  });
  const inQuery = [...specified.matchAll(/(\w+)=<\w+>/g)].map(([, name = '']) => {
    const search = new URLSearchParams(query);
    search.set(name, UNKNOWN);
    return `${path}?${search}`;
  });
  return [...inPath, ...inQuery];
}

test.each(SPECIFICATION)('$method $path: valid and invalid requests', async (specified) => {
  const { ready, call } = CALLS[specified.name as OperationId];
  const prepared = await ready(it);

  await expect(call(clientWith('no-token-of-this-sandbox'), it, prepared)).rejects.toMatchObject({
    code: 'unauthorized',
  });
  await expect(call(clientWith(`without-${specified.scope}`), it, prepared)).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining(specified.scope),
  });

  recorder.take();
  await call(clientWith(accessToken), it, prepared);
  const [right, ...more] = recorder.take();
  if (right === undefined) throw new Error('nothing was sent');
  expect(more).toEqual([]);
  expect(right.status).toBe(specified.status);
  expect(check.problemsOfRequest(right)).toEqual([]);
  expect(check.problemsOfAnswer(right)).toEqual([]);
  expect(check.find(right)?.[1]['x-operations']).toContain(specified.name);
  if (specified.status === 200 && specified.response !== 'file') {
    expect(Object.keys(JSON.parse(right.answer.toString()))).toEqual(
      expect.arrayContaining([...specified.response]),
    );
  }

  const withoutToken = await service.ask(`/api/v2${right.path}`, { method: right.method, token: null });
  expect(withoutToken.status).toBe(401);
  for (const path of withUnknownIds(right, specified)) await refused(right, { path }, 404, path);

  const odd = await refusedFor(right, { path: withQuery(right.path, 'nonsense=1') }, 'nonsense');
  expect(check.problemsOfRequest(odd)).toEqual(['no query nonsense']);
  if (specified.request === 'page query') {
    const [path = ''] = right.path.split('?');
    const negative = await refusedFor(right, { path: `${path}?limit=-1` }, 'limit');
    expect(check.problemsOfRequest(negative)).not.toEqual([]);
    await refusedFor(right, { path: `${path}?sort=nonsense:asc` }, 'sort');
    await refusedFor(right, { path: `${path}?filters=(` }, 'filters');
  }
  if (specified.request === 'offset and limit')
    await refusedFor(right, { path: withQuery(right.path, 'sort=id:asc') }, 'sort');
  if (specified.request.endsWith('JSON')) {
    const body = JSON.parse(right.body.toString()) as Record<string, unknown>;
    const strange = await refusedFor(right, { body: JSON.stringify({ ...body, nonsense: 1 }) }, 'nonsense');
    expect(check.problemsOfRequest(strange)).not.toEqual([]);
    await refused(right, { body: '{"half":' }, 400, 'broken JSON');
    await refused(right, { body: '[]' }, 400, 'an array');
    const [required] = Object.keys(body);
    if (check.find(right)?.[1].requestBody?.required && required !== undefined) {
      const { [required]: _, ...rest } = body;
      const { error } = await refused(right, { body: JSON.stringify(rest) }, 400, required);
      expect(error.fields?.[0]).toMatchObject({ type: 'required' });
    }
  }
});
