import type { FastifyRequest } from 'fastify';
import { Refusal } from '../refusal.ts';
import type { Resources } from '../resources.ts';

/** The scope a route asks for (our table: account:read for workspaces, projects:read for all else). */
export type Scope = 'account:read' | 'projects:read';

export const ALL_SCOPES: readonly string[] = [
  'account:read',
  'account:write',
  'projects:read',
  'projects:write',
];

declare module 'fastify' {
  interface FastifyContextConfig {
    scope?: Scope;
  }
}

/** A hook that lets only requests with a known token and the route's scope pass. */
export function authorize(resources: Resources): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined)
      throw new Refusal('unauthorized', 'a header Authorization: Bearer <ACCESS_TOKEN> is needed');
    const known = resources.get('tokens', token);
    if (known === undefined) throw new Refusal('unauthorized', 'the access token is not valid');
    const wanted = request.routeOptions.config?.scope;
    if (wanted === undefined) return;
    // Both spellings of the project scopes are given (api-spec.md §5).
    const scopes = (known.scopes as readonly string[]).map((scope) =>
      scope.replace(/^project:/, 'projects:'),
    );
    if (!scopes.includes(wanted)) {
      throw new Refusal('forbidden', `the access token lacks the scope ${wanted}`, { code: 'missing_scope' });
    }
  };
}
