import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Settings } from '../../config/settings.ts';
import { CrawlhouseError } from '../../core/errors.ts';
import type { Logger } from '../../core/logger.ts';
import { packageVersion } from '../../core/package-version.ts';
import type { Session } from '../access/session.ts';
import { Sessions } from '../access/sessions.ts';
import { Desk } from '../desk/desk.ts';
import { notice, shellEnd, shellStart } from '../layout/shell.ts';
import type { Page, PageRequest } from '../pages/page.ts';
import { PAGES } from '../pages/pages.ts';
import { answerHtml, answerJson } from './answer-page.ts';
import { assetRoutes } from './assets.ts';
import { HEADERS } from './headers.ts';
import { liveRoute } from './live.ts';
import { consoleApi, jsonPath } from './openapi.ts';

const COOKIE = 'crawlhouse';

/** The console: open until disposed. */
export interface Console extends AsyncDisposable {
  /** `http://127.0.0.1:8092` */
  readonly url: string;
  /** The address that signs a person in, once. */
  readonly link: string;
}

/**
 * Serves the pages of a project.
 *
 * @param address `HOST:PORT`
 * @throws CrawlhouseError `bad_settings` if it can't listen on the address
 */
export async function serveConsole(
  settings: Settings,
  address: string,
  logger: Logger,
  signal: AbortSignal,
): Promise<Console> {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  await using opened = new AsyncDisposableStack();
  const desk = opened.use(new Desk(settings, logger));
  const sessions = opened.use(new Sessions(settings.state_dir));
  const app = Fastify({ forceCloseConnections: true, routerOptions: { maxParamLength: 1000 } });
  opened.defer(() => app.close());
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 1_000_000 },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  );
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(HEADERS);
  });
  const link = signInRoutes(app, sessions);
  assetRoutes(app);
  liveRoute(app, settings.state_dir, (request) => sessionOf(request, sessions) !== null);
  for (const page of PAGES) pageRoutes(app, page, { desk, sessions, signal });
  const version = await packageVersion();
  app.get('/openapi.json', (request, reply) => {
    if (sessionOf(request, sessions) === null)
      return reply.code(401).send({ error: { code: 'unauthorized' } });
    return reply.send(consoleApi(PAGES, version));
  });
  app.setNotFoundHandler((_request, reply) => {
    const shell = { path: '', subject: '', canAct: false };
    const body = notice('Not found', 'There is no such page.');
    return reply
      .code(404)
      .type('text/html; charset=utf-8')
      .send(shellStart(shell, 'Not found') + body.text + shellEnd());
  });
  try {
    await app.listen({ host, port: Number(address.slice(colon + 1)) });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CrawlhouseError('bad_settings', `console: ${why}`, { cause });
  }
  const closing = opened.move();
  const url = `http://${address.slice(0, colon)}:${(app.server.address() as AddressInfo).port}`;
  return { url, link: `${url}/sign-in?key=${link}`, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

interface Serving {
  readonly desk: Desk;
  readonly sessions: Sessions;
  readonly signal: AbortSignal;
}

function pageRoutes(app: FastifyInstance, page: Page<unknown>, { desk, sessions, signal }: Serving): void {
  const asked = (request: FastifyRequest, session: Session): PageRequest => ({
    path: request.params as Record<string, string>,
    query: new URL(request.url, 'http://console').searchParams,
    session,
    canAct: false,
  });
  app.get(jsonPath(page.path), async (request, reply) => {
    const session = sessionOf(request, sessions);
    if (session === null) return reply.code(401).send({ error: { code: 'unauthorized' } });
    return await answerJson(page, asked(request, session), desk, reply, leaving(request, signal));
  });
  app.get(page.path, async (request, reply) => {
    const session = sessionOf(request, sessions);
    if (session === null) return reply.redirect('/sign-in');
    const shell = { path: request.url.split('?')[0] ?? '', subject: session.subject, canAct: false };
    const given = { request: asked(request, session), shell };
    return await answerHtml(page, given, desk, reply, leaving(request, signal));
  });
}

/** Aborts when the console ends, or the browser leaves. */
function leaving(request: FastifyRequest, signal: AbortSignal): AbortSignal {
  const left = new AbortController();
  request.raw.once('close', () => left.abort());
  return AbortSignal.any([signal, left.signal]);
}

function sessionOf(request: FastifyRequest, sessions: Sessions): Session | null {
  const key = cookieOf(request);
  return key === undefined ? null : sessions.find(key);
}

function cookieOf({ headers }: FastifyRequest): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([name]) => name === COOKIE)?.[1];
}

/** The one-time link. @returns its key */
function signInRoutes(app: FastifyInstance, sessions: Sessions): string {
  let key: string | null = randomBytes(24).toString('base64url');
  const first = key;
  app.get('/sign-in', async (request, reply) => {
    const given = Buffer.from(new URL(request.url, 'http://console').searchParams.get('key') ?? '');
    const wanted = Buffer.from(key ?? '');
    if (key === null || given.length !== wanted.length || !timingSafeEqual(given, wanted))
      return signInNotice(reply);
    key = null;
    const cookie = `${COOKIE}=${sessions.begin('local', 'operator')}; Path=/; HttpOnly; SameSite=Lax`;
    return reply.header('set-cookie', cookie).redirect('/');
  });
  return first;
}

function signInNotice(reply: FastifyReply): FastifyReply {
  const shell = { path: '', subject: '', canAct: false };
  const body = notice(
    'Sign in',
    'This link has been used, or there was none.',
    'start crawlhouse console again',
  );
  return reply
    .code(401)
    .type('text/html; charset=utf-8')
    .send(shellStart(shell, 'Sign in') + body.text + shellEnd());
}
