import type { SqlNode } from '../../../../core/duckdb/serialize-sql.ts';

/** A table that a SELECT names, in the author's spelling. */
export interface TableReference {
  /** Empty when the reference names no catalog or schema. */
  readonly catalog: string;
  readonly schema: string;
  readonly name: string;
  /** Empty when the reference has none. */
  readonly alias: string;
  /** Start of its name in the SQL, in bytes of UTF-8. */
  readonly offset: number;
}

type Scope = ReadonlySet<string>;

/**
 * Returns the tables that a SELECT reads: the BASE_TABLE nodes of its tree, without the names of common table
 * expressions in scope. They are in the order of the text, each position once.
 *
 * @param isRead whether the tables in a node count
 */
export function tableReferences(
  tree: SqlNode,
  isRead: (node: SqlNode) => boolean = () => true,
): TableReference[] {
  const found = new Map<number, TableReference>();
  // Iterative, so that no tree is too deep for the stack.
  const waiting: Inside[] = [{ value: tree, scope: new Set() }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, scope } = next;
    if (!isNode(value) || !isRead(value)) continue;
    if (value.type === 'BASE_TABLE') {
      const reference = {
        catalog: String(value.catalog_name ?? ''),
        schema: String(value.schema_name ?? ''),
        name: String(value.table_name),
        alias: String(value.alias ?? ''),
        offset: Number(value.query_location),
      };
      if (!namesExpression(reference, scope)) found.set(reference.offset, reference);
    } else {
      const below = inside(value, scope);
      for (let at = below.length - 1; at >= 0; at--) waiting.push(below[at] as Inside);
    }
  }
  return [...found.values()].sort((a, b) => a.offset - b.offset);
}

interface Inside {
  readonly value: unknown;
  readonly scope: Scope;
}

/** Walks a node or a list. Each expression of a WITH sees those before it; the rest sees all. */
function inside({ cte_map: map, right, ...rest }: SqlNode, scope: Scope): Inside[] {
  let seen = scope;
  const entries = isNode(map) && Array.isArray(map.map) ? (map.map as SqlNode[]) : [];
  const expressions = entries.map((entry) => {
    const one = { value: entry.value, scope: seen };
    seen = including(seen, String(entry.key));
    return one;
  });
  // Only the right side of a recursive expression, which is repeated, sees the expression itself.
  const isRecursive = rest.type === 'RECURSIVE_CTE_NODE';
  return [
    ...expressions,
    ...Object.values(rest).map((value) => ({ value, scope: seen })),
    { value: right, scope: isRecursive ? including(seen, String(rest.cte_name)) : seen },
  ];
}

function including(scope: Scope, name: string): Scope {
  return new Set([...scope, name.toLowerCase()]);
}

/** Identifiers ignore case; `recurring.x` is the current state of x, a recursive expression with a key. */
function namesExpression({ catalog, schema, name }: TableReference, scope: Scope): boolean {
  if (catalog !== '' || (schema !== '' && schema.toLowerCase() !== 'recurring')) return false;
  return scope.has(name.toLowerCase());
}

function isNode(value: unknown): value is SqlNode {
  return typeof value === 'object' && value !== null;
}
