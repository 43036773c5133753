import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';
import { z } from 'zod';
import type { Endpoint, PathParameter } from '../../client/endpoint.ts';
import { lookUp } from '../../core/text/look-up.ts';
import type { CrawlClock } from '../crawls/crawl-clock.ts';
import type { IngestedFiles } from '../ingest/ingested-files.ts';
import type { Notifier } from '../notify/notifier.ts';
import type { DownloadCenter } from '../ranking/download-center.ts';
import { checkRequest } from '../resources/check-request.ts';
import { notFound } from '../resources/refusal.ts';
import type { ServiceState } from '../rows/service-state.ts';

type Strategies = NonNullable<NonNullable<FastifyServerOptions['routerOptions']>['constraints']>;

/** A route that answers only requests with `export=true` in their query. */
const EXPORTING = { export: 'true' } as const;

/** Distinguishes exports from searches, which share path and method (api-spec.md §4.1). */
export const exportConstraint: Strategies[string] = {
  name: 'export',
  storage: () => {
    const handlers = new Map<string, never>();
    return {
      get: (value) => handlers.get(String(value)) ?? null,
      set: (value, handler) => void handlers.set(String(value), handler as never),
    };
  },
  deriveConstraint: (request) => {
    const query = new URLSearchParams((request.url ?? '').split('?')[1] ?? '');
    // No derived path leads to the route without the constraint, though the type cannot express that.
    return query.getAll('export').includes('true') ? 'true' : (undefined as never);
  },
  validate: () => {},
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation that a route serves. */
    endpoint?: Endpoint;
  }
}

/** The body of a request that needs none: empty, or an object without parameters. */
const NoBody = z.strictObject({});

/** A request of an endpoint, checked against its definition. */
export interface EndpointCall<E extends Endpoint> {
  readonly parameters: Readonly<Record<PathParameter<E['path']>, string>>;
  readonly query: E extends { readonly query: infer Q extends z.ZodType } ? z.output<Q> : undefined;
  readonly body: E extends { readonly body: infer B extends z.ZodType } ? z.output<B> : undefined;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * Serves an endpoint: scope, path, query and body are checked by its definition before `handler` sees them. The return
 * value of the handler is the response, unless the handler has sent one. An endpoint without a response sends 204.
 */
export function serve<E extends Endpoint>(
  api: FastifyInstance,
  endpoint: E,
  handler: (call: EndpointCall<E>) => unknown,
): void {
  api.route({
    method: endpoint.method,
    url: endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
    // A search and its export share path and method, and differ by the query alone.
    ...(endpoint.answers === 'file' ? { constraints: EXPORTING } : {}),
    config: { endpoint },
    handler: async (request, reply) => {
      const parameters = request.params as Record<PathParameter<E['path']>, string>;
      checkValues(endpoint, parameters);
      const query = endpoint.query && checkRequest(endpoint.query, request.query);
      const isForm = endpoint.sends === 'multipart';
      const sent = request.body === undefined ? {} : request.body;
      const body = isForm ? undefined : checkRequest(endpoint.body ?? NoBody, sent);
      const answer = await handler({
        parameters,
        query: query as EndpointCall<E>['query'],
        body: body as EndpointCall<E>['body'],
        request,
        reply,
      });
      return endpoint.answers === 'none' ? reply.code(204).send() : answer;
    },
  });
}

function checkValues({ path, values = {} }: Endpoint, parameters: Readonly<Record<string, string>>): void {
  for (const [name, known] of Object.entries(values)) {
    const value = lookUp(parameters, name) ?? '';
    if (!known.includes(value)) throw notFound(`the ${name.replace('_', ' ')} ${value} of ${path}`);
  }
}

export interface Context extends ServiceState {
  readonly crawlClock: CrawlClock;
  readonly notifier: Notifier;
  readonly ingestFiles: IngestedFiles;
  readonly downloads: DownloadCenter;
  /** Name or address that the service listens on. */
  readonly host: string;
}
