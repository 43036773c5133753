import type { FastifyRequest } from 'fastify';
import { canonicalScope } from '../../api/scopes.ts';
import { Refusal } from '../refusal.ts';
import type { Resources } from '../resources.ts';

/** A hook that lets only requests with a known token and the scope of the route's endpoint pass. */
export function authorize(resources: Resources): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined)
      throw new Refusal('unauthorized', 'a header Authorization: Bearer <ACCESS_TOKEN> is needed');
    const known = resources.get('tokens', token);
    if (known === undefined) throw new Refusal('unauthorized', 'the access token is not valid');
    const wanted = request.routeOptions.config?.endpoint?.scope;
    if (wanted === undefined) return;
    // Both spellings of the project scopes are given (api-spec.md §5).
    const scopes = (known.scopes as readonly string[]).map(canonicalScope);
    if (!scopes.includes(wanted)) {
      throw new Refusal('forbidden', `the access token lacks the scope ${wanted}`, { code: 'missing_scope' });
    }
  };
}
