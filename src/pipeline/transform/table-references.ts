import type { SqlNode } from '../../core/serialize-sql.ts';

/** A table that a SELECT names, as the author wrote it. */
export interface TableReference {
  /** Empty when the reference names no catalog or schema. */
  readonly catalog: string;
  readonly schema: string;
  readonly name: string;
  /** Empty when the reference has none. */
  readonly alias: string;
  /** Where its name begins in the SQL, in bytes of UTF-8. */
  readonly offset: number;
}

type Scope = ReadonlySet<string>;

/**
 * The tables that a SELECT reads: the BASE_TABLE nodes of its tree, less the names of the common table expressions
 * in whose scope they stand. In the order of the text, each place once.
 */
export function tableReferences(tree: SqlNode): TableReference[] {
  const found = new Map<number, TableReference>();
  walk(tree, new Set(), (reference) => found.set(reference.offset, reference));
  return [...found.values()].sort((a, b) => a.offset - b.offset);
}

function walk(value: unknown, scope: Scope, found: (reference: TableReference) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, scope, found);
  } else if (isNode(value)) {
    if (value.type === 'BASE_TABLE') {
      const reference = toReference(value);
      if (!namesExpression(reference, scope)) found(reference);
    } else {
      const { cte_map, right, ...rest } = value;
      const inner = withExpressions(cte_map, scope, found);
      walk(Object.values(rest), inner, found);
      // Only the right side of a recursive expression, which is repeated, sees the expression itself.
      const recursive = value.type === 'RECURSIVE_CTE_NODE';
      walk(right, recursive ? including(inner, String(value.cte_name)) : inner, found);
    }
  }
}

/** Walks the expressions of a WITH, each of which sees those before it; gives the scope of what follows. */
function withExpressions(map: unknown, scope: Scope, found: (reference: TableReference) => void): Scope {
  let seen = scope;
  const entries = isNode(map) && Array.isArray(map.map) ? (map.map as SqlNode[]) : [];
  for (const entry of entries) {
    walk(entry.value, seen, found);
    seen = including(seen, String(entry.key));
  }
  return seen;
}

function including(scope: Scope, name: string): Scope {
  return new Set([...scope, name.toLowerCase()]);
}

/** Names of identifiers don't heed case; `recurring.x` is x as a recursive expression with a key has it so far. */
function namesExpression({ catalog, schema, name }: TableReference, scope: Scope): boolean {
  if (catalog !== '' || (schema !== '' && schema.toLowerCase() !== 'recurring')) return false;
  return scope.has(name.toLowerCase());
}

function toReference(node: SqlNode): TableReference {
  return {
    catalog: String(node.catalog_name ?? ''),
    schema: String(node.schema_name ?? ''),
    name: String(node.table_name),
    alias: String(node.alias ?? ''),
    offset: Number(node.query_location),
  };
}

function isNode(value: unknown): value is SqlNode {
  return typeof value === 'object' && value !== null;
}
