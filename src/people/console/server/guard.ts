import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../access/access.ts';
import { addressClass, type Reach, readCookie } from '../access/reach.ts';
import type { SignedIn } from '../access/sessions.ts';
import { HEADERS, refuse, wantsJson } from './refuse.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; null: a stranger, who gets to the sign-in only. */
    person: SignedIn | null;
  }
}

/** Routes for strangers, as they are registered. */
const OPEN: ReadonlySet<string | undefined> = new Set([
  '/sign-in',
  '/sign-in/oidc',
  '/sign-in/callback',
  '/assets/:name',
]);

/** Those of them whose failed attempts are counted instead: a right key is never one too many. */
const COUNTED_BY_FAILURE: ReadonlySet<string | undefined> = new Set(['/sign-in', '/sign-in/callback']);

/** Applies the rules to every request, whatever its route. */
export function guard(app: FastifyInstance, access: Access, reach: () => Reach): void {
  app.decorateRequest('person', null);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS);
    const { method, headers } = request;
    const site = headers['sec-fetch-site'];
    const { host, origin, 'sec-fetch-mode': mode, 'sec-fetch-dest': place } = headers;
    // A browser that sends Sec-Fetch-Site sends these too.
    const isNavigation = (mode ?? 'navigate') === 'navigate' && (place ?? 'document') === 'document';
    const refusal = refusalOf({ method, host, origin, site: site?.toString(), isNavigation }, reach());
    if (refusal !== null) return refuse(request, reply, { ...refusal, code: 'forbidden', title: 'Refused' });
    request.person = personOf(request, access, reach());
    const { url } = request.routeOptions;
    if (url === '/assets/:name' || (request.person === null && COUNTED_BY_FAILURE.has(url))) return;
    const seconds = access.requests.take(askerOf(request));
    if (seconds !== null) return tooMany(request, reply, seconds);
    if (request.person === null && !OPEN.has(url)) return stranger(request, reply);
  });
  app.addHook('preHandler', async (request, reply) => {
    if (isRead(request.method) || request.person === null) return;
    if (isToken(formOf(request), request.person)) return;
    return refuse(request, reply, {
      status: 403,
      code: 'forbidden',
      title: 'Refused',
      message: 'The form is not of this session.',
      hint: 'go back, load the page again, and send the form once more',
    });
  });
}

/** By whom requests are counted: a person, whatever their sessions, or the addresses that a stranger may have. */
function askerOf({ person, ip }: FastifyRequest): string {
  return person === null ? `address ${addressClass(ip)}` : `person ${person.subject}`;
}

/** The session of whoever got behind the guard. */
export function sessionOf({ person }: FastifyRequest): SignedIn {
  if (person === null) throw new Error('a route behind the guard has no session');
  return person;
}

/** Answers 429. */
export function tooMany(request: FastifyRequest, reply: FastifyReply, seconds: number): FastifyReply {
  reply.header('retry-after', seconds);
  return refuse(request, reply, {
    status: 429,
    code: 'usage',
    title: 'Too many requests',
    message: 'There were too many requests within a minute.',
    hint: `wait ${seconds} s`,
  });
}

/** Who asks, as of now: a session may have ended since a request began. */
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

/** Of a request, what tells where it comes from. */
interface Sender {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** Sec-Fetch-Site */
  readonly site: string | undefined;
  /** Whether a browser opens the answer as a page of its own, by Sec-Fetch-Mode and Sec-Fetch-Dest. */
  readonly isNavigation?: boolean;
}

interface RefusedRequest {
  readonly status: 403 | 421;
  readonly message: string;
}

/**
 * Why a request is refused, or null. A page of another site that has bound its name to this address sends its own name
 * as Host. One that posts a form here is another origin. One that has an image or a frame of here says so.
 */
export function refusalOf(
  { method, host, origin, site, isNavigation }: Sender,
  reach: Reach,
): RefusedRequest | null {
  if (host === undefined || !reach.hosts.has(host.toLowerCase()))
    return { status: 421, message: 'This console is not called by this name.' };
  const isFromHere = site === undefined || site === 'same-origin';
  if (isRead(method) && (isFromHere || site === 'none' || isNavigation)) return null;
  const isOurs = origin === undefined || reach.origins.has(origin);
  if (!isRead(method) && isOurs && isFromHere) return null;
  return { status: 403, message: 'The request comes from another site.' };
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** The form that a request sends; an empty one for a request without a body. */
export function formOf({ body }: FastifyRequest): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}

/**
 * Whether a request comes from a page of this console, from the person's own hand (a bookmark), or from a program.
 * Browsers say it in `Sec-Fetch-Site`, except over plain HTTP on another machine; there the referrer says it.
 */
export function isOwn(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (!headers.accept?.includes('text/html')) return true;
  return URL.parse(headers.referer ?? '')?.host === headers.host;
}
