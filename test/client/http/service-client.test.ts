import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { decodeRison } from '../../../src/client/http/rison.ts';
import { sendJson, type TestService, testClient, testService } from '../test-service.ts';

interface Named {
  readonly id: string;
}

const ids = (count: number, from = 0): Named[] =>
  Array.from({ length: count }, (_none, index) => ({ id: `c${from + index}` }));

function crawl({ id }: Named) {
  return { id, project_id: 'p', status: 'done' };
}

/** A service whose list of crawls is what `items` gives for each request. */
function listService(
  items: (request: number) => readonly Named[],
  total: (length: number) => number = (length) => length,
): Promise<TestService> {
  return testService((seen, response, count) => {
    const query = new URLSearchParams(seen.path.split('?')[1]);
    const offset = Number(query.get('offset'));
    const limit = Number(query.get('limit'));
    const all = items(count);
    sendJson(response, 200, {
      meta: { offset, limit, total: total(all.length), sort: null, filters: {} },
      crawls: all.slice(offset, offset + limit).map(crawl),
    });
  });
}

test('a list of several pages yields every item once, in order', async () => {
  const service = await listService(() => ids(250));
  const { items, total } = await testClient(service).all('crawls', { workspace_id: 'w 1/x' });
  expect(items.map((item) => item.id)).toEqual(ids(250).map((item) => item.id));
  expect(total).toBe(250);
  expect(service.seen.map((one) => one.path)).toEqual(
    [0, 100, 200].map((offset) => `/api/v2/workspaces/w%201%2Fx/crawls?offset=${offset}&limit=100`),
  );
});

test('a page shorter than requested does not end the list', async () => {
  const service = await testService((seen, response) => {
    const offset = Number(new URLSearchParams(seen.path.split('?')[1]).get('offset'));
    const items = ids(25).slice(offset, offset + 10);
    sendJson(response, 200, { meta: { offset, limit: 10, total: 25 }, crawls: items.map(crawl) });
  });
  const found = await Array.fromAsync(testClient(service).list('crawls', { workspace_id: 'w' }));
  expect(found.map((item) => item.id)).toEqual(ids(25).map((item) => item.id));
});

test('a record outside its contract is left out, and the others are read', async () => {
  const others = [{ id: 'b1', project_id: 'p', status: 7 }, { id: '', project_id: 7 }, null];
  const service = await testService((_seen, response) =>
    sendJson(response, 200, {
      meta: { offset: 0, limit: 100, total: 4 },
      crawls: [crawl({ id: 'a' }), ...others],
    }),
  );
  const pages = await Array.fromAsync(testClient(service).pages('crawls', { workspace_id: 'w' }));
  const broken = pages.flatMap((page) => page.broken);
  expect(pages.map(({ total, items }) => [total, items.map(({ id }) => id)])).toEqual([[4, ['a']]]);
  expect(broken.map(({ id, projectId }) => [id, projectId])).toEqual([
    ['b1', 'p'],
    ['item 3', null],
    ['item 4', null],
  ]);
  expect(broken.map(({ error }) => error.message)).toEqual([
    expect.stringMatching(/^crawls: b1 is outside its contract: status: /),
    expect.stringMatching(/^crawls: item 3 is outside its contract: \w+: /),
    expect.stringMatching(/^crawls: item 4 is outside its contract: Invalid input/),
  ]);
});

test('an empty list takes one request', async () => {
  const service = await listService(() => []);
  expect(await testClient(service).all('crawls', { workspace_id: 'w' })).toEqual({ items: [], total: 0 });
  expect(service.seen).toHaveLength(1);
});

test('a list that changes while it is read is read again', async () => {
  // Between the first and the second page an item comes in front, so one is seen twice and one is missed.
  const service = await listService((request) => (request === 1 ? ids(150) : [{ id: 'new' }, ...ids(150)]));
  const { items, total } = await testClient(service).all('crawls', { workspace_id: 'w' });
  expect(total).toBe(151);
  expect(new Set(items.map((item) => item.id)).size).toBe(151);
  expect(items.map((item) => item.id)).toContain('new');
});

test('a list that never matches its total ends in an error with both numbers', async () => {
  const service = await listService(
    () => ids(3),
    (length) => length + 1,
  );
  await expect(testClient(service).all('crawls', { workspace_id: 'w' })).rejects.toMatchObject({
    code: 'cut_short',
    message: 'GET /workspaces/w/crawls does not add up: the service counts 4, but its pages contain 3',
  });
});

test('an item-by-item list is also checked against the total of the service', async () => {
  const service = await listService(
    () => ids(3),
    (length) => length + 1,
  );
  const seen: string[] = [];
  const reading = async (): Promise<void> => {
    for await (const { id } of testClient(service).list('crawls', { workspace_id: 'w' })) seen.push(id);
  };
  await expect(reading()).rejects.toMatchObject({
    code: 'cut_short',
    message: 'GET /workspaces/w/crawls does not add up: the service counts 4, but its pages contain 3',
  });
  expect(seen).toEqual(['c0', 'c1', 'c2']);
});

test('a list that repeats the same page ends in an error', async () => {
  const service = await testService((_seen, response) =>
    sendJson(response, 200, { meta: { offset: 0, limit: 2, total: 1000 }, crawls: ids(2).map(crawl) }),
  );
  const message =
    'GET /workspaces/w/crawls does not add up: the service counts 1000, but its pages contain 2; the service repeated a page';
  await expect(testClient(service).all('crawls', { workspace_id: 'w' })).rejects.toMatchObject({
    code: 'cut_short',
    message,
  });
  expect(service.seen).toHaveLength(10);
  await expect(
    Array.fromAsync(testClient(service).list('crawls', { workspace_id: 'w' })),
  ).rejects.toMatchObject({ message });
});

test('sort, filters and offset are sent as the contract defines', async () => {
  const service = await listService(() => ids(3));
  const query = {
    offset: 2,
    limit: 1,
    sort: { name: 'created_at', order: 'desc' },
    filters: { field: ['status', 'equals', "do ne's"] },
  } as const;
  await Array.fromAsync(testClient(service).list('crawls', { workspace_id: 'w', query }));
  const sent = new URLSearchParams(service.seen[0]?.path.split('?')[1]);
  expect([sent.get('offset'), sent.get('limit'), sent.get('sort')]).toEqual(['2', '1', 'created_at:desc']);
  expect(decodeRison(sent.get('filters') ?? '')).toEqual(query.filters);
});

test('an export sends its file type in query and body, and the encodings it accepts', async () => {
  const service = await testService((_seen, response) => response.end('{"url":"x"}\n'));
  const client = testClient(service);
  const oql = { field: ['status_code', 'equals', 404] } as const;
  for (const [fileType, gzip] of [
    ['json', true],
    ['csv', false],
  ] as const) {
    const { body } = await client.export(
      { kind: 'crawl', id: 'c/1', dataType: 'pages' },
      { fields: ['url'], oql },
      { fileType, gzip },
    );
    await text(body);
  }
  expect(service.seen.map((one) => [one.method, one.path, one.headers['accept-encoding']])).toEqual([
    ['POST', '/api/v2/data/crawl/c%2F1/pages?export=true&file_type=json', 'gzip'],
    ['POST', '/api/v2/data/crawl/c%2F1/pages?export=true&file_type=csv', 'identity'],
  ]);
  expect(service.seen.map((one) => JSON.parse(one.body) as unknown)).toEqual([
    { fields: ['url'], oql, file_type: 'json' },
    { fields: ['url'], oql, file_type: 'csv' },
  ]);
});

test('the fields of a data type are returned as the service describes them, with unknown keys', async () => {
  const fields = [{ name: 'url', type: 'string', arity: 'one', can_display: true, novelty: 1 }];
  const service = await testService((_seen, response) => sendJson(response, 200, { fields }));
  expect(await testClient(service).fields({ kind: 'crawl', id: 'c', dataType: 'links' })).toEqual(fields);
  expect(service.seen[0]?.path).toBe('/api/v2/data/crawl/c/links/fields');
});

test('configurations are a plain list', async () => {
  const config = { id: 'a', name: 'n', start_url: 'https://x', user_agent: 'u', max_speed: 1 };
  const service = await testService((_seen, response) =>
    sendJson(response, 200, { crawl_configs: [config] }),
  );
  expect(await testClient(service).call('crawlConfigs', { project_id: 'p' })).toEqual([config]);
  expect(service.seen[0]?.path).toBe('/api/v2/projects/p/crawl_configs');
});

test('a missing id, or one that would change the path, is never sent', async () => {
  const service = await listService(() => []);
  const client = testClient(service);
  for (const [id, what] of [
    ['', 'is missing'],
    [undefined, 'is missing'],
    ['.', 'is "."'],
    ['..', 'is ".."'],
  ] as const) {
    // As from JavaScript, where no type keeps it out.
    await expect(
      client.call('deleteScheduledCrawl', { project_id: 'p', scheduled_crawl_id: id as string }),
    ).rejects.toMatchObject({
      code: 'invalid_request',
      message: `scheduled_crawl_id of /projects/{project_id}/scheduled_crawls/{scheduled_crawl_id} ${what}`,
    });
  }
  expect(service.seen).toEqual([]);
});

test('a list with empty pages is refused, because it would seem empty', async () => {
  const service = await listService(() => ids(3));
  for (const limit of [0, -1, Number.NaN])
    await expect(
      testClient(service).list('crawls', { workspace_id: 'w', query: { limit } }).next(),
    ).rejects.toMatchObject({ code: 'invalid_request' });
  expect(service.seen).toEqual([]);
});

test.each(['a read', 'a creation', 'an export'])(
  '%s that its caller aborts ends with a crawlhouse error',
  async (what) => {
    const service = await testService(() => {});
    const client = testClient(service);
    const calls: Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>> = {
      'a read': (signal) => client.call('workspace', { workspace_id: 'w' }, signal),
      'a creation': (signal) =>
        client.call(
          'createProject',
          { body: { project: { name: 'n', start_url: 'https://a.example/' } } },
          signal,
        ),
      'an export': (signal) =>
        client.export(
          { kind: 'crawl', id: 'c', dataType: 'pages' },
          {},
          { fileType: 'json', gzip: false },
          signal,
        ),
    };
    const call = calls[what] as (signal: AbortSignal) => Promise<unknown>;
    await expect(call(AbortSignal.abort())).rejects.toMatchObject({ code: 'interrupted' });
    await expect(call(AbortSignal.timeout(20))).rejects.toMatchObject({
      code: 'interrupted',
      message: 'the time limit was reached',
    });
  },
);

test('a call aborted while it waits for a retry ends with a crawlhouse error', async () => {
  const ending = new AbortController();
  const service = await testService((_seen, response) => {
    sendJson(response, 503, { type: 'internal_error' }, { 'retry-after': '600' });
    setTimeout(() => ending.abort(), 10);
  });
  await expect(
    testClient(service).call('workspace', { workspace_id: 'w' }, ending.signal),
  ).rejects.toMatchObject({ code: 'interrupted' });
});
