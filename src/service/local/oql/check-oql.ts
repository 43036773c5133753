import type { Oql, OqlLeaf } from '../../api/oql/oql.ts';
import { OqlError, parseOql } from '../../api/oql/parse-oql.ts';
import type { FieldRecord } from '../../api/resources/fields.ts';
import { invalidParameter } from '../resources/refusal.ts';
import { checkValue } from './check-value.ts';

export type Fields = ReadonlyMap<string, FieldRecord>;

/** Regular expressions of one tree together: each is linear in the text, but every row meets all of them. */
const MAX_PATTERNS = 20;
/** The most fields that the message about an unknown field names. */
const FEW = 12;

/**
 * Checks a tree against the specification and against the fields it names: `can_filter`, `actions`, type.
 *
 * @throws Refusal that names the field and the path in the tree, which begins with `root`
 */
export function checkOql(tree: unknown, fields: Fields, root = 'oql'): Oql {
  let patterns = 0;
  try {
    return parseOql(tree, {
      root,
      onLeaf: (leaf, path) => {
        checkLeaf(leaf, path, fields);
        if (leaf[3]?.regex) patterns += 1;
        if (patterns > MAX_PATTERNS) {
          throw new OqlError(path, 'too_large', `more than ${MAX_PATTERNS} regular expressions`, leaf[0]);
        }
      },
    });
  } catch (error) {
    if (error instanceof OqlError) throw invalidParameter(error.path, error.problem, error.detail);
    throw error;
  }
}

function checkLeaf([name, filter, value, options]: OqlLeaf, path: string, fields: Fields): void {
  const field = fields.get(name);
  if (field === undefined) {
    const known = fields.size <= FEW ? `: those here are ${[...fields.keys()].join(', ') || 'none'}` : '';
    const detail = `there is no field ${JSON.stringify(name)}${known}`;
    throw new OqlError(`${path}[0]`, 'unknown_field', detail, name);
  }
  if (field.can_filter === false) {
    throw new OqlError(`${path}[0]`, 'not_filterable', `${name} can't be filtered by`, name);
  }
  if (field.actions && !field.actions.includes(filter)) {
    const detail = `${name} allows ${field.actions.join(', ') || 'no filter'}, not ${filter}`;
    throw new OqlError(`${path}[1]`, 'filter_not_allowed', detail, name);
  }
  const problem = checkValue(field, filter, value, options?.regex === true);
  if (problem !== undefined)
    throw new OqlError(`${path}[2]`, 'value', `${filter} on ${name} ${problem}`, name);
}
