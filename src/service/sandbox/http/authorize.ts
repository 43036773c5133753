import type { FastifyRequest } from 'fastify';
import { canonicalScope } from '../../api/scopes.ts';
import { GET_WORKSPACE, LIST_WORKSPACES } from '../../api/workspaces.ts';
import { spendReplaced } from '../oauth/grants.ts';
import { Refusal } from '../resources/refusal.ts';
import type { Document, Resources } from '../resources/resources.ts';
import { WORKSPACE_ID } from '../resources/seed.ts';
import type { Context } from './context.ts';

/** The operations that a workspace without an active subscription still allows: they show it and its subscription. */
const WITHOUT_SUBSCRIPTION: readonly unknown[] = [LIST_WORKSPACES, GET_WORKSPACE];

/** A hook that lets only requests with a valid token, the scope of the route's endpoint and a subscription pass. */
export function authorize({ resources, clock }: Context): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const token = tokenOf(request, resources, clock.now());
    spendReplaced(resources, 'tokens', token);
    const endpoint = request.routeOptions.config?.endpoint;
    if (endpoint === undefined) return;
    // Both spellings of the project scopes are given (api-spec.md §5).
    const scopes = (token.scopes as readonly string[]).map(canonicalScope);
    if (!scopes.includes(endpoint.scope)) {
      throw new Refusal('forbidden', `the access token lacks the scope ${endpoint.scope}`, {
        code: 'missing_scope',
      });
    }
    if (!WITHOUT_SUBSCRIPTION.includes(endpoint)) refuseWithoutSubscription(resources);
  };
}

function tokenOf(request: FastifyRequest, resources: Resources, now: number): Document {
  const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined)
    throw new Refusal('unauthorized', 'a header Authorization: Bearer <ACCESS_TOKEN> is needed');
  const known = resources.get('tokens', token);
  if (known === undefined) throw new Refusal('unauthorized', 'the access token is not valid');
  if (typeof known.expires_at === 'number' && known.expires_at <= now)
    throw new Refusal('unauthorized', 'the access token has expired', { code: 'expired_token' });
  return known;
}

function refuseWithoutSubscription(resources: Resources): void {
  if (resources.get('workspaces', WORKSPACE_ID)?.subscription_status !== 'inactive') return;
  throw new Refusal('forbidden', 'the workspace has no active subscription', {
    code: 'no_active_subscription',
  });
}
