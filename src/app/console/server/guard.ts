import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CrawlhouseError } from '../../../core/errors/errors.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import type { Access } from '../access/access.ts';
import { type Audience, audienceOf, FIELD_AUDIENCES, type Visitor, whyNot } from '../access/audiences.ts';
import { addressClass, type Reach, readCookie } from '../access/reach.ts';
import type { SignedIn } from '../access/sessions.ts';
import { isOwnSql } from './own-sql.ts';
import { HEADERS, refuse, wantsJson } from './refuse.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The signed-in person; null: a stranger, who may only sign in. */
    person: SignedIn | null;
  }
}

/** Open routes that count only failed attempts: a valid key is never refused. */
const COUNTED_BY_FAILURE: ReadonlySet<string | undefined> = new Set([
  '/sign-in',
  '/sign-in/callback',
  '/shared/:name',
]);

/**
 * Applies the rules to every request, on all routes.
 *
 * @throws Error for a route without an audience, when it is registered
 */
export function guard(
  app: FastifyInstance,
  access: Access,
  fences: Omit<Visitor, 'session'>,
  reach: () => Reach,
): void {
  app.decorateRequest('person', null);
  app.addHook('onRoute', ({ method, url }) => {
    const route = `${String(method)} ${url}`;
    if (audienceOf(route) === undefined) throw new Error(`${route} has no audience (access/audiences.ts)`);
  });
  const refused = (request: FastifyRequest, reply: FastifyReply, audience: Audience) => {
    const error = whyNot(audience, { session: sessionOf(request), ...fences });
    return error === null ? undefined : forbidden(request, reply, error);
  };
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS);
    const { method, headers } = request;
    const site = headers['sec-fetch-site'];
    const { host, origin, 'sec-fetch-mode': mode, 'sec-fetch-dest': place } = headers;
    // Browsers that send Sec-Fetch-Site send these headers, too.
    const isNavigation = (mode ?? 'navigate') === 'navigate' && (place ?? 'document') === 'document';
    const refusal = refusalOf({ method, host, origin, site: site?.toString(), isNavigation }, reach());
    if (refusal !== null) return refuse(request, reply, { ...refusal, code: 'forbidden', title: 'Refused' });
    request.person = personOf(request, access, reach());
    const { url } = request.routeOptions;
    if (url === '/assets/:name' || (request.person === null && COUNTED_BY_FAILURE.has(url))) return;
    const seconds = access.requests.take(askerOf(request));
    if (seconds !== null) return tooMany(request, reply, seconds);
    // An unknown page is answered as such.
    const audience = audienceOf(`${method} ${url}`) ?? { role: request.person === null ? 'viewer' : null };
    if (audience.role === null) return;
    return request.person === null ? stranger(request, reply) : refused(request, reply, audience);
  });
  app.addHook('preHandler', async (request, reply) => {
    if (request.person === null) return;
    const isForm = !isRead(request.method);
    if (isForm && !isToken(formOf(request), request.person))
      return forbidden(request, reply, {
        code: 'forbidden',
        message: 'The form belongs to another session.',
        hint: 'go back, reload the page, and send the form again',
      });
    const fields = isForm ? formOf(request) : new URL(request.url, 'http://console').searchParams;
    for (const [name, value] of fields) {
      const audience = lookUp(FIELD_AUDIENCES, name);
      if (audience === undefined || isOwnSql(value) || isNothing(name, value)) continue;
      if (refused(request, reply, audience)) return reply;
    }
  });
}

/** An empty statement or condition is none; `check` counts without a value. */
const isNothing = (name: string, value: string): boolean => value.trim() === '' && name !== 'check';

function forbidden(
  request: FastifyRequest,
  reply: FastifyReply,
  { code, message, hint }: Pick<CrawlhouseError, 'code' | 'message' | 'hint'>,
): FastifyReply {
  return refuse(request, reply, { status: 403, code, title: 'Refused', message, hint });
}

/** Returns the key for counting requests: a person across all sessions, or the class of a stranger's address. */
function askerOf({ person, ip }: FastifyRequest): string {
  return person === null ? `address ${addressClass(ip)}` : `person ${person.subject}`;
}

export function sessionOf({ person }: FastifyRequest): SignedIn {
  if (person === null) throw new Error('a route behind the guard has no session');
  return person;
}

/** Responds with 429. */
export function tooMany(request: FastifyRequest, reply: FastifyReply, seconds: number): FastifyReply {
  reply.header('retry-after', seconds);
  return refuse(request, reply, {
    status: 429,
    code: 'usage',
    title: 'Too many requests',
    message: 'You sent too many requests within a minute.',
    hint: `wait ${seconds} s`,
  });
}

/** Returns the person at this moment: a session may have ended since a request began. */
export function personOf({ headers }: FastifyRequest, { sessions }: Access, reach: Reach): SignedIn | null {
  const key = readCookie('session', headers, reach);
  return key === null ? null : sessions.find(key);
}

function stranger(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (isRead(request.method) && !wantsJson(request))
    return reply.redirect(
      request.url === '/' ? '/sign-in' : `/sign-in?to=${encodeURIComponent(request.url)}`,
    );
  return refuse(request, reply, {
    status: 401,
    code: 'unauthorized',
    title: 'Not signed in',
    message: 'This needs a session.',
    hint: 'sign in at /sign-in',
  });
}

function isToken(form: URLSearchParams, { csrf }: SignedIn): boolean {
  const [given, wanted] = [Buffer.from(form.get('csrf') ?? ''), Buffer.from(csrf)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** The origin of a request. */
interface Sender {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** Sec-Fetch-Site */
  readonly site: string | undefined;
  /** Whether a browser opens the answer as a page, by Sec-Fetch-Mode and Sec-Fetch-Dest. */
  readonly isNavigation?: boolean;
}

interface RefusedRequest {
  readonly status: 403 | 421;
  readonly message: string;
}

/**
 * Returns why a request is refused, or null. A page of another site that has bound its name to this address sends its
 * own name as Host. A page that posts a form here has another origin. A page that embeds an image or a frame from here
 * sends the headers for that.
 */
export function refusalOf(
  { method, host, origin, site, isNavigation }: Sender,
  reach: Reach,
): RefusedRequest | null {
  if (host === undefined || !reach.hosts.has(host.toLowerCase()))
    return { status: 421, message: 'This console does not accept requests for this host name.' };
  const isFromHere = site === undefined || site === 'same-origin';
  if (isRead(method) && (isFromHere || site === 'none' || isNavigation)) return null;
  const isOurs = origin === undefined || reach.origins.has(origin);
  if (!isRead(method) && isOurs && isFromHere) return null;
  return { status: 403, message: 'The request comes from another site.' };
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Parses the form of a request. Returns an empty form if there is no body. */
export function formOf({ body }: FastifyRequest): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}

/**
 * Returns whether a request comes from a page of this console, directly from the user (a bookmark), or from a program.
 * Browsers send this in `Sec-Fetch-Site`, except over plain HTTP on another machine; there the referrer decides.
 */
export function isOwn(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (!headers.accept?.includes('text/html')) return true;
  return URL.parse(headers.referer ?? '')?.host === headers.host;
}
