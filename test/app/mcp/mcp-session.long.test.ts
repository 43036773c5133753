import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { readProof } from '../../../src/app/answers/prove/proof.ts';
import { Database, text } from '../../../src/core/duckdb/duckdb.ts';
import { crawlhouseProcess, rawProjectFolder, runProject, sandboxFor } from '../../support/project.ts';
import '../../support/process-timeout.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'src', 'app', 'cli', 'main.ts');

async function loadedProject(): Promise<string> {
  const sandbox = await sandboxFor({ generate: ['crawls=1,pages=12,links=5,columns=8,seed=3'] });
  const folder = await rawProjectFolder();
  await runProject(folder, sandbox, { pipelines: ['crawl_pages'] });
  return folder;
}

async function connected(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** What a tool answers: its one text, read. */
async function call(client: Client, name: string, given: object = {}) {
  const answer = await client.callTool({ name, arguments: given as Record<string, unknown> });
  const [content] = answer.content as [{ type: 'text'; text: string }];
  return { isError: answer.isError ?? false, text: content.text };
}

function overStdin(folder: string): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', '--project-dir', folder],
    env: { PATH: process.env.PATH ?? '' },
  });
}

test('a repeated question of an assistant starts no new process', async () => {
  const transport = overStdin(await loadedProject());
  const client = await connected(transport);
  const children = () => readFileSync(`/proc/${transport.pid}/task/${transport.pid}/children`, 'utf8').trim();
  const one = { text: '{"rows":[{"n":1}],"more_rows":false}' };
  expect(await call(client, 'query', { sql: 'SELECT 1 AS n' })).toMatchObject(one);
  const child = children();
  expect(child).toMatch(/^\d+$/);
  expect(await call(client, 'query', { sql: 'SELECT 1 AS n' })).toMatchObject(one);
  expect(children()).toBe(child);
});

test('over stdin, an invalid message gets an error, and the next message is answered', async () => {
  const argv = [PROGRAM, 'mcp', '--project-dir', await rawProjectFolder()];
  const child = spawn(process.execPath, argv, { env: { PATH: process.env.PATH ?? '' } });
  const ended = once(child, 'exit');
  const ping = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
  const lines = ['{bad', `[${ping(1)}]`, '{"jsonrpc":"2.0","id":2,"method":"nope"}', ping(3)];
  child.stdin.write(`${lines.join('\n')}\n`);
  let said = '';
  for await (const piece of child.stdout.setEncoding('utf8')) {
    said += piece;
    if (said.includes('"id":3')) child.stdin.end('{worse');
  }
  const answers = said
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.map(({ id, error }) => [id, error?.code]).sort()).toEqual([
    [null, -32600],
    [null, -32700],
    [null, -32700],
    [2, -32601],
    [3, undefined],
  ]);
  expect(await ended).toEqual([0, null]);
});

test('over stdin, an assistant finds tables, asks a question, reads rows, and is refused writes', async () => {
  const client = await connected(overStdin(await loadedProject()));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual([
    'ask_question',
    'column_lineage',
    'compare_crawls',
    'describe_table',
    'find_pages',
    'get_url',
    'list_issues',
    'list_questions',
    'list_tables',
    'prove',
    'query',
    'status',
  ]);
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);

  const tables = JSON.parse((await call(client, 'list_tables')).text);
  expect(tables.map(({ name }: { name: string }) => name)).toContain('raw.crawl_pages');
  const pages = JSON.parse((await call(client, 'describe_table', { table: 'raw.crawl_pages' })).text);
  expect((await call(client, 'column_lineage', { table: 'pages' })).text).toContain('no model mart.pages');
  expect(pages.columns.map(({ name }: { name: string }) => name)).toContain('url');
  expect((await call(client, 'describe_table', { table: 'raw.gone' })).text).toContain('no table raw.gone');

  const count = { sql: 'SELECT count(*) AS n, $n AS given FROM raw.crawl_pages', parameters: { n: 7 } };
  expect((await call(client, 'query', count)).text).toBe('{"rows":[{"n":12,"given":"7"}],"more_rows":false}');
  const proven = await call(client, 'prove', { figure: 'SELECT count(*) AS n FROM raw.crawl_pages' });
  expect(readProof(proven.text, 'answer')).toMatchObject({
    tables: [{ name: 'raw.crawl_pages' }],
    answer: { total: 1, rows: [[12]] },
  });
  // Whole numbers beyond 2^53 keep their digits; a cut answer says so.
  const many = { sql: 'SELECT 9007199254740993 + i AS n FROM range(10) AS t(i) ORDER BY i', limit: 2 };
  expect((await call(client, 'query', many)).text).toBe(
    '{"rows":[{"n":9007199254740993},{"n":9007199254740994}],"more_rows":true,"next_cursor":"2"}',
  );
  expect((await call(client, 'query', { ...many, cursor: '8' })).text).toBe(
    '{"rows":[{"n":9007199254741001},{"n":9007199254741002}],"more_rows":false}',
  );
  expect(JSON.parse((await call(client, 'query', { ...many, limit: 10 })).text).more_rows).toBe(false);

  for (const sql of ['DROP TABLE raw.crawl_pages', "COPY (SELECT 1) TO 'x.csv'", 'SELECT nothing']) {
    const refused = await call(client, 'query', { sql });
    expect([refused.isError, JSON.parse(refused.text).error.code], sql).toEqual([true, 'bad_query']);
  }
  // This project has no models.
  for (const name of ['list_issues', 'find_pages']) {
    const { isError, text } = await call(client, name);
    expect([isError, text]).toEqual([true, expect.stringContaining('crawlhouse transform builds them')]);
  }
  const unknown = await call(client, 'ask_question', { name: 'q05_status' });
  expect([unknown.isError, unknown.text]).toEqual([true, expect.stringContaining('no saved question')]);
  const status = JSON.parse((await call(client, 'status')).text);
  expect([status.incidents, status.runs.length]).toEqual([[], 1]);
});

test('over HTTP, only clients with the token can ask saved questions with parameters', async () => {
  const folder = await loadedProject();
  await writeFile(
    join(folder, 'crawlhouse.yaml'),
    'shipped_models: none\nmcp_token: planted-assistant-token\n',
  );
  await mkdir(join(folder, 'sql', 'questions'), { recursive: true });
  await writeFile(
    join(folder, 'sql', 'questions', 'q90_shown.sql'),
    `/*\ntitle: Numbers\nmodel: mart.pages\ndescription: Some numbers.\nneeds: [logs]\nparameters:\n  most: { type: BIGINT, default: 3, description: The most. }\n*/\nSELECT i FROM range($most) AS t(i)\n`,
  );
  {
    const [memoryLimit, tempDirectory] = ['100MB', join(folder, 'tmp')];
    await using database = await Database.open({ memoryLimit, threads: 1, tempDirectory });
    const connection = await database.connect();
    await connection.run(`ATTACH ${text(join(folder, 'warehouse.duckdb'))} AS w`);
    for (const columns of [
      'projects (project_id TEXT, project_name TEXT)',
      'log_days (project_id TEXT, day DATE)',
    ])
      await connection.run(`CREATE TABLE w.mart.${columns}`);
  }
  const child = crawlhouseProcess(folder, ['mcp', '--http', '127.0.0.1:0'], {});
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
    expect(said).not.toContain('planted-assistant-token');
  });
  while (!said.includes('/mcp')) await once(child.stderr, 'data');
  const url = new URL(/http:\S+/.exec(said)?.[0] ?? '');
  const withHeaders = (headers: Record<string, string>) =>
    new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  await expect(connected(withHeaders({}))).rejects.toThrow();
  const bearer = { authorization: 'Bearer planted-assistant-token' };
  const client = await connected(withHeaders(bearer));
  const asked = { name: 'q90_shown', parameters: { most: 2 } };
  expect((await call(client, 'ask_question', asked)).text).toBe(
    '{"rows":[{"i":0},{"i":1}],"more_rows":false}',
  );
  expect((await call(client, 'ask_question', { ...asked, parameters: { most: 0 } })).text).toBe(
    '{"rows":[],"more_rows":false,"why":"The question needs log files; the warehouse has none."}',
  );
  const { questions, parameters } = JSON.parse((await call(client, 'list_questions')).text);
  expect(parameters.project.description).toContain('by its name or identifier');
  const [question] = questions;
  expect(question).toMatchObject({ name: 'q90_shown', title: 'Numbers', parameters: [{ name: 'most' }] });
  const wrong = await call(client, 'ask_question', { ...asked, parameters: { most: 'x' } });
  expect([wrong.isError, wrong.text]).toEqual([true, expect.stringContaining('most=x is not a BIGINT')]);
  // A web page that has a name for this address sends that name; one of another port here, its port.
  const statusFrom = async (headers: Record<string, string>): Promise<number | undefined> => {
    const asked = request(url, {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json', ...headers },
    });
    asked.end('{}');
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
  const { host, port } = url;
  for (const origin of [
    'https://evil.example',
    `http://127.0.0.1:${Number(port) + 1}`,
    'http://127.0.0.1',
    `http://localhost:${port}`,
    `http://evil.example:${port}`,
    `http://${host}.evil.example`,
    'null',
    '',
  ])
    expect([origin, await statusFrom({ origin })]).toEqual([origin, 403]);
  for (const name of ['evil.example', `evil.example:${port}`, `127.0.0.1.nip.io:${port}`])
    expect([name, await statusFrom({ host: name, origin: `http://${name}` })]).toEqual([name, 403]);
  expect(await statusFrom({ origin: `http://${host}` })).not.toBe(403);
  const large = await fetch(url, {
    method: 'POST',
    headers: { ...bearer, 'content-type': 'application/json' },
    body: Buffer.alloc(20_000_000, ' '),
  });
  expect([large.status, await large.json()]).toEqual([
    413,
    expect.objectContaining({
      id: null,
      error: { code: -32600, message: 'Invalid Request: a message has at most 4000000 bytes' },
    }),
  ]);
});

test('an assistant reads resources and prompts by name, whatever the name of a project', async () => {
  const client = await connected(overStdin(await loadedProject()));
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri).sort()).toEqual([
    'crawlhouse://definitions',
    'crawlhouse://dictionary',
  ]);
  for (const { uri, mimeType } of resources) {
    const { contents } = await client.readResource({ uri });
    expect([mimeType, contents[0]?.uri]).toEqual(['text/markdown', uri]);
  }
  for (const uri of [
    'crawlhouse://gone',
    'crawlhouse://definitions/../../../../etc/passwd',
    'crawlhouse://definitions%2f..%2f..%2fpackage.json',
    'file:///etc/passwd',
    '',
  ])
    await expect(client.readResource({ uri }), uri).rejects.toThrow();

  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name).sort()).toEqual(['migration_check', 'weekly_review']);
  const textOf = async (name: string, given: Record<string, string>): Promise<string> => {
    const { messages } = await client.getPrompt({ name, arguments: given });
    expect(messages.map(({ role }) => role)).toEqual(['user']);
    const [message] = messages as { content: { text: string } }[];
    return String(message?.content.text);
  };
  for (const project of ['Shop', "O'Neil & <b>", '$& $1', 'two\nlines', '\u202eevil', '__proto__'])
    expect(await textOf('weekly_review', { project })).toContain(`of the project ${project} for`);
  const review = await textOf('migration_check', { project: 'Shop', from: '-2', to: 'latest' });
  expect(review).toContain('the crawl -2 is from before it, the crawl latest from after it');
  // Each tool and question that a review names is there.
  const { tools } = await client.listTools();
  const shipped = await readdir(join(import.meta.dirname, '../../../sql/questions'));
  for (const name of review.match(/\bq\d\d_\w+/g) ?? []) expect(shipped).toContain(`${name}.sql`);
  for (const name of review.match(/\b(?:compare|find|get|ask|list)_\w+/g) ?? [])
    expect(tools.map((tool) => tool.name)).toContain(name);
  for (const [name, given] of [
    ['weekly_review', {}],
    ['migration_check', { project: 'Shop' }],
    ['gone', { project: 'Shop' }],
    ['toString', {}],
  ] as const)
    await expect(client.getPrompt({ name, arguments: given }), name).rejects.toThrow();
});
