import Fastify, { type FastifyInstance } from 'fastify';
import { parseJson, stringifyJson } from '../../../core/text/json.ts';
import { notFound, Refusal } from '../resources/refusal.ts';
import { authorize } from './authorize.ts';
import type { Context } from './context.ts';
import { controlRoutes } from './control-routes.ts';
import { crawlConfigRoutes } from './crawl-config-routes.ts';
import { crawlOverCrawlRoutes } from './crawl-over-crawl-routes.ts';
import { crawlRoutes } from './crawl-routes.ts';
import { dataExportRoutes } from './data-export-routes.ts';
import { dataRoutes } from './data-routes.ts';
import { downloadRoutes } from './download-routes.ts';
import { exchangeOf } from './exchange.ts';
import { exportConstraint } from './export-constraint.ts';
import { faultHooks } from './fault-hooks.ts';
import { ingestFileRoutes } from './ingest-file-routes.ts';
import { logRoutes } from './log-routes.ts';
import { noOperation } from './no-operation.ts';
import { oauthRoutes } from './oauth-routes.ts';
import { pageRoutes } from './page-routes.ts';
import { projectRoutes } from './project-routes.ts';
import { rankingRoutes } from './ranking-routes.ts';
import { BODY_LIMIT, malformedRequest, refusalOf } from './refusal-of.ts';
import { scheduledCrawlRoutes } from './scheduled-crawl-routes.ts';
import { secretRoutes } from './secret-routes.ts';
import { workspaceRoutes } from './workspace-routes.ts';

/** The whole HTTP surface: the service under `/api/v2`, the handles for tests under `/_sandbox`. */
export function createServer(context: Context): FastifyInstance {
  const app = Fastify({
    bodyLimit: BODY_LIMIT,
    // Stalled responses must not keep the sandbox from closing.
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
    // Clients name the type on every request, also where they send nothing (a deletion, a launch).
    if (body === '') return done(null, undefined);
    try {
      done(null, parseJson(String(body)));
    } catch (error) {
      // A tree too deep for the parser ends its stack; the text of that error says nothing to a client.
      const why = error instanceof RangeError ? 'it is nested too deeply' : (error as Error).message;
      done(new Refusal('invalid_request', `the body is not JSON that can be read: ${why}`));
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
  faultHooks(app, context);
  app.register(
    async (api) => {
      api.addHook('onRequest', authorize(context));
      // Due events are applied before each request.
      api.addHook('preHandler', () => context.life.advance());
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
      secretRoutes(api, context);
      dataExportRoutes(api, context);
      ingestFileRoutes(api, context);
    },
    { prefix: '/api/v2' },
  );
  app.register(async (files) => downloadRoutes(files, context), { prefix: '/downloads' });
  app.register(async (pages) => pageRoutes(pages, context));
  app.register(async (oauth) => oauthRoutes(oauth, context), { prefix: '/oauth' });
  app.register(async (control) => controlRoutes(control, context), { prefix: '/_sandbox' });
  return app;
}
