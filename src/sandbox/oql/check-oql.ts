import type { FieldRecord } from '../../api/fields.ts';
import {
  FILTER_TYPES,
  type FilterType,
  type Oql,
  type OqlLeaf,
  OqlOptions,
  type OqlValue,
} from '../../api/oql.ts';
import { invalidParameter, type Refusal } from '../refusal.ts';
import { checkValue } from './check-value.ts';

/** How deep and how large a tree may be; the specification sets no bound, the sandbox's stack does. */
const MAX_DEPTH = 50;
const MAX_NODES = 2000;

const WITH_OPTIONS: readonly FilterType[] = ['equals', 'contains', 'startswith', 'endswith'];

export type Fields = ReadonlyMap<string, FieldRecord>;

/**
 * Checks a tree against the specification and against the fields it names.
 *
 * @throws Refusal that names the field and the path in the tree
 */
export function checkOql(root: unknown, fields: Fields, name = 'oql'): Oql {
  let nodes = 0;
  const check = (node: unknown, path: string, depth: number): Oql => {
    nodes += 1;
    if (depth > MAX_DEPTH) throw refuse(path, 'too_deep', `more than ${MAX_DEPTH} levels`);
    if (nodes > MAX_NODES) throw refuse(path, 'too_large', `more than ${MAX_NODES} nodes`);
    if (!isObject(node))
      throw refuse(path, 'type', 'a node is an object with one of the keys field, and, or');
    const keys = Object.keys(node);
    const key = keys[0];
    if (keys.length !== 1 || (key !== 'field' && key !== 'and' && key !== 'or')) {
      throw refuse(
        path,
        'node',
        `a node has exactly one of the keys field, and, or, not ${keys.join(', ') || 'none'}`,
      );
    }
    const inner = node[key];
    if (key === 'field') return { field: checkLeaf(inner, `${path}.field`, fields) };
    if (!Array.isArray(inner)) throw refuse(`${path}.${key}`, 'type', 'is an array of nodes');
    const children = inner.map((child, index) => check(child, `${path}.${key}[${index}]`, depth + 1));
    return key === 'and' ? { and: children } : { or: children };
  };
  return check(root, name, 1);
}

function checkLeaf(leaf: unknown, path: string, fields: Fields): OqlLeaf {
  if (!Array.isArray(leaf) || leaf.length < 3 || leaf.length > 4) {
    throw refuse(
      path,
      'type',
      'is an array [field_name, filter_type, filter_value] with options as a fourth',
    );
  }
  const [name, filter, value, options] = leaf as unknown[];
  const field = typeof name === 'string' ? fields.get(name) : undefined;
  if (typeof name !== 'string' || field === undefined) {
    throw refuse(`${path}[0]`, 'unknown_field', `there is no field ${JSON.stringify(name)}`);
  }
  if (field.can_filter === false)
    throw refuse(`${path}[0]`, 'not_filterable', `${name} can't be filtered by`);
  if (!isFilterType(filter)) {
    throw refuse(
      `${path}[1]`,
      'unknown_filter',
      `${JSON.stringify(filter)} on ${name} is none of ${FILTER_TYPES.join(', ')}`,
    );
  }
  if (field.actions && !field.actions.includes(filter)) {
    throw refuse(
      `${path}[1]`,
      'filter_not_allowed',
      `${name} allows ${field.actions.join(', ')}, not ${filter}`,
    );
  }
  const checked = options === undefined ? undefined : checkOptions(options, filter, name, `${path}[3]`);
  const problem = checkValue(field, filter, value, checked?.regex === true);
  if (problem !== undefined) throw refuse(`${path}[2]`, 'value', `${filter} on ${name} ${problem}`);
  const given = value as OqlValue;
  return checked === undefined ? [name, filter, given] : [name, filter, given, checked];
}

function checkOptions(options: unknown, filter: FilterType, name: string, path: string): OqlOptions {
  if (!WITH_OPTIONS.includes(filter)) {
    throw refuse(path, 'options', `${filter} on ${name} takes no options; ${WITH_OPTIONS.join(', ')} do`);
  }
  const parsed = OqlOptions.safeParse(options);
  if (!parsed.success) throw refuse(path, 'options', `${name}: an object with the booleans ci and regex`);
  return parsed.data;
}

function refuse(path: string, type: string, message: string): Refusal {
  return invalidParameter(path, type, message);
}

function isFilterType(value: unknown): value is FilterType {
  return (FILTER_TYPES as readonly unknown[]).includes(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
