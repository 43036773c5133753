import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { type AssistantReaders, assistantServer } from '../../../src/app/mcp/assistant-tools.ts';
import { listenForAssistants } from '../../../src/app/mcp/listen-for-assistants.ts';
import { CrawlhouseError } from '../../../src/core/errors/errors.ts';
import { createLogger, silentLogger } from '../../../src/core/logs/logger.ts';

const TOKEN = 'token-of-the-assistant';

test('a failing tool or server answers with the identifier under which its cause is logged', async () => {
  const lines: string[] = [];
  const logger = createLogger('error', (line) => lines.push(line));
  const broken = async (): Promise<never> => {
    throw new Error('it failed', { cause: new Error('the ledger is gone') });
  };
  const readers: AssistantReaders = {
    select: broken,
    catalog: broken,
    questions: broken,
    lineage: broken,
    status: broken,
    prove: broken,
    logger,
  };
  let fails = false;
  const serverFor = () => {
    if (fails) throw new Error('no server', { cause: new Error('out of sockets') });
    return assistantServer(readers, '1.0.0');
  };
  const listener = await listenForAssistants('127.0.0.1:0', TOKEN, serverFor, logger);
  onTestFinished(() => listener[Symbol.asyncDispose]());
  const headers = { authorization: `Bearer ${TOKEN}` };
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(listener.url), { requestInit: { headers } }),
  );
  onTestFinished(() => client.close());
  const answer = await client.callTool({ name: 'status', arguments: {} });
  expect(answer.isError).toBe(true);
  const [, id] = /error_id ([0-9a-f]{8})/.exec(JSON.stringify(answer.content)) ?? [];
  expect(lines.splice(0)).toEqual([
    expect.stringMatching(new RegExp(`error_id=${id} .*tool=status .*the ledger is gone`)),
  ]);
  fails = true;
  const accept = 'application/json, text/event-stream';
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const init = { method: 'POST', headers: { ...headers, accept, 'content-type': 'application/json' }, body };
  const failed = await fetch(listener.url, init);
  expect(failed.status).toBe(500);
  expect(lines).toEqual([expect.stringMatching(/error_id=[0-9a-f]{8} .*no server.*out of sockets/)]);
});

test('assistants get their own limits, which settings cannot raise; conditions and integers are limited', async () => {
  const asked: unknown[] = [];
  const unused = async (): Promise<never> => {
    throw new Error('not asked');
  };
  const readers: AssistantReaders = {
    catalog: unused,
    questions: unused,
    lineage: unused,
    status: unused,
    prove: unused,
    logger: silentLogger,
    select: async ({ sql, parameters }) => {
      asked.push(Object.fromEntries(parameters));
      if (sql.includes('slow'))
        throw new CrawlhouseError('query_limit', 'it ran too long', {
          hint: 'raise query_timeout in crawlhouse.yaml',
        });
      return { lines: '{"n":18446744073709551615}\n', why: null, scope: [] };
    },
  };
  const listener = await listenForAssistants(
    '127.0.0.1:0',
    TOKEN,
    () => assistantServer(readers, '1'),
    silentLogger,
  );
  onTestFinished(() => listener[Symbol.asyncDispose]());
  const client = new Client({ name: 'test', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(listener.url), { requestInit }));
  onTestFinished(() => client.close());
  const answer = async (name: string, given: Record<string, unknown>) => {
    const { content, isError } = await client.callTool({ name, arguments: given });
    return [isError ?? false, (content as { text: string }[])[0]?.text];
  };
  const [, slow] = await answer('query', { sql: 'SELECT slow' });
  expect(slow).toMatch(
    /"hint":"request less: fewer rows with limit, or fewer columns\. An assistant gets at most \S+ and waits at most \d+ s"/,
  );
  expect(slow).not.toMatch(/query_timeout|crawlhouse\.yaml/);
  const where = (condition: string, count: number) => ({
    where: Array.from({ length: count }, () => condition),
  });
  for (const given of [
    where('true', 21),
    where('x'.repeat(2001), 1),
    where('', 1),
    { where: 'true' },
    { where: [1] },
  ])
    expect(await answer('find_pages', given)).toEqual([true, expect.stringContaining('where')]);
  const sql = 'SELECT $n';
  // A literal of JavaScript would be rounded before it is sent.
  for (const n of [2 ** 53, -(2 ** 53), 1e20]) {
    const refused = expect.stringContaining('write a whole number beyond 9007199254740991 as a text');
    expect(await answer('query', { sql, parameters: { n } })).toEqual([true, refused]);
  }
  asked.length = 0;
  for (const n of ['9007199254740993', 2 ** 53 - 1, -0.5, true])
    expect(await answer('query', { sql, parameters: { n } })).toEqual([
      false,
      '{"rows":[{"n":18446744073709551615}],"more_rows":false}',
    ]);
  expect(asked).toEqual([{ n: '9007199254740993' }, { n: '9007199254740991' }, { n: '-0.5' }, { n: 'true' }]);
});

/** Connects to a server with these readers. */
async function connected(readers: Partial<AssistantReaders>): Promise<Client> {
  const server = () => assistantServer({ ...readers, logger: silentLogger } as AssistantReaders, '1');
  const listener = await listenForAssistants('127.0.0.1:0', TOKEN, server, silentLogger);
  onTestFinished(() => listener[Symbol.asyncDispose]());
  const client = new Client({ name: 'test', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(listener.url), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

test('describe_table returns the columns whose names contain a text', async () => {
  const columns = ['url', 'title', 'Title_length'].map((name) => ({ name, type: 'VARCHAR', comment: null }));
  const catalog = [{ name: 'mart.pages', comment: null, columns }];
  const client = await connected({ catalog: async () => catalog as never });
  const described = async (of: string): Promise<unknown> => {
    const given = { table: 'pages', columns: of };
    const { content } = await client.callTool({ name: 'describe_table', arguments: given });
    return JSON.parse((content as { text: string }[])[0]?.text ?? '');
  };
  expect(await described('title')).toMatchObject({ columns: [{ name: 'title' }, { name: 'Title_length' }] });
  expect(await described('')).toMatchObject({ columns: [{}, {}, {}] });
  expect(await described('h1')).toBe('no column of mart.pages contains h1');
});

test('column_lineage names the loaded columns behind a column, and near names for an unknown one', async () => {
  const lineage = new Map([
    [
      'mart.pages',
      new Map([
        ['is_https', ['raw.crawl_pages.url', 'raw.crawl_pages.url_schema']],
        ['custom_*', []],
      ]),
    ],
  ]);
  const client = await connected({ lineage: async () => lineage });
  const lineageOf = async (given: Record<string, string>): Promise<unknown> => {
    const { content } = await client.callTool({ name: 'column_lineage', arguments: given });
    return JSON.parse((content as { text: string }[])[0]?.text ?? '');
  };
  const sources = ['raw.crawl_pages.url', 'raw.crawl_pages.url_schema'];
  expect(await lineageOf({ table: 'pages', column: 'is_https' })).toEqual({
    table: 'mart.pages',
    column: 'is_https',
    sources,
  });
  expect(await lineageOf({ table: 'mart.pages' })).toEqual({
    table: 'mart.pages',
    columns: { is_https: sources, 'custom_*': [] },
  });
  expect(await lineageOf({ table: 'pages', column: 'custom_price' })).toMatchObject({
    sources: 'the loaded column of this name: the model copies all custom_*',
  });
  expect(await lineageOf({ table: 'page' })).toBe('there is no model mart.page: did you mean mart.pages?');
  expect(await lineageOf({ table: 'pages', column: 'is_http' })).toBe(
    'mart.pages has no column is_http: did you mean is_https?',
  );
  expect(await lineageOf({ table: 'pages', column: 'constructor' })).toBe(
    'mart.pages has no column constructor',
  );
});
