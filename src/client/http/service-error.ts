import { z } from 'zod';
import type { ErrorCode } from '../../core/errors/error-codes.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../core/errors/errors.ts';
import { redactTexts } from '../../core/secrets/redact.ts';
import { lookUp } from '../../core/text/look-up.ts';

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

/** Returns the error object, whatever the status, if its type is in the contract; else undefined. */
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

/** Codes of a 403 that mean a feature is missing, which skips a unit instead of failing the run. */
const FEATURE_CODES = /feature/i;

/**
 * Returns our error for an unsuccessful answer of the service: type, code, message, offending fields, path. Its `cause`
 * is the service's error object. The status determines the class of the error, and the body refines it within the
 * class, because proxies may respond for the service with their own bodies (RFC 9457).
 */
export function serviceError(
  request: { readonly method: string; readonly path: string },
  status: number,
  body: ServiceErrorBody | undefined,
  retryAfterMs: number | undefined,
): CrawlhouseError {
  const code = codeOf(status, body);
  const where = `${request.method} ${request.path} answered ${status}`;
  // The service may echo a secret.
  const details = { cause: body && redactTexts(body), retryAfterMs };
  const told = [body?.message, body?.detail, body?.title].find(
    (text) => typeof text === 'string' && text !== '',
  );
  const message = told === undefined ? '' : `: ${told}`;
  if (body === undefined || (code === 'service_unavailable' && status >= 400))
    return new CrawlhouseError(code, where + message, details);
  // Does not repeat facts of the service's message.
  const untold = (body.fields ?? []).filter((field) => !field.message || !message.includes(field.message));
  const fields = untold.map((field) => `${field.name} (${field.message ?? field.type ?? 'invalid'})`);
  const parts = [
    `${where} ${body.type}`,
    body.code ? ` (${body.code})` : '',
    message,
    fields.length > 0 ? `; fields: ${fields.join(', ')}` : '',
  ];
  return new CrawlhouseError(code, parts.join(''), details);
}

function codeOf(status: number, body: ServiceErrorBody | undefined): ErrorCode {
  // An error object in a response that claims success.
  if (status >= 200 && status < 300) return codeOfBody(body) ?? 'contract_broken';
  const code = codeOfStatus(status);
  if (status !== 403) return code;
  const refined = codeOfBody(body);
  if (refined === 'quota') return refined;
  return FEATURE_CODES.test(body?.code ?? '') ? 'missing_feature' : code;
}

function codeOfBody(body: ServiceErrorBody | undefined): ErrorCode | undefined {
  if (body?.type === 'forbidden' && FEATURE_CODES.test(body.code ?? '')) return 'missing_feature';
  return body && lookUp(CODES, body.type);
}

const STATUS_CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthorized',
  402: 'forbidden',
  403: 'forbidden',
  404: 'not_found',
  408: 'service_unavailable',
  409: 'wrong_state',
  410: 'not_found',
  425: 'service_unavailable',
  429: 'service_unavailable',
  451: 'forbidden',
};

function codeOfStatus(status: number): ErrorCode {
  if (status >= 500) return 'service_unavailable';
  return STATUS_CODES[status] ?? (status >= 400 ? 'invalid_request' : 'contract_broken');
}

/** Returns the error of a request that all reading depends on: a 403 forbids everything. */
export function asAllForbidden(thrown: unknown): CrawlhouseError {
  const error = toCrawlhouseError(thrown);
  if (error.code !== 'forbidden') return error;
  return new CrawlhouseError('all_forbidden', error.message, { hint: error.hint, cause: error });
}

/** Rejects with the result of `asAllForbidden`. */
export function orAllForbidden(thrown: unknown): never {
  throw asAllForbidden(thrown);
}
