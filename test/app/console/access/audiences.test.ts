import type { FastifyInstance } from 'fastify';
import { expect, test, vi } from 'vitest';
import { AUDIENCES, audienceOf } from '../../../../src/app/console/access/audiences.ts';
import type { Role } from '../../../../src/app/console/access/sessions.ts';
import { FORMS } from '../../../../src/app/console/forms/all-forms.ts';
import { actingConsole } from '../../../support/acting-console.ts';
import { rawProjectFolder } from '../../../support/project.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { projectWithWarehouse } from '../project-with-warehouse.ts';

/** The routes of the console that the server has, whoever registers them. */
const routes = vi.hoisted(() => new Set<string>());
vi.mock('fastify', async (importOriginal) => {
  const { default: create } = await importOriginal<{ default: (options: object) => FastifyInstance }>();
  const recording = (options: object): FastifyInstance => {
    const app = create(options);
    app.addHook('onRoute', ({ method, url }) => void routes.add(`${String(method)} ${url}`));
    return app;
  };
  return { default: recording };
});

/** They begin and end sessions: access.test.ts and console-oidc.test.ts try them. */
const isSignIn = (route: string): boolean => / \/sign-/.test(route);

/** Lets others sign in. */
const SHARED = {
  CRAWLHOUSE_CONSOLE_URL: 'https://console.example',
  CRAWLHOUSE_CONSOLE_OIDC_ISSUER: 'https://accounts.example',
  CRAWLHOUSE_CONSOLE_OIDC_CLIENT_ID: 'console',
  CRAWLHOUSE_CONSOLE_OIDC_CLIENT_SECRET: 'secret',
};

type Acting = Awaited<ReturnType<typeof actingConsole>>;

interface Session {
  readonly cookie: string;
  readonly csrf: string;
}

type Sent = Readonly<Record<string, string>>;

async function sent({ ask }: Acting, route: string, { cookie, csrf }: Session, fields: Sent = {}) {
  const [method = '', path = ''] = route.split(' ');
  const form = method === 'POST' ? { method, body: new URLSearchParams({ ...fields, csrf }) } : {};
  return await ask(path.replaceAll(/:\w+|\*/g, 'none-such'), { ...form, cookie });
}

async function answered(...given: Parameters<typeof sent>) {
  const answer = await sent(...given);
  await answer.body?.cancel();
  if (answer.status === 401 || answer.headers.get('location')?.startsWith('/sign-in')) return 'sign-in';
  return answer.status === 403 ? 'refused' : 'allowed';
}

test('each route is for its audience: strangers sign in, and the others are refused', async () => {
  // A published warehouse keeps the process of its queries.
  const { projectDir: folder } = await projectWithWarehouse(await temporaryFolder());
  const off = await actingConsole(folder, { ...SHARED, CRAWLHOUSE_CONSOLE_ACTIONS: 'false' });
  const shared = await actingConsole(folder, { ...SHARED, CRAWLHOUSE_CONSOLE_ACTIONS: 'true' });
  const owners = await actingConsole(folder, {});
  /** Each person's rank, and whether their console acts and is only of the owner of the machine. */
  const people: Readonly<Record<string, readonly [Acting, Session, rank: number, acts: boolean]>> = {
    'a stranger': [shared, { cookie: '', csrf: '' }, 0, false],
    'a viewer': [shared, shared.person('viewer'), 1, true],
    'an analyst': [shared, shared.person('analyst'), 2, true],
    'an operator': [shared, shared.person('operator'), 3, true],
    'an owner': [shared, shared.person('owner'), 4, true],
    'an owner of a read-only console': [off, off.person('owner'), 4, false],
    'the owner of the machine': [owners, owners, 4, true],
  };
  const gone = Object.keys(AUDIENCES).filter((route) => !routes.has(route));
  expect(gone, 'routes that no longer exist').toEqual([]);
  for (const route of routes) {
    if (isSignIn(route)) continue;
    const { role, acts, alone } = audienceOf(route) ?? { role: 'viewer' };
    const lowest = role === null ? 0 : 1 + ['viewer', 'analyst', 'operator', 'owner'].indexOf(role);
    const found = await Promise.all(
      Object.entries(people).map(async ([name, [console, session]]) => [
        name,
        await answered(console, route, session),
      ]),
    );
    const wanted = Object.entries(people).map(([name, [console, , rank, canAct]]) => {
      const isIn = rank >= lowest && (canAct || !acts) && (console === owners || !alone);
      return [name, isIn ? 'allowed' : rank === 0 ? 'sign-in' : 'refused'];
    });
    expect(Object.fromEntries(found), route).toEqual(Object.fromEntries(wanted));
  }
}, 240_000);

test('the forms of each role: analysts start no work, and only owners give access', () => {
  const of = (role: Role): readonly string[] =>
    FORMS.map(({ path }) => path).filter((path) => audienceOf(`POST ${path}`)?.role === role);
  expect(FORMS.every(({ path }) => audienceOf(`POST ${path}`)?.acts)).toBe(true);
  expect(of('viewer')).toEqual([]);
  expect(of('analyst').toSorted()).toEqual(['/projects/:project_id/notes', '/projects/:project_id/tickets']);
  const alone = ['/connect', '/connect/projects', '/schedules/alerts'];
  expect(of('owner').toSorted()).toEqual([...alone.slice(0, 2), '/links', ...alone.slice(2)]);
  expect(alone.every((path) => audienceOf(`POST ${path}`)?.alone)).toBe(true);
});

/** Requests with SQL or a rule of a person, in each place that takes it. */
const SQL = 'SELECT 1 AS one';
const LIST = '/projects/p1/pages';
const QUESTION = 'question=q90_pages_by_status';
const RULE = 'check=1&name=n&segment=s&kind=sql&condition=true';
const WITH_SQL: readonly string[] = [
  ...['/ask', '/ask.json'].flatMap((path) => [
    `GET ${path}?run=1&sql=${SQL}`,
    `GET ${path}?sql=&sql=${SQL}`,
    `GET ${path}?edit=q90_pages_by_status`,
    `GET ${path}?run=1&kept=0123456789012345678901`,
  ]),
  ...['csv', 'xlsx', 'jsonl', 'parquet'].flatMap((format) => [
    `GET /ask/download?format=${format}&sql=${SQL}`,
    `GET ${LIST}/download?format=${format}&where=true`,
  ]),
  'GET /ask/catalog.json',
  `GET ${LIST}?where=true`,
  `GET ${LIST}.json?where=true`,
  `GET ${LIST}?where=strpos(substr(urlpath, 1), '/') = 0 OR true`,
  ...['', '.json'].map((end) => `GET /projects/p1/segments${end}?${RULE}`),
  'GET /projects/p1/segments.json?check=',
];

test('viewers run no SQL of their own, in any address or form; analysts do', async () => {
  const { projectDir: folder } = await projectWithWarehouse(await temporaryFolder());
  const console = await actingConsole(folder, { ...SHARED, CRAWLHOUSE_CONSOLE_ACTIONS: 'true' });
  const [viewer, analyst] = [console.person('viewer'), console.person('analyst')];
  for (const route of WITH_SQL) {
    const refused = await sent(console, route, viewer);
    expect([refused.status, await refused.text()], route).toEqual([
      403,
      expect.stringMatching(/only analysts can (run SQL|do this)/),
    ]);
    expect(await answered(console, route, analyst), route).toBe('allowed');
  }
  const forms: readonly (readonly [string, Sent])[] = [
    ['POST /ask', { sql: SQL }],
    ['POST /ask', { edit: 'q90_pages_by_status' }],
    [
      'POST /projects/p1/segments/count',
      { check: '1', name: 'n', segment: 's', kind: 'sql', condition: 'true' },
    ],
  ];
  for (const [route, fields] of forms) {
    expect(await answered(console, route, viewer, fields), route).toBe('refused');
    expect(await answered(console, route, analyst, fields), route).toBe('allowed');
  }
});

test('viewers ask saved questions, and read and download their answers and filtered lists', async () => {
  const { projectDir: folder } = await projectWithWarehouse(await temporaryFolder());
  const console = await actingConsole(folder, { ...SHARED, CRAWLHOUSE_CONSOLE_ACTIONS: 'true' });
  const viewer = console.person('viewer');
  const asked = `/ask?${QUESTION}&run=1&param.most=1`;
  const shown = await (await console.ask(asked, viewer)).text();
  expect(shown).toContain('<h2 id="answer-title">Answer</h2>');
  expect(shown).not.toMatch(/<textarea|Open in the editor|Make a link/);
  for (const format of ['csv', 'xlsx']) {
    const file = await console.ask(`/ask/download?${QUESTION}&format=${format}`, viewer);
    expect([file.status, file.headers.get('content-disposition')]).toEqual([
      200,
      expect.stringContaining(`.${format}`),
    ]);
  }
  expect(await answered(console, 'POST /ask', viewer, { question: 'q90_pages_by_status' })).toBe('allowed');
  const editor = await (await console.ask('/ask', viewer)).text();
  expect(editor).toContain('Analysts can run SQL here.');
  expect(editor).not.toContain('<textarea');
  for (const path of [LIST, `${LIST}.json`, `${LIST}/download`])
    expect(await answered(console, `GET ${path}?format=csv&bom=1&where=&status=gte:400`, viewer), path).toBe(
      'allowed',
    );
}, 60_000);

test('every form needs the token of its session, and no refused one is in the audit', async () => {
  const acting = await actingConsole(await rawProjectFolder());
  const { csrf } = acting.person('analyst');
  for (const { path } of FORMS)
    for (const token of ['x', '', csrf])
      expect(await answered(acting, `POST ${path}`, { cookie: acting.cookie, csrf: token }), path).toBe(
        'refused',
      );
  expect(await (await acting.ask('/audit.json')).json()).toMatchObject({ entries: [] });
});

test('every form is limited in size and in requests per minute, before it acts', async () => {
  const acting = await actingConsole(await rawProjectFolder());
  const large = { note: 'x'.repeat(1_000_001) };
  for (const { path } of FORMS)
    expect((await sent(acting, `POST ${path}`, acting, large)).status, path).toBe(413);
  for (let n = 0; n < 600; n += 50)
    await Promise.all(Array.from({ length: 50 }, async () => (await acting.ask('/nothing')).arrayBuffer()));
  for (const { path } of FORMS) expect((await sent(acting, `POST ${path}`, acting)).status, path).toBe(429);
  const others = acting.person('operator');
  expect(await (await acting.ask('/audit.json', { cookie: others.cookie })).json()).toMatchObject({
    entries: [],
  });
});
