import { expect, test } from 'vitest';
import { type Json, sharedService } from '../support.ts';

const it = await sharedService({ generate: ['crawls=1,pages=3'] });
const workspace = await it.workspace();
const [crawl] = await it.crawls();
const pages = `/data/crawl/${String(crawl?.id)}/pages`;
const project = `/projects/${String(crawl?.project_id)}`;

/** What a request is told of its parameters: `name: message (type)`, each. */
async function told(path: string, body: unknown): Promise<string[]> {
  const { status, json } = await it.api(path, { body });
  expect(status).toBe(400);
  expect(json.type).toBe('invalid_request_parameters');
  return (json.fields as Json[]).map(({ name, message, type }) => `${name}: ${message} (${type})`);
}

test.each(['yes', 'True', '1', 'true&export=true', ''])(
  'export=%s gets a message with the valid form',
  async (value) => {
    expect(await told(`${pages}?export=${value}`, {})).toEqual([
      'export: must be true or false, given once (invalid_value)',
    ]);
  },
);

test('a message names the valid values, and the received one if helpful', async () => {
  const body = { limit: '5', offset: -1, fields: [], sort: [{ field: 1, order: 'up' }] };
  expect(await told(pages, body)).toEqual([
    'limit: must be a whole number, not a string (invalid_type)',
    'offset: must be at least 0 (too_small)',
    'fields: must be a list of at least 1 (too_small)',
    'sort[0].field: must be a string, not 1 (invalid_type)',
    'sort[0].order: must be "asc" or "desc", not "up" (invalid_value)',
  ]);
  expect(await told(pages, { limit: 1.5, offset: null, colour: 'red' })).toEqual([
    'limit: must be a whole number, not 1.5 (invalid_type)',
    'offset: must be a whole number, not null (invalid_type)',
    'colour: is not a parameter of this request: those here are limit, offset, oql, fields, sort (unknown)',
  ]);
});

test('a too large integer gets a message with the maximum', async () => {
  const answer = await it.api(pages, { raw: '{"limit": 99999999999999999999}' });
  expect(answer.json.message).toBe('limit: must be at most 9007199254740991, not 99999999999999999999');
});

test('the message refers to the alternative with the shape of the value', async () => {
  const aggs = [{ fields: [5, { nam: 'x' }], value: [{ field: 'clicks', method: 'avg', alias: 'a' }] }];
  const path = `/data/project/${String(crawl?.project_id)}/ranking_performance/aggs`;
  expect(await told(path, { aggs })).toEqual([
    'aggs[0].fields[0]: must be a string or an object, not 5 (invalid_type)',
    'aggs[0].fields[1].name: is required (required)',
    'aggs[0].fields[1].nam: is not a parameter of this request: those here are name (unknown)',
    'aggs[0].value[0].method: must be one of "sum", "cardinality", "weighted_average", "ctr", not "avg" (invalid_value)',
  ]);
  const target = { data_export: { data_type: 'page', resource_id: 'x', output_format: 'csv', target: 'c' } };
  expect(await told(`/workspaces/${workspace}/data_exports`, target)).toEqual([
    'target: must be "store_a" or "store_b" (invalid_value)',
  ]);
});

test('formats and lengths are described, without the sent value', async () => {
  const crawl_config = {
    id: 'x',
    name: '',
    start_url: 'https://a.example/',
    user_agent: 'A',
    max_speed: 3,
    dns: [{ host: 'a.example', ips: ['here'] }],
    notifications: { email_recipients: ['me'], custom_webhooks: [{ url: 'ftp://a', secret: 'short' }] },
  };
  expect(await told(`${project}/crawl_configs`, { crawl_config })).toEqual([
    'name: must be at least 1 character long (too_small)',
    'max_speed: must be 0.1, 0.2, 0.5, 1, 2, 5 or a multiple of 5, in URLs per second (invalid_value)',
    'dns[0].ips[0]: must be an IPv4 address or an IPv6 address (invalid_format)',
    'notifications.email_recipients[0]: must be an e-mail address (invalid_format)',
    'notifications.custom_webhooks[0].url: must be an address that begins with http:// or https:// (invalid_format)',
    'notifications.custom_webhooks[0].secret: must be at least 8 characters long (too_small)',
    'id: is not a parameter of this request (unknown)',
  ]);
});

test('a null body counts as no body, and is refused if there are no parameters', async () => {
  expect(await told(pages, null)).toEqual(['body: must be an object, not null (invalid_type)']);
  expect(await told(pages, [])).toEqual(['body: must be an object, not a list (invalid_type)']);
  const [config] = (await it.api(`${project}/crawl_configs`)).json.crawl_configs as Json[];
  expect(await told(`${project}/launch-crawl?configId=${config?.id}`, { max_url: 5 })).toEqual([
    'max_url: is not a parameter of this request: it has none here (unknown)',
  ]);
});

test('a name in use is named', async () => {
  const value = Buffer.from('{"access_key":"a","secret_key":"b"}').toString('base64');
  const body = { secret: { name: 'sandbox-store-b', type: 'store_b_credentials', value } };
  expect((await it.api(`/workspaces/${workspace}/secrets`, { body })).json).toEqual({
    type: 'duplicate_entry',
    message: 'there is a secret sandbox-store-b already',
    fields: [{ name: 'name', type: 'duplicate', message: 'is taken' }],
  });
});

test('HEAD responds like GET without a body, with the same rights', async () => {
  const head = await it.api('/workspaces', { method: 'HEAD' });
  const get = await it.api('/workspaces');
  expect(head).toMatchObject({ status: 200, text: '' });
  expect(head.headers['content-length']).toBe(get.headers['content-length']);
  expect((await it.api('/workspaces', { method: 'HEAD', token: null })).status).toBe(401);
});

test('an unknown method gets a message with the methods of the path', async () => {
  for (const [method, path, has] of [
    ['PUT', '/workspaces', 'GET'],
    ['OPTIONS', '/workspaces', 'GET'],
    ['GET', pages, 'POST'],
    ['GET', `${project}/ingest_files/x/y`, undefined],
  ] as const) {
    const answer = await it.api(path, { method });
    expect(answer.status).toBe(404);
    const hint = has === undefined ? '' : `: the path takes ${has}`;
    expect(answer.json).toEqual({
      type: 'resource_not_found',
      message: `${method} /api/v2${path} does not exist${hint}`,
    });
  }
});

test('a filter on an unknown field gets a message with the fields, if they are few', async () => {
  const filters = encodeURIComponent('(field:!(domain,equals,a.example))');
  const list = await it.api(`/workspaces/${workspace}/projects?filters=${filters}`);
  const known = 'those here are id, name, start_url, features';
  expect(list.json.message).toBe(`filters.field[0]: there is no field "domain": ${known}`);
  const oql = { field: ['colour', 'equals', 'red'] };
  expect(await told(pages, { oql })).toEqual(['oql.field[0]: there is no field "colour" (unknown_field)']);
});

test('an unreadable request gets a readable message', async () => {
  const typed = await it.api('/projects', { raw: 'x=1', headers: { 'content-type': 'text/plain' } });
  const large = await it.api('/projects', { raw: ' '.repeat(4 * 1024 * 1024 + 1) });
  const broken = await it.api('/crawls/%ZZ');
  expect([typed, large, broken].map(({ status, json }) => [status, json])).toEqual([
    [
      400,
      {
        type: 'invalid_request',
        message: 'this content type is not accepted: send JSON as application/json',
      },
    ],
    [400, { type: 'invalid_request', message: 'the body is larger than 4 MB' }],
    [400, { type: 'invalid_request', message: 'the address is not correctly percent-encoded' }],
  ]);
});
