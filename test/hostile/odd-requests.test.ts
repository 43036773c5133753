import { expect, onTestFinished, test } from 'vitest';
import { PAGES } from '../../src/app/console/pages/all-pages.ts';
import { serveConsole } from '../../src/app/console/server/serve-console.ts';
import { assistantServer } from '../../src/app/mcp/assistant-tools.ts';
import { listenForAssistants } from '../../src/app/mcp/listen-for-assistants.ts';
import { ENDPOINTS } from '../../src/client/endpoints.ts';
import { ServiceClient } from '../../src/client/http/service-client.ts';
import { createLogger } from '../../src/core/logs/logger.ts';
import { sqlFolders } from '../../src/etl/project/sql/models/sql-folders.ts';
import { loadQuestions } from '../../src/etl/project/sql/questions/questions.ts';
import { startSandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { consoleProject } from '../support/console-project.ts';
import {
  type Door,
  INHERITED_NAMES,
  type OddRequest,
  OddRequests,
  statusOf,
} from '../support/odd-requests.ts';
import { ALL_ROUNDS, roundSeed, seededRandom } from '../support/random.ts';
import { temporaryFolder } from '../support/temporary.ts';
import '../support/process-timeout.ts';
import { runs } from '../support/runs.ts';

const REQUESTS = runs(ALL_ROUNDS ? 5000 : 150);
const AT_ONCE = 4;
/** A name that nothing has. */
const UNKNOWN = 'nosuchname';

/** The requests that were answered with an error of the server's own. */
async function failuresAt(door: Door, errors: readonly string[]): Promise<string[]> {
  const requests = new OddRequests(door, seededRandom(roundSeed()));
  const failed: string[] = [];
  const check = async (request: OddRequest): Promise<void> => {
    const before = errors.length;
    const status = await statusOf(door.url, request);
    if (status !== null && status >= 500)
      failed.push(
        JSON.stringify([
          status,
          request.method,
          request.path,
          request.headers,
          request.body,
          errors.slice(before),
        ]).slice(0, 1500),
      );
  };
  for (let done = 0; done < REQUESTS; done += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => check(requests.next())));
  return failed;
}

/** Requests whose inherited name is answered otherwise than a name that nothing has. */
async function differingAt(
  url: string,
  headers: OddRequest['headers'],
  templates: readonly (readonly [method: string, path: string, body?: string])[],
): Promise<unknown[]> {
  const differing: unknown[] = [];
  for (const [method, path, body = ''] of templates) {
    const ask = (name: string): Promise<number | null> => {
      const sent = body.replaceAll('NAME', name);
      const own = [
        ['Host', new URL(url).host],
        ['Content-Type', 'application/json'],
        ['Content-Length', String(sent.length)],
        ['Connection', 'close'],
      ] as const;
      return statusOf(url, {
        method,
        path: path.replaceAll('NAME', name),
        headers: [...own, ...headers],
        body: sent,
      });
    };
    const expected = await ask(UNKNOWN);
    for (const name of INHERITED_NAMES) {
      const status = await ask(name);
      if (status !== expected) differing.push({ method, path, body, name, status, expected });
    }
  }
  return differing;
}

function errorLog() {
  const errors: string[] = [];
  return { errors, logger: createLogger('error', (line) => errors.push(line)) };
}

test('no request to the console gives a 500', async () => {
  const settings = await consoleProject(await temporaryFolder(), async () => {}, { withQuestions: true });
  const { errors, logger } = errorLog();
  const served = await serveConsole(settings, '127.0.0.1:0', logger, new AbortController().signal);
  onTestFinished(() => served[Symbol.asyncDispose]());
  const signedIn = await fetch(served.newLink() ?? '', { redirect: 'manual' });
  const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
  const page = await (await fetch(`${served.url}/ask`, { headers: { cookie } })).text();
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page) ?? [];
  expect(csrf).not.toBe('');
  const others = [
    '/sign-in',
    '/sign-out',
    '/ask',
    '/ask/keep',
    '/ask/download',
    '/ask/catalog.json',
    '/do/start',
    '/live',
    '/openapi.json',
    '/assets/:name',
    '/projects/:id/notes',
    '/:name',
  ];
  const door = {
    url: served.url,
    paths: [...PAGES.map(({ path }) => path), ...PAGES.map(({ path }) => `${path}.json`), ...others],
    names:
      'sql question kept edit sort filter page format project crawl name key to action limit text kind date column chart type.x run value'.split(
        ' ',
      ),
    values: [
      'SELECT 1',
      'SELECT $__proto__',
      'SELECT $constructor',
      'q05_status_codes_by_crawl',
      'csv',
      'parquet',
      'url',
      '-url',
      'latest',
      'status_code:eq:200',
      '{"field":["__proto__","eq","1"]}',
    ],
    known: { headers: [['Cookie', cookie]] as const, form: `csrf=${encodeURIComponent(csrf)}` },
  };
  expect(await failuresAt(door, errors)).toEqual([]);
  const inherited = [
    '/NAME',
    '/ask?question=NAME',
    '/ask?edit=NAME',
    '/ask?run=1&sql=SELECT+%24NAME&param.NAME=1',
    '/ask?question=q05_status_codes_by_crawl&param.NAME=1',
    '/ask/download?format=NAME',
    '/?NAME=1',
    '/projects/NAME',
    '/runs/NAME',
    '/assets/NAME',
  ];
  expect(
    await differingAt(
      served.url,
      [['Cookie', cookie]],
      inherited.map((path) => ['GET', path]),
    ),
  ).toEqual([]);
  expect(await differingAt(served.url, [['Cookie', 'NAME=1']], [['GET', '/']])).toEqual([]);
  expect((await fetch(`${served.url}/sign-in`, { method: 'POST' })).status).toBe(401);
});

test('no request to the local service gives a 500', async () => {
  const { errors, logger } = errorLog();
  const sandbox = await startSandbox({ generate: ['crawls=1,pages=12,links=5,columns=8,seed=3'], logger });
  onTestFinished(() => sandbox.close());
  const { origin } = new URL(sandbox.baseUrl);
  const headers = [['Authorization', `Bearer ${sandbox.accessToken}`]] as const;
  await using client = new ServiceClient({ baseUrl: sandbox.baseUrl, accessToken: sandbox.accessToken });
  const [workspace] = await Array.fromAsync(client.list('workspaces', {}));
  const workspace_id = String(workspace?.id);
  const [project] = await Array.fromAsync(client.list('projects', { workspace_id }));
  const [crawl] = await Array.fromAsync(client.list('crawls', { workspace_id }));
  const ids = {
    workspace_id,
    project_id: String(project?.id),
    crawl_id: String(crawl?.id),
    data_type: 'pages',
  };
  const door = {
    url: origin,
    paths: [
      ...Object.values(ENDPOINTS).map(({ path }) => `/api/v2${path}`),
      ...Array.from({ length: 9 }, () => '/api/v2/projects/{project_id}/ingest_files'),

      '/oauth/authorize',
      '/oauth/token',
      '/oauth/{x}',
      '/downloads/{x}',
      '/_sandbox/{resource}/{id}',
      '/_sandbox/faults',
      '/_sandbox/requests',
      '/',
      '/docs',
      '/{x}',
    ],
    names:
      'fields oql limit offset sort filter aggs name value and or not field export format id status group_by method expires_at scopes client_id redirect_uri scope state grant_type'.split(
        ' ',
      ),
    ids: new Map(Object.entries(ids)),
    values: [
      'pages',
      'links',
      'crawls',
      'tokens',
      'projects',
      'url',
      'csv',
      'json',
      '(field:!(__proto__,eq,1))',
      '(field:!(url,toString,1))',
      '!(constructor)',
      'sum',
      'eq',
    ],
    known: { headers, form: 'grant_type=authorization_code' },
  };
  expect(await failuresAt(door, errors)).toEqual([]);
  const data = `/api/v2/data/crawl/${ids.crawl_id}/pages`;
  const inherited = [
    ['GET', '/api/v2/crawls/NAME'],
    ['GET', `/api/v2/projects/${ids.project_id}?NAME=1`],
    ['GET', `/api/v2/workspaces/${workspace_id}/projects?sort=NAME`],
    ['GET', `/api/v2/data/crawl/${ids.crawl_id}/NAME/fields`],
    ['POST', data, '{"fields":["NAME"]}'],
    ['POST', data, '{"fields":["url"],"oql":{"field":["NAME","eq",1]}}'],
    ['POST', data, '{"fields":["url"],"oql":{"field":["url","NAME",1]}}'],
    ['POST', data, '{"fields":["url"],"NAME":1}'],
    ['POST', `${data}/aggs`, '{"aggs":[{"fields":[{"name":"NAME"}]}]}'],
    ['PATCH', '/_sandbox/NAME/1', '{}'],
  ] as const;
  expect(await differingAt(origin, headers, inherited)).toEqual([]);
});

test("no request to the assistants' endpoint gives a 500", async () => {
  const settings = await consoleProject(await temporaryFolder(), async () => {}, { withQuestions: true });
  const { errors, logger } = errorLog();
  const readers = {
    select: async () => ({ columns: [], rows: [] }),
    catalog: async () => [],
    questions: () => loadQuestions(sqlFolders(settings)),
    status: async () => ({}),
    logger,
  };
  const listener = await listenForAssistants(
    '127.0.0.1:0',
    'token',
    () => assistantServer(readers as never, '1.0.0'),
    logger,
  );
  onTestFinished(() => listener[Symbol.asyncDispose]());
  const door = {
    url: new URL(listener.url).origin,
    paths: ['/mcp', '/mcp', '/mcp', '/mcp/{x}', '/{x}'],
    names: 'jsonrpc id method params name arguments sql question uri cursor'.split(' '),
    values: [
      '2.0',
      'tools/list',
      'tools/call',
      'prompts/get',
      'resources/read',
      'query',
      'ask_question',
      'initialize',
    ],
    known: {
      headers: [
        ['Authorization', 'Bearer token'],
        ['Accept', 'application/json, text/event-stream'],
      ] as const,
      form: '',
    },
  };
  expect(await failuresAt(door, errors)).toEqual([]);
});
