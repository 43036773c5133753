import {
  FILTER_TYPES,
  FILTERS_WITH_OPTIONS,
  type FilterType,
  type Oql,
  type OqlLeaf,
  OqlOptions,
  type OqlValue,
} from './oql.ts';

/** Maximum depth and size of a tree; the specification sets no limit. */
const MAX_OQL_DEPTH = 50;
const MAX_OQL_NODES = 2000;
/** Maximum characters of a message: names in a tree may have any length. */
const MOST_SAID = 1000;

/** An error in a tree. `path` leads from the root to the position, such as `oql.and[0].field[1]`. */
export class OqlError extends Error {
  override readonly name = 'OqlError';
  readonly path: string;
  /** The kind of problem in one word, such as `unknown_filter`. */
  readonly problem: string;
  /** The field of the leaf; undefined if the problem is not in a leaf. */
  readonly field: string | undefined;
  /** The message without its path. */
  readonly detail: string;

  constructor(path: string, problem: string, detail: string, field?: string) {
    const said = shortened(detail);
    super(`${path}: ${said}`);
    this.path = path;
    this.problem = problem;
    this.detail = said;
    this.field = field;
  }
}

export interface ParseOqlOptions {
  /** The prefix of paths, such as the name of the parameter with the tree; default: `oql`. */
  readonly root?: string;
  /** Receives each leaf with a valid shape, and its path; throws if it is wrong. */
  readonly onLeaf?: (leaf: OqlLeaf, path: string) => void;
}

/**
 * Parses an OQL tree from JSON. Checks only its shape, not the fields, which only the service knows (api-spec.md §2.1).
 *
 * @throws OqlError that names the path in the tree, the field and valid values
 */
export function parseOql(value: unknown, { root = 'oql', onLeaf }: ParseOqlOptions = {}): Oql {
  let nodes = 0;
  const parse = (node: unknown, path: string, depth: number): Oql => {
    nodes += 1;
    if (depth > MAX_OQL_DEPTH) throw new OqlError(path, 'too_deep', `more than ${MAX_OQL_DEPTH} levels`);
    if (nodes > MAX_OQL_NODES) throw new OqlError(path, 'too_large', `more than ${MAX_OQL_NODES} nodes`);
    if (!isObject(node))
      throw new OqlError(path, 'type', 'a node is an object with one of the keys field, and, or');
    const keys = Object.keys(node);
    const key = keys[0];
    if (keys.length !== 1 || (key !== 'field' && key !== 'and' && key !== 'or')) {
      const found = keys.join(', ') || 'none';
      throw new OqlError(path, 'node', `a node has exactly one of the keys field, and, or, not ${found}`);
    }
    const inner = node[key];
    if (key === 'field') {
      const leaf = parseLeaf(inner, `${path}.field`);
      onLeaf?.(leaf, `${path}.field`);
      return { field: leaf };
    }
    if (!Array.isArray(inner)) throw new OqlError(`${path}.${key}`, 'type', 'is an array of nodes');
    const children = inner.map((child, index) => parse(child, `${path}.${key}[${index}]`, depth + 1));
    return key === 'and' ? { and: children } : { or: children };
  };
  return parse(value, root, 1);
}

function parseLeaf(leaf: unknown, path: string): OqlLeaf {
  if (!Array.isArray(leaf) || leaf.length < 3 || leaf.length > 4) {
    const right = 'is an array [field_name, filter_type, filter_value], with options as a fourth';
    const name = Array.isArray(leaf) && typeof leaf[0] === 'string' ? leaf[0] : undefined;
    throw new OqlError(path, 'type', right, name);
  }
  const [name, filter, value, options] = leaf as unknown[];
  if (typeof name !== 'string')
    throw new OqlError(`${path}[0]`, 'type', `the name of a field is a string, not ${show(name)}`);
  if (!isFilterType(filter)) {
    const detail = `${show(filter)} on ${name} is none of ${FILTER_TYPES.join(', ')}`;
    throw new OqlError(`${path}[1]`, 'unknown_filter', detail, name);
  }
  const wanted = wrongValue(filter, value);
  if (wanted !== undefined)
    throw new OqlError(`${path}[2]`, 'value', `${filter} on ${name} takes ${wanted}`, name);
  if (leaf.length === 3) return [name, filter, value as OqlValue];
  if (!(FILTERS_WITH_OPTIONS as readonly string[]).includes(filter)) {
    const detail = `${filter} on ${name} takes no options; ${FILTERS_WITH_OPTIONS.join(', ')} do`;
    throw new OqlError(`${path}[3]`, 'options', detail, name);
  }
  const parsed = OqlOptions.safeParse(options);
  if (!parsed.success) {
    const detail = `the options of ${filter} on ${name} are an object with the booleans ci and regex`;
    throw new OqlError(`${path}[3]`, 'options', detail, name);
  }
  return [name, filter, value as OqlValue, parsed.data];
}

/** Returns the message about the values that a filter type accepts; undefined if the value is valid. */
function wrongValue(filter: FilterType, value: unknown): string | undefined {
  switch (filter) {
    case 'has_no_value':
      return value === '' ? undefined : 'an empty string';
    case 'has_value':
      return isBound(value) || typeof value === 'boolean' ? undefined : 'an empty string';
    case 'equals':
    case 'not_equals':
      return isBound(value) || typeof value === 'boolean' ? undefined : 'a string, a number or a boolean';
    case 'contains':
    case 'startswith':
    case 'endswith':
      return typeof value === 'string' ? undefined : 'a string';
    case 'between':
      if (Array.isArray(value) && value.length === 2 && value.every(isBound)) return undefined;
      return 'an array of two values, the lower bound and the upper bound, which is excluded';
    default:
      return isBound(value) ? undefined : 'a number or a date';
  }
}

function isBound(value: unknown): value is string | number | bigint {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'string' || typeof value === 'bigint';
}

function isFilterType(value: unknown): value is FilterType {
  return (FILTER_TYPES as readonly unknown[]).includes(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a value in a message: unchanged if it is short, else its type. */
function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** Returns the beginning and the end of a long message. */
function shortened(text: string): string {
  if (text.length <= MOST_SAID) return text;
  const half = MOST_SAID / 2;
  return `${text.slice(0, half).toWellFormed()}…${text.slice(-half).toWellFormed()}`;
}
