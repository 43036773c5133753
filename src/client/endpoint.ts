import { z } from 'zod';
import { CrawlhouseError } from '../core/errors/errors.ts';
import { lookUp } from '../core/text/look-up.ts';
import { NoQuery } from './http/pagination.ts';
import type { ServiceErrorType } from './http/service-error.ts';
import type { TokenScope } from './scopes.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The form of a response: JSON that fits `response`, nothing (204), or a streamed file. */
type AnswerKind = 'json' | 'none' | 'file';

/** One operation of the service (api-spec.md §4). The client, the sandbox and the OpenAPI document are made from it. */
export interface Endpoint {
  readonly method: Method;
  /** Below `/api/v2`, with its parameters in braces. */
  readonly path: string;
  /** Values of path parameters that the specification lists; any other value is not found. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** The required scope of the token (docs/sandbox.md). */
  readonly scope: TokenScope;
  readonly summary: string;
  /** Its section of api-spec.md, such as `§4.3`. */
  readonly source: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** The format of the body; default: JSON. */
  readonly sends?: 'json' | 'multipart';
  readonly answers: AnswerKind;
  readonly response?: z.ZodType;
  /** The key of the result in the response; absent: the whole response is the result. */
  readonly result?: string;
  /** Errors that it may answer with, in addition to `unauthorized`, `forbidden` and `internal_error`. */
  readonly errors: readonly ServiceErrorType[];
  /** Whether it may be sent again after a failure (spec-notes.md 16). */
  readonly repeatable: boolean;
}

/** The names in braces of a path. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

/** The errors that every endpoint may answer with, in addition to its own (api-spec.md §7). */
export const COMMON_ERRORS: readonly ServiceErrorType[] = ['unauthorized', 'forbidden', 'internal_error'];

/** Errors of a request with a body on an object that may be in the wrong state for it. */
export const STATE_ERRORS = [
  'invalid_request',
  'invalid_request_parameters',
  'resource_not_found',
  'invalid_state_for_request',
] as const;

/** The definition of an endpoint without the parts that its section and method determine. */
type Own = Partial<Omit<Endpoint, 'method' | 'path' | 'summary' | 'source'>>;

/**
 * Defines the endpoints of a section of api-spec.md §4, with the scopes of an area. Given values override these
 * defaults.
 */
export function section(source: string, area: 'account' | 'projects') {
  const read = { source, scope: `${area}:read`, query: NoQuery, repeatable: true } as const;
  const write = { ...read, scope: `${area}:write` } as const;
  const looked = ['invalid_request_parameters', 'resource_not_found'] as const;
  const sent = ['invalid_request', ...looked] as const;
  return {
    get: defining({ ...read, method: 'GET', answers: 'json', errors: looked }),
    post: defining({ ...write, method: 'POST', answers: 'json', errors: sent, repeatable: false }),
    put: defining({ ...write, method: 'PUT', answers: 'json', errors: sent }),
    remove: defining({ ...write, method: 'DELETE', answers: 'none', errors: looked }),
  };
}

const NOTHING = {} as const;

function defining<const D extends Omit<Endpoint, 'path' | 'summary'>>(defaults: D) {
  return <const Path extends string, const O extends Own = typeof NOTHING>(
    path: Path,
    summary: string,
    own: O = NOTHING as O,
  ) => ({ ...defaults, path, summary, ...own }) as Omit<D, keyof O> & O & { path: Path; summary: string };
}

/** Returns the schema of a response that wraps its result under a key. */
export function resultOf<const K extends string, T extends z.ZodType>(key: K, result: T) {
  return { response: z.looseObject({ [key]: result } as Record<K, T>), result: key };
}

/**
 * Fills in the parameters of a path, and percent-encodes each value.
 *
 * @throws CrawlhouseError `invalid_request` for a value that would change the path, so that no deletion reaches a
 *   parent
 */
export function fillPath(path: string, parameters: Readonly<Record<string, string | undefined>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = lookUp(parameters, name) ?? '';
    if (value !== '' && value !== '.' && value !== '..') return encodeURIComponent(value);
    const what = value === '' ? 'is missing' : `is ${JSON.stringify(value)}`;
    throw new CrawlhouseError('invalid_request', `${name} of ${path} ${what}`);
  });
}

/**
 * Returns a string with the values of the specification, but open: an unlisted value is not an error (spec-notes.md
 * 12).
 */
export function openEnum(values: readonly string[]) {
  return z.string().meta({ description: `Known values: ${values.join(', ')}.`, examples: [...values] });
}

/** An absolute address that begins with `http://` or `https://`. */
export const HttpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' })
  .meta({ wire: { type: 'string', format: 'uri', pattern: '^[hH][tT][tT][pP][sS]?://' } });
