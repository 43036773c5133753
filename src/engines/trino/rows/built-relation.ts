import type { Definition } from './definition.ts';

/** How a model is built: its output columns with their types in DuckDB, and its SELECT in Trino's SQL. */
export interface BuiltRelation {
  readonly relation: string;
  readonly columns: ReadonlyMap<string, string>;
  readonly select: string;
}

/** The partitions that a build replaces. */
export interface BuiltPartitions {
  /** The columns whose values are a partition's key. */
  readonly by: readonly string[];
  /** Keys (JSON lists of texts) that are built. */
  readonly built: readonly string[];
  readonly gone: readonly string[];
  /** Whether rows of other partitions may be stored too: nobody sees them. */
  readonly isWhole?: boolean;
}

/** Relations, each behind those that its view reads. */
export function inOrder(
  relations: readonly string[],
  definitions: ReadonlyMap<string, Definition>,
): string[] {
  const ordered = new Set<string>();
  const begun = new Set<string>();
  const add = (relation: string): void => {
    if (begun.has(relation)) return;
    begun.add(relation);
    const definition = definitions.get(relation);
    const parts = definition !== undefined && 'select' in definition ? definition.select : [];
    for (const part of parts)
      if (typeof part !== 'string' && relations.includes(part.relation)) add(part.relation);
    ordered.add(relation);
  };
  relations.forEach(add);
  return [...ordered];
}
