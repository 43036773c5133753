import { z } from 'zod';
import { checkRequest } from '../../resources/check-request.ts';
import { Refusal } from '../../resources/refusal.ts';
import { findApplication, hasSecret } from './application.ts';
import { exchangeCode, type GrantStore, refreshGrant, type TokenAnswer } from './grants.ts';

const text = z.string().min(1);
const application = { client_id: text, client_secret: text };

/** The parameters of the exchange, all required (api-spec.md §5, step 3); others are passed over (RFC 6749 §3.2). */
const CodeRequest = z.object({ ...application, code: text, redirect_uri: text });
const RefreshRequest = z.object({ ...application, refresh_token: text });

/**
 * Answers a request for tokens.
 *
 * @throws Refusal whose code is the error of RFC 6749 §5.2
 */
export function answerTokenRequest(store: GrantStore, form: unknown): TokenAnswer {
  const { grant_type } = checkRequest(z.object({ grant_type: text }), form);
  switch (grant_type) {
    case 'authorization_code': {
      const { code, redirect_uri, ...client } = checkRequest(CodeRequest, form);
      return exchangeCode(store, clientOf(store, client), code, redirect_uri);
    }
    case 'refresh_token': {
      const { refresh_token, ...client } = checkRequest(RefreshRequest, form);
      return refreshGrant(store, clientOf(store, client), refresh_token);
    }
    default:
      throw new Refusal('invalid_request', 'grant_type must be authorization_code or refresh_token', {
        code: 'unsupported_grant_type',
      });
  }
}

function clientOf(
  { resources }: GrantStore,
  { client_id, client_secret }: { readonly client_id: string; readonly client_secret: string },
): string {
  const known = findApplication(resources, client_id);
  if (known !== undefined && hasSecret(known, client_secret)) return known.id;
  throw new Refusal('unauthorized', 'client_id and client_secret are not those of an application', {
    code: 'invalid_client',
  });
}
