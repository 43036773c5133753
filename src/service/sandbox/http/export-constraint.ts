import type { FastifyServerOptions } from 'fastify';

type Strategies = NonNullable<NonNullable<FastifyServerOptions['routerOptions']>['constraints']>;

/** A route that answers only requests with `export=true` in their query. */
export const EXPORTING = { export: 'true' } as const;

/** Tells exports from searches, which share path and method (api-spec.md §4.1). */
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
    // Nothing derived leads to the route without the constraint, though the type has no word for it.
    return query.getAll('export').includes('true') ? 'true' : (undefined as never);
  },
  validate: () => {},
};
