import { z } from 'zod';
import { resultOf, section } from '../endpoint.ts';
import { listQuery, pageOf } from '../http/pagination.ts';

/** Types of a secret (api-spec.md §2.11). */
const SECRET_TYPES = ['store_a_credentials', 'store_b_credentials'] as const;

/**
 * A secret's name: the specification's `^[a-z-A-Z][a-zA-Z0-9_-]{2,63}$`, written so that all regular expression
 * dialects read it alike (spec-notes.md 20).
 */
const SECRET_NAME = /^[a-zA-Z-][a-zA-Z0-9_-]{2,63}$/;

/** The fields to sort and filter secrets by (api-spec.md §2.11). */
export const SECRET_LIST_FIELDS = ['name', 'type'] as const;

/** A secret; its value is never returned (api-spec.md §2.11). */
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

const { get, post, remove } = section('§4.9', 'account');

export const LIST_SECRETS = get(
  '/workspaces/{workspace_id}/secrets',
  'Secrets of a workspace, without their values',
  { query: listQuery(SECRET_LIST_FIELDS), ...pageOf('secrets', Secret) },
);

export const CREATE_SECRET = post('/workspaces/{workspace_id}/secrets', 'Create a secret', {
  body: z.strictObject({ secret: SecretInput }),
  errors: ['invalid_request', 'invalid_request_parameters', 'duplicate_entry', 'resource_not_found'],
  ...resultOf('secret', Secret),
});

export const DELETE_SECRET = remove('/workspaces/{workspace_id}/secrets/{secret_id}', 'Delete a secret');
