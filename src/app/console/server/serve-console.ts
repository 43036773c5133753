import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Fastify from 'fastify';
import { toCrawlhouseError } from '../../../core/errors/errors.ts';
import { packageVersion } from '../../../core/host/package-version.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { reportFault } from '../../../core/logs/report-fault.ts';
import { listenAddress, listenError } from '../../../core/net/listen-http.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import type { Settings } from '../../../etl/project/settings/settings.ts';
import { readCatalog } from '../../../etl/state/catalog/catalog.ts';
import { Access } from '../access/access.ts';
import { AUDIENCES, whyNot } from '../access/audiences.ts';
import { OfferedAccounts } from '../access/offered-accounts.ts';
import { isLoopback, isOwnersConsole, reachOf, requireSignIn } from '../access/reach.ts';
import { Actions } from '../actions/actions.ts';
import type { FormContext } from '../forms/console-form.ts';
import { projectPath } from '../layout/addresses.ts';
import { askAddress, askFields } from '../layout/ask-address.ts';
import type { Page, PageRequest } from '../page-parts/console-page.ts';
import { PAGES } from '../pages/all-pages.ts';
import { listStatement, splitDownload } from '../pages/project/list-download.ts';
import { Readers } from '../readers/readers.ts';
import { statementOf } from '../readers/statement.ts';
import { answerHtml, answerJson } from './answer-page.ts';
import { consoleApi, jsonPath } from './console-openapi.ts';
import { DownloadFiles } from './download-files.ts';
import { formRoutes } from './form-routes.ts';
import { formOf, guard, isOwn, personOf, sessionOf } from './guard.ts';
import { leaving } from './leaving.ts';
import { liveRoute } from './live.ts';
import { preparePages } from './prepare-pages.ts';
import { HEADERS, refuse } from './refuse.ts';
import { reportRoute } from './report-route.ts';
import { sendDownload } from './send-download.ts';
import { sharedRoute } from './shared-route.ts';
import { signInRoutes } from './sign-in-routes.ts';
import { workbookRoute } from './workbook-route.ts';

/** Built by scripts/build.ts from ../browser and ../assets. */
const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'dist', 'app', 'console', 'assets');

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface Asset {
  readonly bytes: Buffer;
  readonly gzip: Buffer;
  readonly tag: string;
}

const MOST_BYTES = 1_000_000;

export interface Console extends AsyncDisposable {
  /** `http://127.0.0.1:8092` */
  readonly url: string;
  /** Makes a one-time sign-in address; null if people sign in only by OIDC. */
  newLink(): string | null;
  /** Reads the pages of the current publication, and those of later ones in the background. */
  preparePages(): Promise<void>;
}

/**
 * Serves the pages of a project.
 *
 * @param address `HOST:PORT`
 * @throws CrawlhouseError `bad_settings` if it cannot, or must not, listen on the address
 */
export async function serveConsole(
  settings: Settings,
  address: string,
  logger: Logger,
  signal: AbortSignal,
  command: 'console' | 'schedule' = 'console',
): Promise<Console> {
  const { name, host, port } = listenAddress(address);
  requireSignIn(settings, host);
  await using opened = new AsyncDisposableStack();
  const readers = opened.use(new Readers(settings, logger));
  const access = opened.use(new Access(settings));
  const isOwners = isOwnersConsole(settings, host);
  const actions = opened.use(new Actions(settings, access, logger, !isOwners));
  await actions.staged.removeOld(Date.now());
  const mayAct = settings.console_actions ?? isOwners;
  const serving = {
    readers,
    actions,
    mayAct,
    isOwners,
    accounts: new OfferedAccounts(),
    shared: access.shared,
  };
  signal.addEventListener('abort', () => actions.stop(), { once: true });
  const app = newApp(settings, logger);
  opened.defer(() => app.close());
  let reach = reachOf(name, port, settings.console_url);
  const takesLinks = isLoopback(host);
  guard(app, access, { mayAct, isOwners }, () => reach);
  signInRoutes(app, { access, reach: () => reach, takesLinks, oidc: settings.console_oidc, logger });
  assetRoutes(app);
  liveRoute(app, settings.state_dir, (request) => personOf(request, access, reach) !== null);
  for (const page of PAGES) pageRoutes(app, page, serving, signal);
  const version = await packageVersion();
  app.get('/openapi.json', (_request, reply) => reply.send(consoleApi(PAGES, version)));
  const files = new DownloadFiles(settings.state_dir);
  askRoutes(app, { readers, signal }, files);
  reportRoute(app, readers, settings);
  workbookRoute(app, readers, files, signal);
  sharedRoute(app, { access, readers }, signal);
  formRoutes(app, { settings, ...serving }, signal);
  try {
    await app.listen({ host, port });
  } catch (cause) {
    throw await listenError(
      'bad_settings',
      address,
      (free, other) =>
        address === settings.console_listen
          ? `CRAWLHOUSE_CONSOLE_LISTEN=${free} crawlhouse ${command}`
          : `crawlhouse console --port ${other}`,
      cause,
    );
  }
  reach = reachOf(name, (app.server.address() as AddressInfo).port, settings.console_url);
  const url = `http://${name}:${reach.port}`;
  opened.use(access.links.announce(url, takesLinks));
  const closing = opened.move();
  return {
    url,
    newLink: () => (takesLinks ? access.links.make(url) : null),
    preparePages: () => preparePages(serving, signal),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** Returns a server that accepts only forms, and whose error pages contain no details of its own errors. */
function newApp({ console_url: url }: Settings, logger: Logger): FastifyInstance {
  const app = Fastify({
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    // Trusts a proxy in front for the client's address; without a proxy, trusts nobody.
    trustProxy: (_address, hop) => hop === 0 && url !== undefined,
    frameworkErrors: (_error, _request, reply: FastifyReply) => {
      reply.headers(HEADERS).code(400).type('text/plain; charset=utf-8').send('bad request\n');
    },
    routerOptions: { maxParamLength: 1000 },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MOST_BYTES },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  );
  app.setErrorHandler((thrown: FastifyError, request, reply) => {
    const { statusCode = 500, message } = thrown;
    if (statusCode >= 400 && statusCode < 500)
      return refuse(request, reply, { status: statusCode, code: 'usage', title: 'Refused', message });
    const { code, hint } = reportFault(thrown, logger, { door: 'console', path: request.routeOptions.url });
    return refuse(request, reply, {
      status: 500,
      code,
      title: 'This page failed',
      message: 'The console could not answer.',
      hint,
    });
  });
  app.setNotFoundHandler((request, reply) =>
    refuse(request, reply, {
      status: 404,
      code: 'usage',
      title: 'Not found',
      message: 'This page does not exist.',
    }),
  );
  return app;
}

function pageRoutes(
  app: FastifyInstance,
  page: Page<unknown>,
  { readers, mayAct, ...serving }: Omit<FormContext, 'settings'>,
  signal: AbortSignal,
): void {
  const asked = (request: FastifyRequest): PageRequest => {
    const session = sessionOf(request);
    const isPosted = request.method === 'POST';
    const may: PageRequest['may'] = (route) =>
      whyNot(AUDIENCES[route], { session, mayAct, ...serving }) === null;
    return {
      path: Object.fromEntries(
        Object.entries(request.params as Record<string, string>).map(([name, value]) => [
          name,
          name === '*' ? value.replace(/\.json$/, '') : value,
        ]),
      ),
      query: isPosted ? formOf(request) : new URL(request.url, 'http://console').searchParams,
      session,
      // The guard has checked the token of a form.
      isOwn: isPosted || isOwn(request.headers),
      may,
      canAct: may('POST /do/start'),
      ...serving,
    };
  };
  const json = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    answerJson(page, asked(request), readers, reply, leaving(reply, signal));
  const isWild = page.path.endsWith('*');
  if (!isWild) app.get(jsonPath(page.path), json);
  const draw = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const given = asked(request);
    const { session, canAct } = given;
    const path = request.url.split('?')[0] ?? '';
    const shell = { path, subject: session.subject, csrf: session.csrf, canAct };
    return answerHtml(page, { request: given, shell }, readers, reply, leaving(reply, signal));
  };
  app.get(page.path, (request, reply: FastifyReply) =>
    isWild && request.url.split('?')[0]?.endsWith('.json') ? json(request, reply) : draw(request, reply),
  );
  if (page.posted === undefined) return;
  const end = `/${page.posted}`;
  app.post(page.path + end, draw);
  // Where a browser reads the address of the answer again.
  app.get(page.path + end, (request, reply) =>
    reply.redirect((request.url.split('?')[0] ?? '').slice(0, -end.length)),
  );
}

/** Static files without a session: they contain nothing of the project. */
function assetRoutes(app: FastifyInstance): void {
  const known = new Map<string, Asset>();
  app.get('/assets/:name', (request, reply) => {
    const { name } = request.params as { name: string };
    const type = lookUp(TYPES, extname(name));
    const path = join(FOLDER, name);
    if (type === undefined || !/^[\w.-]+$/.test(name) || !existsSync(path)) return reply.callNotFound();
    const asset = known.get(name) ?? readAsset(path);
    known.set(name, asset);
    reply.type(type).header('etag', asset.tag).header('vary', 'accept-encoding');
    if (request.headers['if-none-match'] === asset.tag) return reply.code(304).send();
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(asset.bytes);
    return reply.header('content-encoding', 'gzip').send(asset.gzip);
  });
}

function readAsset(path: string): Asset {
  const bytes = readFileSync(path);
  const tag = `"${hash('sha256', bytes, 'base64url').slice(0, 16)}"`;
  return { bytes, gzip: gzipSync(bytes), tag };
}

/** Longer SQL is stored here instead of in the address. */
const LONGEST_ADDRESS = 6000;

/** Routes of `/ask` and of lists of pages that are not pages. */
function askRoutes(
  app: FastifyInstance,
  { readers, signal }: { readonly readers: Readers; readonly signal: AbortSignal },
  files: DownloadFiles,
): void {
  app.post('/ask', (request, reply) => {
    const form = formOf(request);
    const asked = new URLSearchParams(askFields(form));
    const address = askAddress(asked, { run: 1 });
    if (address.length <= LONGEST_ADDRESS) return reply.redirect(address, 303);
    const kept = readers.texts.keep(sessionOf(request).subject, form.get('sql') ?? '');
    return reply.redirect(askAddress(asked, { run: 1, sql: null, kept }), 303);
  });
  app.get('/ask/catalog.json', async (request, reply) => {
    const read = () => readers.warehouse.use((warehouse) => readCatalog(warehouse, signal));
    try {
      return await reply.send({ tables: await readers.once('ask: catalog', read) });
    } catch (thrown) {
      const { code, message, hint } = toCrawlhouseError(thrown);
      const status = code === 'nothing_published' ? 404 : 500;
      const title = 'The catalog could not be read';
      return refuse(request, reply, { status, code, title, message, hint });
    }
  });
  app.get('/ask/download', async (request, reply) => {
    const query = new URL(request.url, 'http://console').searchParams;
    // A page of another site starts nothing.
    if (!isOwn(request.headers)) return reply.redirect(askAddress(query, { run: 1 }));
    const texts = { kept: readers.texts, subject: sessionOf(request).subject };
    const statement = async () => statementOf(query, await readers.questions(), texts);
    return await sendDownload({ readers, files, request }, { query, statement }, reply, signal);
  });
  app.get('/projects/:project_id/pages/download', async (request, reply) => {
    const { project_id } = request.params as { project_id: string };
    const query = new URL(request.url, 'http://console').searchParams;
    const { list, file } = splitDownload(query);
    if (!isOwn(request.headers)) return reply.redirect(`${projectPath(project_id)}/pages?${list}`);
    const statement = () =>
      readers.lanes.of(sessionOf(request), () =>
        listStatement(readers, { project_id, list, isLinks: file.has('links') }),
      );
    return await sendDownload({ readers, files, request }, { query: file, statement }, reply, signal);
  });
}
