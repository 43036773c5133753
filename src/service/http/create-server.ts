import type { FastifyInstance, FastifyRequest } from 'fastify';
import Fastify from 'fastify';
import { ENDPOINTS } from '../../client/endpoints.ts';
import { CREATE_DATA_EXPORT } from '../../client/resources/data-exports.ts';
import { CREATE_SECRET, DELETE_SECRET, LIST_SECRETS } from '../../client/resources/secrets.ts';
import { GET_WORKSPACE, LIST_WORKSPACES } from '../../client/resources/workspaces.ts';
import { canonicalScope } from '../../client/scopes.ts';
import { isDeeperThan, parseJson, stringifyJson } from '../../core/text/json.ts';
import { forbidden, notFound, Refusal } from '../resources/refusal.ts';
import { type Resources, type StoredResource, spendReplaced } from '../resources/resources.ts';
import { WORKSPACE_ID } from '../resources/seed.ts';
import { exchangeHooks, exchangeOf } from './exchange.ts';
import { BODY_LIMIT, malformedRequest, refusalOf } from './refusal-of.ts';
import { crawlConfigRoutes } from './routes/crawl-config-routes.ts';
import { crawlOverCrawlRoutes } from './routes/crawl-over-crawl-routes.ts';
import { crawlRoutes, scheduledCrawlRoutes } from './routes/crawl-routes.ts';
import { dataRoutes } from './routes/data-routes.ts';
import { ingestFileRoutes } from './routes/ingest-file-routes.ts';
import { logRoutes, projectRoutes, workspaceRoutes } from './routes/project-routes.ts';
import { dataExportRoutes, downloadRoutes, rankingRoutes } from './routes/ranking-routes.ts';
import { type Context, exportConstraint, serve } from './serve.ts';

const PREFIX = '/api/v2';

/** Levels of arrays and objects in a body. Filters may have 50 levels, of two each in JSON. */
const DEEPEST_BODY = 500;
const TOO_DEEP = 'it is nested too deeply';

/**
 * The operations that a workspace without an active subscription still allows, which show the workspace and its
 * subscription.
 */
const WITHOUT_SUBSCRIPTION: readonly unknown[] = [LIST_WORKSPACES, GET_WORKSPACE];

/** Refuses requests that need an object store. */
const WITHOUT_STORES: MoreRoutes = {
  api(api) {
    const refuse = (): never => {
      throw forbidden('the local service has no object stores', 'missing_feature');
    };
    for (const endpoint of [CREATE_DATA_EXPORT, CREATE_SECRET, LIST_SECRETS, DELETE_SECRET])
      serve(api, endpoint as typeof DELETE_SECRET, refuse);
  },
};

/** Additions of a sandbox to the HTTP surface. */
export interface MoreRoutes {
  /** Hooks on every request; they see each response before it is sent. */
  hooks?(app: FastifyInstance): void;
  /** Operations of the API that need an object store. */
  api(api: FastifyInstance, context: Context): void;
  /** Routes outside `/api/v2`. */
  others?(app: FastifyInstance, context: Context): void;
}

/** Returns the HTTP surface of the service, under `/api/v2`. */
export function createServer(context: Context, more: MoreRoutes = WITHOUT_STORES): FastifyInstance {
  const app = Fastify({
    bodyLimit: BODY_LIMIT,
    // Stalled responses must not keep the service from closing.
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 1000, constraints: { export: exportConstraint } },
    clientErrorHandler: malformedRequest,
    frameworkErrors: (error, request, reply) => {
      const refusal = refusalOf(error, `${request.method} ${request.url}`, context.logger);
      reply.raw.writeHead(refusal.status, { 'content-type': 'application/json; charset=utf-8' });
      reply.raw.end(JSON.stringify(refusal));
    },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    // Clients name the type on every request, even without a body (a deletion, a launch).
    if (body === '') return done(null, undefined);
    try {
      done(null, bodyOf(String(body)));
    } catch (error) {
      done(error as Refusal);
    }
  });
  // A filter or a value that is sent back may have a whole number beyond 2^53.
  app.setReplySerializer((payload) => stringifyJson(payload));
  app.setErrorHandler(async (error, request, reply) => {
    // The client is gone: the error is that of the query that ended with it.
    if (exchangeOf(request)?.closed.aborted) return reply.hijack();
    const refusal = refusalOf(error, `${request.method} ${request.url}`, context.logger);
    if (refusal.status === 401) reply.header('www-authenticate', 'Bearer');
    return reply.code(refusal.status).send(refusal.toJSON());
  });
  app.setNotFoundHandler(async (request) => {
    throw notFound(`${request.method} ${request.url}`);
  });
  exchangeHooks(app, more.hooks);
  app.register(
    async (api) => {
      api.addHook('onRequest', authorize(context));
      // Due events are applied before each request.
      api.addHook('preHandler', () => context.crawlClock.advance());
      api.setNotFoundHandler(async (request) => {
        throw noOperation(request.method, request.url);
      });
      dataRoutes(api, context);
      logRoutes(api, context);
      rankingRoutes(api, context);
      projectRoutes(api, context);
      crawlRoutes(api, context);
      scheduledCrawlRoutes(api, context);
      crawlOverCrawlRoutes(api, context);
      crawlConfigRoutes(api, context);
      workspaceRoutes(api, context);
      dataExportRoutes(api, context);
      ingestFileRoutes(api, context);
      more.api(api, context);
    },
    { prefix: '/api/v2' },
  );
  app.register(async (files) => downloadRoutes(files, context), { prefix: '/downloads' });
  more.others?.(app, context);
  return app;
}

function bodyOf(text: string): unknown {
  const unreadable = (why: string): Refusal =>
    new Refusal('invalid_request', `the body is not JSON that can be read: ${why}`);
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw unreadable(error instanceof RangeError ? TOO_DEEP : (error as Error).message);
  }
  // Recursive functions would overflow the stack on such a value.
  if (isDeeperThan(value, DEEPEST_BODY)) throw unreadable(TOO_DEEP);
  return value;
}

/**
 * Returns a hook that lets only requests with a valid token, the scope of the route's endpoint and a subscription pass.
 */
function authorize({ resources, clock }: Context): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const token = tokenOf(request, resources, clock.now());
    spendReplaced(resources, 'tokens', token);
    const endpoint = request.routeOptions.config?.endpoint;
    if (endpoint === undefined) return;
    // Both spellings of the project scopes are given (api-spec.md §5).
    const scopes = (token.scopes as readonly string[]).map(canonicalScope);
    if (!scopes.includes(endpoint.scope))
      throw forbidden(`the access token lacks the scope ${endpoint.scope}`, 'missing_scope');
    const workspace = resources.get('workspaces', WORKSPACE_ID);
    if (workspace?.subscription_status === 'inactive' && !WITHOUT_SUBSCRIPTION.includes(endpoint))
      throw forbidden('the workspace has no active subscription', 'no_active_subscription');
  };
}

function tokenOf(request: FastifyRequest, resources: Resources, now: number): StoredResource {
  const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined)
    throw new Refusal('unauthorized', 'the header Authorization: Bearer <ACCESS_TOKEN> is required');
  const known = resources.get('tokens', token);
  if (known === undefined) throw new Refusal('unauthorized', 'the access token is not valid');
  if (typeof known.expires_at === 'number' && known.expires_at <= now)
    throw new Refusal('unauthorized', 'the access token has expired', { code: 'expired_token' });
  return known;
}

/** Refuses a request that is not an operation of the service, and lists the methods of the path. */
function noOperation(method: string, url: string): Refusal {
  const [path = ''] = url.slice(PREFIX.length).split('?');
  const known = Object.values(ENDPOINTS).filter((one) =>
    new RegExp(`^${one.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  const methods = [...new Set(known.map((one) => one.method))].join(', ');
  const hint = methods === '' ? '' : `: the path takes ${methods}`;
  return new Refusal('resource_not_found', `${method} ${url} does not exist${hint}`);
}
