import { z } from 'zod';
import type { ErrorCode } from '../../../core/errors/error-codes.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { redactTexts } from '../../../core/secrets/redact.ts';
import { lookUp } from '../../../core/text/look-up.ts';

/** The error types of the service with their HTTP status (api-spec.md §7). */
export const SERVICE_ERROR_STATUS = {
  unauthorized: 401,
  forbidden: 403,
  quota_error: 403,
  invalid_request: 400,
  invalid_request_parameters: 400,
  resource_not_found: 404,
  duplicate_entry: 400,
  invalid_state_for_request: 409,
  internal_error: 500,
} as const;
export type ServiceErrorType = keyof typeof SERVICE_ERROR_STATUS;

/** The error object (api-spec.md §7). */
export const ServiceErrorBody = z
  .looseObject({
    type: z.string(),
    code: z.string().nullish(),
    message: z.string().nullish(),
    fields: z
      .array(z.looseObject({ name: z.string(), type: z.string().nullish(), message: z.string().nullish() }))
      .nullish(),
  })
  .meta({ id: 'Error' });
export type ServiceErrorBody = z.infer<typeof ServiceErrorBody>;

/** An error object, whatever the status that it came with: one whose type the contract lists; else undefined. */
export function asErrorObject(value: unknown): ServiceErrorBody | undefined {
  const { data } = ServiceErrorBody.safeParse(value);
  return data && Object.hasOwn(SERVICE_ERROR_STATUS, data.type) ? data : undefined;
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  unauthorized: 'unauthorized',
  forbidden: 'forbidden',
  quota_error: 'quota',
  invalid_request: 'invalid_request',
  invalid_request_parameters: 'invalid_request',
  duplicate_entry: 'invalid_request',
  resource_not_found: 'not_found',
  invalid_state_for_request: 'wrong_state',
  internal_error: 'service_unavailable',
};

/** Codes of `forbidden` that mean a feature is missing, which skips a unit instead of failing the run. */
const FEATURE_CODES = /feature/i;

/**
 * Our error for an answer of the service that is not a success: type, code, message, offending fields, path. Its `cause`
 * is the service's error object.
 */
export function serviceError(
  request: { readonly method: string; readonly path: string },
  status: number,
  body: ServiceErrorBody | undefined,
  retryAfterMs: number | undefined,
): CrawlhouseError {
  const where = `${request.method} ${request.path}`;
  // A service may echo a secret.
  const details = { cause: body && redactTexts(body), retryAfterMs };
  if (body === undefined || status >= 500 || status === 429) {
    const code = status === 401 ? 'unauthorized' : status === 403 ? 'forbidden' : codeOfStatus(status);
    const said = body?.message ? `: ${body.message}` : '';
    return new CrawlhouseError(code, `${where} answered ${status}${said}`, details);
  }
  const lacking = body.type === 'forbidden' && FEATURE_CODES.test(body.code ?? '');
  const code = lacking ? 'missing_feature' : (lookUp(CODES, body.type) ?? codeOfStatus(status));
  // Facts in the service's message are not repeated.
  const untold = (body.fields ?? []).filter(({ message }) => !message || !body.message?.includes(message));
  const fields = untold.map((field) => `${field.name} (${field.message ?? field.type ?? 'invalid'})`);
  const parts = [
    `${where} answered ${status} ${body.type}`,
    body.code ? ` (${body.code})` : '',
    body.message ? `: ${body.message}` : '',
    fields.length > 0 ? `; fields: ${fields.join(', ')}` : '',
  ];
  return new CrawlhouseError(code, parts.join(''), details);
}

function codeOfStatus(status: number): ErrorCode {
  if (status === 429 || status >= 500) return 'service_unavailable';
  if (status === 404) return 'not_found';
  if (status === 409) return 'wrong_state';
  return status >= 400 ? 'invalid_request' : 'contract_broken';
}

/** The error of a request without which nothing can be read: a 403 on it forbids everything. */
export function asAllForbidden(thrown: unknown): CrawlhouseError {
  const error = toCrawlhouseError(thrown);
  if (error.code !== 'forbidden') return error;
  return new CrawlhouseError('all_forbidden', error.message, {
    hint: error.hint,
    cause: error,
  });
}

/** Rejects with what `asAllForbidden` makes of the error. */
export function orAllForbidden(thrown: unknown): never {
  throw asAllForbidden(thrown);
}
