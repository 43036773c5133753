import { z } from 'zod';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { lookUp } from '../../core/text/look-up.ts';
import { NoQuery } from './client/pagination.ts';
import type { ServiceErrorType } from './client/service-error.ts';
import type { TokenScope } from './scopes.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** How an answer comes: JSON that fits `response`, nothing (204), or a file that streams. */
type AnswerKind = 'json' | 'none' | 'file';

/** One operation of the service (api-spec.md §4): the client, the sandbox and the OpenAPI document are made from it. */
export interface Endpoint {
  readonly method: Method;
  /** Below `/api/v2`, with its parameters in braces. */
  readonly path: string;
  /** Values of path parameters where the specification lists them; any other is not found. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** The scope asked of the token (docs/sandbox.md). */
  readonly scope: TokenScope;
  readonly summary: string;
  /** Its section of api-spec.md, such as `§4.3`. */
  readonly source: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** How the body is sent; JSON where nothing is said. */
  readonly sends?: 'json' | 'multipart';
  readonly answers: AnswerKind;
  readonly response?: z.ZodType;
  /** The key of the answer that holds the result; absent: the whole answer is the result. */
  readonly result?: string;
  /** Errors it may answer with, besides `unauthorized`, `forbidden` and `internal_error`, which all may. */
  readonly errors: readonly ServiceErrorType[];
  /** May it be sent again after a failure? (spec-notes.md 16) */
  readonly repeatable: boolean;
}

/** The names in braces of a path. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

/** The errors that every endpoint may answer with, besides its own (api-spec.md §7). */
export const COMMON_ERRORS: readonly ServiceErrorType[] = ['unauthorized', 'forbidden', 'internal_error'];

/** Those of a request with a body that what it concerns may not be in a state for. */
export const STATE_ERRORS = [
  'invalid_request',
  'invalid_request_parameters',
  'resource_not_found',
  'invalid_state_for_request',
] as const;

/** The definition of an endpoint; the rest comes from its section and method. */
type Own = Partial<Omit<Endpoint, 'method' | 'path' | 'summary' | 'source'>>;

/** The endpoints of a section of api-spec.md §4, with the scopes of an area. Given values override these defaults. */
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

/** An answer that wraps its result under a key. */
export function resultOf<const K extends string, T extends z.ZodType>(key: K, result: T) {
  return { response: z.looseObject({ [key]: result } as Record<K, T>), result: key };
}

/**
 * The path with its parameters filled in, each percent-encoded.
 *
 * @throws CrawlhouseError `invalid_request` for a value that would lead to another path: a deletion must not climb
 */
export function fillPath(path: string, parameters: Readonly<Record<string, string | undefined>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = lookUp(parameters, name) ?? '';
    if (value !== '' && value !== '.' && value !== '..') return encodeURIComponent(value);
    const what = value === '' ? 'is missing' : `is ${JSON.stringify(value)}`;
    throw new CrawlhouseError('invalid_request', `${name} of ${path} ${what}`);
  });
}

/** A string whose values the specification lists, read as open: a value it does not list is no error (spec-notes.md 12). */
export function openEnum(values: readonly string[]) {
  return z.string().meta({ description: `Known values: ${values.join(', ')}.`, examples: [...values] });
}

/** An absolute address that begins with `http://` or `https://`. */
export const HttpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' })
  .meta({ wire: { type: 'string', format: 'uri', pattern: '^[hH][tT][tT][pP][sS]?://' } });
