import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { listQuery, NoQuery, pageOf } from './pagination.ts';

/** Types of a secret (api-spec.md §2.11). */
const SECRET_TYPES = ['store_a_credentials', 'store_b_credentials'] as const;

/**
 * A secret's name: the specification's `^[a-z-A-Z][a-zA-Z0-9_-]{2,63}$`, written so that every dialect of regular
 * expressions reads it alike (spec-notes.md 20).
 */
const SECRET_NAME = /^[a-zA-Z-][a-zA-Z0-9_-]{2,63}$/;

/** The fields that a list of secrets can be sorted and filtered by (api-spec.md §2.11). */
export const SECRET_LIST_FIELDS = ['name', 'type'] as const;

/** A secret; its value never comes back (api-spec.md §2.11). */
export const Secret = z
  .looseObject({
    id: z.string(),
    name: z.string(),
    type: z.string(),
    creation_date: z.int().nullish(),
    owner_id: z.string().nullish(),
  })
  .meta({ id: 'Secret' });
export type Secret = z.infer<typeof Secret>;

/** A secret to create; `value` is base64 of a JSON text (api-spec.md §2.11). */
export const SecretInput = z
  .strictObject({
    name: z
      .string()
      .regex(SECRET_NAME, 'must be 3 to 64 letters, digits, _ and -, not beginning with a digit or _'),
    type: z.enum(SECRET_TYPES),
    value: z.string().min(1),
  })
  .meta({ id: 'SecretInput' });
export type SecretInput = z.input<typeof SecretInput>;

/** The contents of a `store_b_credentials` secret, before base64 (wire-facts.md). */
export const StoreBCredentials = z.strictObject({
  access_key: z.string().min(1),
  secret_key: z.string().min(1),
});
export type StoreBCredentials = z.infer<typeof StoreBCredentials>;

export const LIST_SECRETS = endpoint({
  method: 'GET',
  path: '/workspaces/{workspace_id}/secrets',
  scope: 'account:read',
  summary: 'Secrets of a workspace, without their values',
  source: '§4.9',
  query: listQuery(SECRET_LIST_FIELDS),
  answers: 'json',
  response: pageOf('secrets', Secret),
  result: 'secrets',
  errors: ['invalid_request_parameters', 'resource_not_found'],
  repeatable: true,
});

export const CREATE_SECRET = endpoint({
  method: 'POST',
  path: '/workspaces/{workspace_id}/secrets',
  scope: 'account:write',
  summary: 'Create a secret',
  source: '§4.9',
  query: NoQuery,
  body: z.strictObject({ secret: SecretInput }),
  answers: 'json',
  response: z.looseObject({ secret: Secret }),
  result: 'secret',
  errors: ['invalid_request', 'invalid_request_parameters', 'duplicate_entry', 'resource_not_found'],
  repeatable: false,
});

export const DELETE_SECRET = endpoint({
  method: 'DELETE',
  path: '/workspaces/{workspace_id}/secrets/{secret_id}',
  scope: 'account:write',
  summary: 'Delete a secret',
  source: '§4.9',
  query: NoQuery,
  answers: 'none',
  errors: ['invalid_request_parameters', 'resource_not_found'],
  repeatable: true,
});
