import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { serveConsole } from '../../../src/app/console/server/serve-console.ts';
import { type AssistantReaders, assistantServer } from '../../../src/app/mcp/assistant-tools.ts';
import { listenForAssistants } from '../../../src/app/mcp/listen-for-assistants.ts';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { encodeRison } from '../../../src/client/http/rison.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { stringifyJson } from '../../../src/core/text/json.ts';
import { startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { fuzzFolder } from '../folder.ts';
import { Fault, type Target, type Verdict } from '../target.ts';
import { oqlTree } from './oql-tree.ts';

const WAIT_MS = 8000;
const MARK = '<fuzz>';

interface Sent {
  readonly port: number;
  readonly headers: string;
}

/**
 * Sends a request as it is: the first line is METHOD and path, or with `RAW` behind it all bytes; the rest is the body.
 * The server has to answer or close, and no answer may be a fault of its own.
 */
async function ask(input: Buffer, { port, headers }: Sent): Promise<string> {
  const end = input.indexOf(10);
  const first = (end < 0 ? input : input.subarray(0, end)).toString('latin1').replaceAll(/[\r\n]/g, '');
  const body = end < 0 ? Buffer.alloc(0) : input.subarray(end + 1);
  const request = first.startsWith('RAW')
    ? body
    : Buffer.concat([
        Buffer.from(
          `${first} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${headers}content-length: ${body.length}\r\nconnection: close\r\n\r\n`,
          'latin1',
        ),
        body,
      ]);
  const socket = connect(port, '127.0.0.1');
  socket.setTimeout(WAIT_MS, () => socket.destroy());
  const pieces: Buffer[] = [];
  socket.on('error', () => {});
  socket.on('data', (piece) => pieces.push(piece));
  socket.end(request);
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return Buffer.concat(pieces).toString('latin1');
}

function judge(answer: string, input: Buffer): Verdict {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
  if (status >= 500 && status !== 501 && status !== 503 && status !== 505)
    throw new Fault(`the status ${status}`, answer.slice(0, 800));
  if (
    /(?:\/|\\)(?:src|node_modules)(?:\/|\\)|\bat \w+ \(/.test(answer) &&
    !/src|node_modules/.test(input.toString('latin1'))
  )
    throw new Fault('an answer shows a place in the program', answer.slice(0, 1500));
  const isHtml = /^content-type: text\/html/im.test(answer);
  if (isHtml && answer.includes(MARK))
    throw new Fault('a text of the request is markup in the answer', answer.slice(0, 1500));
  return status > 0 && status < 400 ? 'taken' : 'refused';
}

const WORDS = [
  'GET ',
  'POST ',
  'PUT ',
  'DELETE ',
  '?',
  '&',
  '=',
  '%00',
  '%2e%2e%2f',
  '..',
  MARK,
  '%3Cfuzz%3E',
  '\r\n',
  ' HTTP/1.1',
  'host: a',
  'transfer-encoding: chunked',
  'content-length: 5',
  'limit=',
  'offset=',
  'sort=',
  'filters=',
  '-1',
  '1e9',
  '{"',
  '"}',
  '[]',
  'null',
  '9007199254740993',
];

/** The local service, with a project of two crawls. */
export const localService: Target = {
  name: 'local-service',
  seeds: [
    'GET /api/v2/workspaces?limit=10&offset=0',
    'GET /api/v2/workspaces/@w@/crawls?sort=created_at:desc&filters=(field:!(status,equals,done))',
    'GET /api/v2/workspaces/@w@/projects?limit=1',
    'GET /api/v2/data/crawl/@c@/pages/fields',
    'POST /api/v2/data/crawl/@c@/pages?limit=5\n{"fields":["url","status_code"],"oql":{"field":["status_code","gte",200]},"sort":[["url","asc"]]}',
    'POST /api/v2/data/crawl/@c@/pages/aggregate\n{"aggregates":[{"name":"a","terms":[{"field":"status_code"}]}]}',
    'POST /api/v2/data/crawl/@c@/pages?export=true&file_type=json\n{"fields":["url"]}',
    'POST /api/v2/projects\n{"name":"a","start_url":"https://a.example/"}',
    'POST /oauth/token\ngrant_type=refresh_token&refresh_token=a',
    'GET /docs',
    'RAW\nGET / HTTP/1.1\r\nhost: a\r\n\r\n',
  ],
  words: [
    ...WORDS,
    '@w@',
    '@c@',
    '/api/v2/',
    'workspaces',
    'crawls',
    'projects',
    'data',
    'crawl',
    'pages',
    'links',
    'fields',
    '"oql"',
    '"fields"',
    '"sort"',
    '"aggregates"',
  ],
  grammar: oqlTree.chain((tree) =>
    fc.constantFrom(
      `GET /api/v2/workspaces/@w@/crawls?filters=${encodeRison(tree)}`,
      `POST /api/v2/data/crawl/@c@/pages?limit=3\n${stringifyJson({ fields: ['url'], oql: tree })}`,
    ),
  ),
  shortRound: 60,
  seconds: 6,
  async open() {
    const sandbox = await startSandbox({ generate: ['projects=1,crawls=2,pages=20,columns=8'] });
    const { baseUrl, accessToken } = sandbox;
    const get = async (path: string): Promise<Record<string, { readonly id: string }[]>> =>
      (await (
        await fetch(`${baseUrl}/api/v2${path}`, { headers: { authorization: `Bearer ${accessToken}` } })
      ).json()) as never;
    const workspace = (await get('/workspaces')).workspaces?.[0]?.id ?? '';
    const crawl = (await get(`/workspaces/${workspace}/crawls`)).crawls?.[0]?.id ?? '';
    const port = Number(new URL(baseUrl).port);
    const headers = `authorization: Bearer ${accessToken}\r\ncontent-type: application/json\r\n`;
    return {
      close: () => sandbox.close(),
      check: async (input) => {
        const named = Buffer.from(
          input.toString('latin1').replaceAll('@w@', workspace).replaceAll('@c@', crawl),
          'latin1',
        );
        // Faults on demand and crawls of websites are what they are asked for.
        if (/_sandbox|launch|schedul|DELETE/i.test(named.toString('latin1'))) return 'refused';
        return judge(await ask(named, { port, headers }), input);
      },
    };
  },
};

/** The console of a project without a warehouse, asked by a person who is signed in. */
export const consolePages: Target = {
  name: 'console',
  seeds: [
    'GET /',
    'GET /projects/a/pages?crawl=latest&depth=gte:4&where=status_code%20%3E%20400',
    'GET /ask?sql=SELECT%201',
    'GET /projects/%3Cfuzz%3E/issues',
    'GET /runs/a?page=2',
    'POST /ask\nsql=SELECT+1',
    'GET /openapi.json',
    'GET /units/crawl_pages/%3Cfuzz%3E',
    'RAW\nGET /?a=<fuzz> HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n',
  ],
  words: [
    ...WORDS,
    'projects',
    'pages',
    'issues',
    'urls',
    'compare',
    'questions',
    'ask',
    'runs',
    'units',
    'notes',
    'schedule',
    'health',
    'sql=',
    'crawl=',
    'column.',
    'where=',
  ],
  shortRound: 60,
  seconds: 6,
  async open() {
    const { folder, close } = fuzzFolder();
    writeFileSync(join(folder, 'schedules.yaml'), 'schedules: []\n');
    mkdirSync(join(folder, 'pipelines'));
    const settings = await loadSettings(folder, {});
    const served = await serveConsole(settings, '127.0.0.1:0', silentLogger, new AbortController().signal);
    const signedIn = await fetch(served.newLink() ?? '', { redirect: 'manual' });
    const [session = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
    const port = Number(new URL(served.url).port);
    const headers = `cookie: ${session}\r\norigin: ${served.url}\r\ncontent-type: application/x-www-form-urlencoded\r\n`;
    return {
      check: async (input) => judge(await ask(input, { port, headers }), input),
      close: async () => {
        await served[Symbol.asyncDispose]();
        await close();
      },
    };
  },
};

const call = (method: string, params: object): string =>
  `POST /mcp\n${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}`;

/** Assistants over HTTP. */
export const assistants: Target = {
  name: 'mcp',
  seeds: [
    call('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    }),
    call('tools/list', {}),
    call('tools/call', { name: 'query', arguments: { sql: 'SELECT 1' } }),
    call('tools/call', { name: 'describe_table', arguments: { table: 'mart.pages' } }),
    call('resources/list', {}),
    call('prompts/get', { name: 'a', arguments: {} }),
    `POST /mcp\n[${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}]`,
  ],
  words: [
    ...WORDS,
    '"jsonrpc"',
    '"2.0"',
    '"id"',
    '"method"',
    '"params"',
    '"tools/call"',
    '"arguments"',
    '"name"',
    'find_pages',
    'get_url',
    'compare_crawls',
    'ask_question',
    'status',
  ],
  shortRound: 100,
  async open() {
    const none = async (): Promise<never[]> => [];
    const readers = {
      select: async () => ({ lines: '', why: null }),
      catalog: none,
      questions: none,
      status: async () => ({}),
      logger: silentLogger,
    } as unknown as AssistantReaders;
    const listener = await listenForAssistants(
      '127.0.0.1:0',
      'token',
      () => assistantServer(readers, '1'),
      silentLogger,
    );
    const port = Number(new URL(listener.url).port);
    const headers =
      'authorization: Bearer token\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\n';
    return {
      check: async (input) => judge(await ask(input, { port, headers }), input),
      close: () => Promise.resolve(listener[Symbol.asyncDispose]()),
    };
  },
};
