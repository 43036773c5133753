import type { Oql, OqlLeaf } from '../../api/oql/oql.ts';
import type { Column } from '../fields/column.ts';
import { compileLeaf } from './compile-leaf.ts';

/** SQL with `$1`, `$2`, … and the values bound to them. */
export interface Compiled {
  readonly sql: string;
  readonly values: readonly string[];
  /** Regular expressions in it, with the path of their leaf. */
  readonly patterns: readonly { readonly path: string; readonly pattern: string }[];
}

/**
 * Compiles a checked tree to a condition; its values are always bound, never written into the SQL. `root` is what the
 * paths of its leaves begin with; `before` are those bound in the same statement before it.
 */
export function compileOql(
  oql: Oql | undefined,
  columns: ReadonlyMap<string, Column>,
  root = 'oql',
  before: readonly string[] = [],
): Compiled {
  const values = [...before];
  const patterns: { path: string; pattern: string }[] = [];
  const bind = (value: string): string => `$${values.push(value)}`;

  const compile = (node: Oql, path: string): string => {
    if ('field' in node) return leaf(node.field, `${path}.field`);
    const [key, children] = 'and' in node ? (['and', node.and] as const) : (['or', node.or] as const);
    const parts = children.map((child, index) => compile(child, `${path}.${key}[${index}]`));
    if (parts.length === 0) return key === 'and' ? 'true' : 'false';
    return `(${parts.join(key === 'and' ? ' AND ' : ' OR ')})`;
  };
  const leaf = (node: OqlLeaf, path: string): string => {
    const column = columns.get(node[0]);
    if (column === undefined) throw new Error(`no column for ${node[0]}`);
    if (node[3]?.regex) patterns.push({ path: `${path}[2]`, pattern: String(node[2]) });
    return compileLeaf(node, column, bind);
  };

  return { sql: oql === undefined ? 'true' : compile(oql, root), values, patterns };
}
