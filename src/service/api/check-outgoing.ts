import { CrawlhouseError } from '../../core/errors/errors.ts';
import { parseJson, stringifyJson } from '../../core/text/json.ts';
import type { Endpoint } from './endpoint.ts';
import type { Oql } from './oql/oql.ts';
import { OqlError, parseOql } from './oql/parse-oql.ts';

/** The contents of a request. */
export interface Outgoing {
  readonly parameters: Readonly<Record<string, string>>;
  /** As it is written into the address. */
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Members of a body that hold a tree of OQL, which the schemas leave to `parseOql`. */
const TREES = ['oql', 'post_aggs_oql'];

/**
 * Validates a request by the definition of its endpoint before it is sent.
 *
 * @throws CrawlhouseError `invalid_request` that names the parameter; nothing was sent
 */
export function checkOutgoing(endpoint: Endpoint, { parameters, query, body }: Outgoing): void {
  const refuse = (place: string, problem: string): never => {
    throw refused(endpoint, place, problem);
  };
  for (const [name, allowed] of Object.entries(endpoint.values ?? {})) {
    const value = parameters[name];
    if (value !== undefined && !allowed.includes(value)) refuse(name, `must be one of ${allowed.join(', ')}`);
  }
  const asked = endpoint.query?.safeParse(query);
  const wrong = asked?.error?.issues[0];
  if (wrong) refuse(wrong.path.join('.') || 'query', wrong.message);
  if (body === undefined || endpoint.body === undefined || endpoint.sends === 'multipart') return;
  // As the service reads it: without values that JSON omits, and with NaN as null.
  const wire = parseJson(stringifyJson(body));
  const issue = endpoint.body.safeParse(wire).error?.issues[0];
  if (issue) refuse(issue.path.join('.') || 'body', issue.message);
  checkTrees(endpoint, wire, '');
}

/** Checks a tree of OQL alone, such as the filters of a list. */
export function checkedOql(endpoint: Endpoint, value: unknown, root: string): Oql {
  try {
    return parseOql(value, { root });
  } catch (error) {
    throw error instanceof OqlError ? refused(endpoint, error.path, error.detail) : error;
  }
}

function checkTrees(endpoint: Endpoint, value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const place = path ? `${path}.${key}` : key;
    if (!TREES.includes(key)) checkTrees(endpoint, member, place);
    else if (member !== null) checkedOql(endpoint, member, place);
  }
}

function refused({ method, path }: Endpoint, place: string, problem: string): CrawlhouseError {
  return new CrawlhouseError('invalid_request', `${method} ${path}: ${place}: ${problem}`, {
    hint: 'nothing was sent: the contract does not allow this request',
  });
}
