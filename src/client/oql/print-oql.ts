import { stringifyJson } from '../../core/text/json.ts';
import type { Oql, OqlLeaf, OqlValue } from './oql.ts';

/**
 * Prints a tree as text for people, such as `status_code >= 400 and (url contains "/a" (ignoring case) or title has no
 * value)`. Trees with different meanings have different texts. Strings are quoted, nested compounds are in brackets,
 * and `[200, 300)` excludes its upper bound. The text cannot be parsed back; JSON is the stored form.
 */
export function printOql(oql: Oql): string {
  if ('field' in oql) return printLeaf(oql.field);
  const [word, children] = 'and' in oql ? (['and', oql.and] as const) : (['or', oql.or] as const);
  const [only] = children;
  if (only === undefined) return word === 'and' ? 'everything' : 'nothing';
  if (children.length === 1) return printOql(only);
  return children
    .map((child) => (isPlain(child) ? printOql(child) : `(${printOql(child)})`))
    .join(` ${word} `);
}

/** Returns whether it needs no brackets next to others: a leaf, or a compound of a single such node. */
function isPlain(oql: Oql): boolean {
  if ('field' in oql) return true;
  const children = 'and' in oql ? oql.and : oql.or;
  const [only] = children;
  return only === undefined || (children.length === 1 && isPlain(only));
}

const SIGNS = { equals: '=', not_equals: '!=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
const WORDS = { contains: 'contains', startswith: 'starts with', endswith: 'ends with' } as const;
/** Words for regular expressions, by the required position of the match. */
const MATCHES = {
  equals: 'matches',
  contains: 'contains a match of',
  startswith: 'starts with a match of',
  endswith: 'ends with a match of',
} as const;

function printLeaf([name, filter, value, options = {}]: OqlLeaf): string {
  const field = printName(name);
  switch (filter) {
    case 'has_value':
      return `${field} has a value`;
    case 'has_no_value':
      return `${field} has no value`;
    case 'between':
      return `${field} in [${(value as readonly OqlValue[]).map(printValue).join(', ')})`;
    case 'equals':
    case 'contains':
    case 'startswith':
    case 'endswith': {
      const verb = options.regex ? MATCHES[filter] : filter === 'equals' ? SIGNS[filter] : WORDS[filter];
      return `${field} ${verb} ${printValue(value)}${options.ci ? ' (ignoring case)' : ''}`;
    }
    default:
      return `${field} ${SIGNS[filter]} ${printValue(value)}`;
  }
}

/** Quotes a name unless it is one plain word that the text does not use itself. */
function printName(name: string): string {
  const plain =
    /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(name) && !['and', 'or', 'everything', 'nothing'].includes(name);
  return plain ? name : JSON.stringify(name);
}

function printValue(value: OqlValue): string {
  return stringifyJson(value);
}
