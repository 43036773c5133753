import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toCrawlhouseError } from '../../../core/errors/errors.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { html } from '../../../core/text/html.ts';
import { jsonOf } from '../../../core/text/json.ts';
import type { ConsoleOidcSettings } from '../../../etl/project/settings/console-settings.ts';
import type { Access } from '../access/access.ts';
import { type BegunSignIn, isUnanswered, LOCAL_PERSON, roleOf, subjectOf } from '../access/oidc.ts';
import { addressClass, type Reach, readCookie, setCookie } from '../access/reach.ts';
import { type Role, SESSION_SECONDS } from '../access/sessions.ts';
import { formOf, tooMany } from './guard.ts';
import { refuse, sendPage } from './refuse.ts';

/** Time limit for the sign-in at the provider. */
const AWAY_SECONDS = 600;

export interface Gate {
  readonly access: Access;
  readonly reach: () => Reach;
  readonly takesLinks: boolean;
  readonly oidc: ConsoleOidcSettings | undefined;
  readonly logger: Logger;
}

/** Registers the routes for the sign-in page, the ways to sign in, and signing out. */
export function signInRoutes(app: FastifyInstance, gate: Gate): void {
  const { access, reach } = gate;
  app.get('/sign-in', async (request, reply) => {
    const query = queryOf(request);
    const key = query.get('key');
    if (key !== null) return takeLink(request, reply, gate, { key, to: query.get('to') });
    return sendPage(reply, 'Sign in', signInPage(gate, query.get('to'), null), request);
  });
  app.post('/sign-in', async (request, reply) => {
    const body = formOf(request);
    const given = (body.get('key') ?? '').trim();
    const key = URL.parse(given)?.searchParams.get('key') ?? given;
    return takeLink(request, reply, gate, { key, to: body.get('to') });
  });
  app.post('/sign-out', async (request, reply) => {
    const key = readCookie('session', request.headers, reach());
    if (key !== null) access.sessions.end(key);
    const ended = setCookie('session', { value: '', seconds: 0 }, request.headers, reach());
    return reply.header('set-cookie', ended).redirect('/sign-in', 303);
  });
  if (gate.oidc !== undefined) providerRoutes(app, gate, gate.oidc);
}

function providerRoutes(app: FastifyInstance, gate: Gate, settings: ConsoleOidcSettings): void {
  const { access, reach, logger } = gate;
  const { oidc } = access;
  if (oidc === null) return;
  app.get('/sign-in/oidc', async (request, reply) => {
    try {
      const { url, begun } = await oidc.begin(returnPath(queryOf(request).get('to')));
      const value = Buffer.from(JSON.stringify(begun)).toString('base64url');
      const cookie = setCookie('sign-in', { value, seconds: AWAY_SECONDS }, request.headers, reach());
      return reply.header('set-cookie', cookie).redirect(url);
    } catch (error) {
      return unanswered(request, reply, logger, error);
    }
  });
  app.get('/sign-in/callback', async (request, reply) => {
    const query = queryOf(request);
    const begun = begunOf(readCookie('sign-in', request.headers, reach()));
    // Another site can send a user's browser here, but not with the state of its cookie.
    const isBegun = begun !== null && begun.state === query.get('state');
    const counter = `${isBegun ? 'provider' : 'state'} ${addressClass(request.ip)}`;
    const seconds = access.failedSignIns.wait(counter);
    if (seconds !== null) return tooMany(request, reply, seconds);
    reply.header('set-cookie', setCookie('sign-in', { value: '', seconds: 0 }, request.headers, reach()));
    try {
      if (!isBegun) throw new Error('this sign-in did not start in this browser');
      const claims = await oidc.end(query.toString(), begun);
      const role = roleOf(claims, settings);
      if (role !== null)
        return enter(request, reply, gate, { subject: subjectOf(claims), role, to: begun.to });
      access.failedSignIns.take(counter);
      logger.warn('sign-in refused', { subject: subjectOf(claims) });
    } catch (error) {
      access.failedSignIns.take(counter);
      if (isUnanswered(error)) return unanswered(request, reply, logger, error);
      logger.warn('sign-in failed', { error: toCrawlhouseError(error).message });
      return refuse(request, reply, {
        status: 401,
        code: 'unauthorized',
        title: 'Not signed in',
        message: 'The sign-in was refused, took too long, or started in another browser.',
        hint: 'sign in again at /sign-in',
      });
    }
    return refuse(request, reply, {
      status: 403,
      code: 'forbidden',
      title: 'No access',
      message: 'You have no role in this console.',
      hint: 'ask its owner to add you to console_oidc.viewers, analysts, operators or owners',
    });
  });
}

function unanswered(
  request: FastifyRequest,
  reply: FastifyReply,
  logger: Logger,
  error: unknown,
): FastifyReply {
  logger.error('the sign-in provider does not answer', { error: toCrawlhouseError(error).message });
  return refuse(request, reply, {
    status: 502,
    code: 'connection',
    title: 'Sign-in is not available now',
    message: 'The sign-in provider does not respond as OpenID Connect requires.',
    hint: 'check console_oidc.issuer and the log of the console',
  });
}

/** Returns the contents of a sign-in's cookie; null if there is none, or if it is not ours. */
function begunOf(cookie: string | null): BegunSignIn | null {
  const begun = jsonOf(Buffer.from(cookie ?? '', 'base64url').toString());
  return typeof begun === 'object' ? (begun as BegunSignIn | null) : null;
}

function takeLink(
  request: FastifyRequest,
  reply: FastifyReply,
  gate: Gate,
  { key, to }: { readonly key: string; readonly to: string | null },
): FastifyReply {
  // A valid key is never refused: 256 bits cannot be guessed, and any page may make the user's browser fail often.
  if (gate.takesLinks && gate.access.links.use(key))
    return enter(request, reply, gate, { subject: LOCAL_PERSON, role: 'owner', to: returnPath(to) });
  const seconds = gate.access.failedSignIns.take(`link ${addressClass(request.ip)}`);
  if (seconds !== null) return tooMany(request, reply, seconds);
  reply.code(401);
  const why = 'This link was already used, is older than ten minutes, or belongs to another console.';
  return sendPage(reply, 'Sign in', signInPage(gate, to, why), request);
}

function enter(
  request: FastifyRequest,
  reply: FastifyReply,
  { access, reach }: Gate,
  { subject, role, to }: { readonly subject: string; readonly role: Role; readonly to: string },
): FastifyReply {
  const value = access.sessions.begin(subject, role);
  const cookie = setCookie('session', { value, seconds: SESSION_SECONDS }, request.headers, reach());
  return reply.header('set-cookie', cookie).redirect(returnPath(to), 303);
}

function signInPage({ takesLinks, oidc }: Gate, given: string | null, why: string | null): string {
  const to = returnPath(given);
  const provider =
    oidc === undefined
      ? null
      : html`<p><a class="button" href="/sign-in/oidc?to=${encodeURIComponent(to)}">Sign in with ${new URL(oidc.issuer).host}</a></p>`;
  const link = takesLinks
    ? html`<p>On the machine of the console, in the project folder, make a sign-in link. It works once and expires after ten minutes:</p>
<pre><code>crawlhouse console --link</code></pre>
<form method="post" action="/sign-in"><input type="hidden" name="to" value="${to}">
<label for="key">Open the link, or paste it here:</label>
<p><input id="key" name="key" type="text" autocomplete="off" required> <button type="submit" class="main">Sign in</button></p></form>`
    : null;
  return html`<h1>Sign in</h1>
${why === null ? null : html`<p class="notice" role="alert">${why}</p>`}
${provider}
${link}`.text;
}

function queryOf({ url }: FastifyRequest): URLSearchParams {
  return new URL(url, 'http://console').searchParams;
}

const BASE = 'http://console.invalid';

/** Returns the page after the sign-in: always a path of this console, whatever was requested. */
export function returnPath(given: string | null): string {
  const url = given?.startsWith('/') ? URL.parse(given, BASE) : null;
  if (url === null || url.origin !== BASE) return '/';
  // `/.//host` is read as `//host`, which browsers treat as another host.
  if (url.pathname.startsWith('//') || url.pathname.startsWith('/sign-')) return '/';
  return url.pathname + url.search;
}
