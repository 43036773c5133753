import type { FastifyInstance } from 'fastify';
import { SCOPES } from '../../../client/scopes.ts';
import { refusalOf } from '../../http/refusal-of.ts';
import type { Context } from '../../http/serve.ts';
import { invalidParameter } from '../../resources/refusal.ts';
import { WORKSPACE_ID } from '../../resources/seed.ts';
import { findApplication } from '../oauth/application.ts';
import { checkAuthorization, PendingAuthorizations, returnAddress } from '../oauth/authorization.ts';
import { answerTokenRequest, issueCode } from '../oauth/grants.ts';
import { authorizationPage, authorizationProblemPage } from '../pages/authorization-page.ts';
import { sendPage } from '../pages/page.ts';

const FORM = 'application/x-www-form-urlencoded';
const STALE = 'This page is too old, or has been answered already.';

/** Registers the OAuth2 authorization code grant (api-spec.md §5). Its addresses are not in the specification. */
export function oauthRoutes(oauth: FastifyInstance, context: Context): void {
  const pending = new PendingAuthorizations(context.clock);
  oauth.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, body, done) =>
    done(null, new URLSearchParams(String(body))),
  );
  oauth.setErrorHandler(async (error, request, reply) => {
    // Without its query, which may have secrets.
    const refusal = refusalOf(error, `${request.method} ${request.routeOptions.url}`, context.logger);
    // The service's error object, and in addition the one that every OAuth2 library reads (RFC 6749 §5.2).
    const standard = { error: refusal.code ?? 'invalid_request', error_description: refusal.message };
    return reply
      .code(refusal.status)
      .header('cache-control', 'no-store')
      .send({ ...refusal.toJSON(), ...standard });
  });

  oauth.get('/authorize', async (request, reply) => {
    const query = new URLSearchParams(request.url.split('?')[1] ?? '');
    const checked = checkAuthorization(query, (id) => findApplication(context.resources, id));
    if (checked.kind === 'refuse') return sendPage(reply, 400, authorizationProblemPage(checked.message));
    if (checked.kind === 'back') return reply.redirect(checked.location, 302);
    const workspace = String(context.resources.get('workspaces', WORKSPACE_ID)?.name);
    const key = pending.add(checked.authorization);
    return sendPage(reply, 200, authorizationPage(checked.authorization, key, workspace));
  });

  oauth.post('/authorize', async (request, reply) => {
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const authorization = pending.take(form.get('request') ?? '');
    if (authorization === undefined) return sendPage(reply, 400, authorizationProblemPage(STALE));
    const { redirectUri, scopes, state } = authorization;
    const ticked = form.getAll('scope');
    const granted = SCOPES.filter((scope) => scopes.includes(scope) && ticked.includes(scope));
    // Approval without any scope is a refusal.
    const isGranted = form.get('decision') === 'allow' && granted.length > 0;
    const answer = isGranted
      ? { code: issueCode(context, authorization, granted), state }
      : { error: 'access_denied', state };
    return reply.header('cache-control', 'no-store').redirect(returnAddress(redirectUri, answer), 303);
  });

  oauth.post('/token', async (request, reply) => {
    const form = request.body instanceof URLSearchParams ? once(request.body) : (request.body ?? {});
    const answer = answerTokenRequest(context, form);
    return reply.header('cache-control', 'no-store').send(answer);
  });
}

function once(form: URLSearchParams): Record<string, string> {
  for (const name of new Set(form.keys()))
    if (form.getAll(name).length > 1) throw invalidParameter(name, 'repeated', 'is given more than once');
  return Object.fromEntries(form);
}
