import type { FastifyInstance } from 'fastify';
import { expect, test, vi } from 'vitest';
import type { Audience } from '../../../../src/app/console/access/require-audience.ts';
import { FORMS } from '../../../../src/app/console/forms/all-forms.ts';
import { PAGES } from '../../../../src/app/console/pages/all-pages.ts';
import { jsonPath } from '../../../../src/app/console/server/console-openapi.ts';
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

/** Who may use each route. The JSON of a page is for those who may open the page. */
const AUDIENCES: Readonly<Record<string, Audience | 'strangers'>> = {
  'GET /sign-in': 'strangers',
  'POST /sign-in': 'strangers',
  'GET /sign-in/oidc': 'strangers',
  'GET /sign-in/callback': 'strangers',
  'GET /assets/:name': 'strangers',
  'GET /shared/:name': 'strangers',
  'POST /sign-out': 'all',
  'GET /live': 'all',
  'GET /openapi.json': 'all',
  'GET /': 'all',
  'GET /projects': 'all',
  'GET /projects/:project_id': 'all',
  'GET /projects/:project_id/issues': 'all',
  'GET /projects/:project_id/pages': 'all',
  'GET /projects/:project_id/tickets': 'all',
  'GET /projects/:project_id/url': 'all',
  'GET /projects/:project_id/structure': 'all',
  'GET /projects/:project_id/compare': 'all',
  'GET /projects/:project_id/migration': 'all',
  'GET /projects/:project_id/demand': 'all',
  'GET /projects/:project_id/segments': 'all',
  'GET /projects/:project_id/segments/count': 'all',
  'POST /projects/:project_id/segments/count': 'all',
  'POST /projects/:project_id/segments': 'acting',
  'GET /projects/:project_id/settings': 'all',
  'POST /projects/:project_id/settings': 'acting',
  'GET /projects/:project_id/report': 'all',
  'GET /projects/:project_id/workbook': 'all',
  'GET /crawls/:crawl_id': 'all',
  'GET /runs': 'all',
  'GET /runs/:run_id': 'all',
  'GET /units/*': 'all',
  'GET /search': 'all',
  'GET /operations': 'all',
  'GET /ask': 'all',
  'POST /ask': 'all',
  'GET /ask/catalog.json': 'all',
  'GET /ask/download': 'all',
  'GET /schedules': 'all',
  'GET /crawling': 'all',
  'GET /audit': 'operators',
  'GET /links': 'operators',
  'GET /do/actions/:action_id': 'operators',
  'GET /do': 'acting',
  'GET /do/plan': 'acting',
  'POST /do/start': 'acting',
  'GET /start': 'acting',
  'POST /start': 'acting',
  'POST /crawling/pause': 'acting',
  'POST /crawling/resume': 'acting',
  'POST /crawling/stop': 'acting',
  'GET /schedules/:schedule': 'acting',
  'POST /schedules': 'acting',
  'POST /schedules/alerts/test': 'acting',
  'GET /uploads': 'acting',
  'POST /uploads': 'acting',
  'GET /uploads/read': 'acting',
  'POST /uploads/add': 'acting',
  'POST /ask/keep': 'acting',
  'POST /links': 'acting',
  'POST /links/:link_id/revoke': 'acting',
  'POST /projects/:project_id/notes': 'acting',
  'POST /projects/:project_id/tickets': 'acting',
  'POST /projects/:project_id/settings/test': 'acting',
  'GET /connect': 'acting',
  'POST /connect': 'owner',
  'POST /connect/projects': 'owner',
  'POST /schedules/alerts': 'owner',
};

/** They begin and end sessions: access.test.ts and console-oidc.test.ts try them. */
const isSignIn = (route: string): boolean => / \/sign-/.test(route);

const PEOPLE: readonly { readonly name: string; readonly may: readonly string[] }[] = [
  { name: 'a stranger', may: ['strangers'] },
  { name: 'a reader', may: ['strangers', 'all'] },
  { name: 'an operator of a read-only console', may: ['strangers', 'all', 'operators'] },
  { name: 'an operator', may: ['strangers', 'all', 'operators', 'acting'] },
  { name: 'the owner of the machine', may: ['strangers', 'all', 'operators', 'acting', 'owner'] },
];

/** Lets others sign in. */
const SHARED = {
  CRAWLHOUSE_CONSOLE_URL: 'https://console.example',
  CRAWLHOUSE_CONSOLE_OIDC_ISSUER: 'https://accounts.example',
  CRAWLHOUSE_CONSOLE_OIDC_CLIENT_ID: 'console',
  CRAWLHOUSE_CONSOLE_OIDC_CLIENT_SECRET: 'secret',
};

type Acting = Awaited<ReturnType<typeof actingConsole>>;
const byName = (answers: readonly string[]) =>
  Object.fromEntries(PEOPLE.map(({ name }, index) => [name, answers[index]]));

interface Session {
  readonly cookie: string;
  readonly csrf: string;
}

async function answered({ ask }: Acting, route: string, { cookie, csrf }: Session) {
  const [method = '', path = ''] = route.split(' ');
  const address = path.replaceAll(/:\w+|\*/g, 'none-such');
  const form = method === 'POST' ? { method, body: new URLSearchParams({ csrf }) } : {};
  const answer = await ask(address, { ...form, cookie });
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
  const sessions: readonly (readonly [Acting, Session])[] = [
    [shared, { cookie: '', csrf: '' }],
    [shared, shared.reader()],
    [off, off],
    [shared, shared],
    [owners, owners],
  ];
  const jsonOf = new Map(PAGES.map(({ path }) => [`GET ${jsonPath(path)}`, `GET ${path}`]));
  const without = [...routes].filter((route) => AUDIENCES[jsonOf.get(route) ?? route] === undefined);
  expect(without, `routes without an audience: add them in ${import.meta.filename}`).toEqual([]);
  const gone = Object.keys(AUDIENCES).filter((route) => !routes.has(route));
  expect(gone, `routes that no longer exist: remove them from ${import.meta.filename}`).toEqual([]);
  for (const route of routes) {
    if (isSignIn(route)) continue;
    const audience = AUDIENCES[jsonOf.get(route) ?? route] ?? '';
    const answers = sessions.map(([console, session]) => answered(console, route, session));
    const wanted = PEOPLE.map(({ may }, index) =>
      may.includes(audience) ? 'allowed' : index === 0 ? 'sign-in' : 'refused',
    );
    expect(byName(await Promise.all(answers)), route).toEqual(byName(wanted));
  }
}, 120_000);

test('every form needs the token of its session, and no refused one is in the audit', async () => {
  const acting = await actingConsole(await rawProjectFolder());
  const { csrf } = acting.reader();
  for (const { path } of FORMS)
    for (const token of ['x', '', csrf])
      expect(await answered(acting, `POST ${path}`, { cookie: acting.cookie, csrf: token }), path).toBe(
        'refused',
      );
  expect(await (await acting.ask('/audit.json')).json()).toMatchObject({ entries: [] });
});
