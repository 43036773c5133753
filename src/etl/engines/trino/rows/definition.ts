import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ident } from '../../../../core/duckdb/duckdb.ts';
import type { SelectFrom } from '../../portable-queries.ts';
import type { RelationNames } from '../client/relation-names.ts';

/** A built model: its output columns with their types in DuckDB, and its SELECT in Trino's SQL. */
export interface BuiltRelation {
  readonly relation: string;
  readonly columns: ReadonlyMap<string, string>;
  readonly select: string;
}

/** The partitions that a build replaces. */
export interface BuiltPartitions {
  /** The columns of a partition's key. */
  readonly by: readonly string[];
  /** Keys (JSON lists of strings) of the built partitions. */
  readonly built: readonly string[];
  readonly gone: readonly string[];
  /** Whether rows of other partitions may be stored too; they are invisible. */
  readonly isWhole?: boolean;
}

/** SQL in parts: texts, and relations between them, whose names depend on the reader. */
const SqlParts = z.array(z.union([z.string(), z.strictObject({ relation: z.string() })]));
type SqlParts = Readonly<z.infer<typeof SqlParts>>;

/** The content of a relation's views: columns of stored rows `d`, or a SELECT from other relations. */
const Definition = z.union([
  z.strictObject({ columns: z.array(z.string()) }),
  z.strictObject({ select: SqlParts }),
]);
export type Definition = Readonly<z.infer<typeof Definition>>;

/** Reads a definition of `ops.pointers`; undefined for one of an earlier form. */
export function readDefinition(text: string): Definition | undefined {
  try {
    return Definition.parse(JSON.parse(text));
  } catch {
    // Of an earlier form.
    return undefined;
  }
}

export function definitionText(definition: Definition): string {
  return JSON.stringify(definition);
}

export function sqlParts(selectFrom: SelectFrom): SqlParts {
  // No SQL contains it.
  const mark = randomUUID();
  return selectFrom((relation) => ident(`${mark} ${relation}`))
    .split(new RegExp(`"${mark} ((?:[^"]|"")*)"`))
    .map((part, index) => (index % 2 === 0 ? part : { relation: part.replaceAll('""', '"') }));
}

export function joinParts(parts: SqlParts, nameOf: (relation: string) => string): string {
  return parts.map((part) => (typeof part === 'string' ? part : nameOf(part.relation))).join('');
}

/** Returns the statement that creates the view of a relation, for the writer or for readers. */
export function viewSql(
  relation: string,
  definition: Definition,
  of: 'work' | 'visible',
  names: RelationNames,
): string {
  const nameOf = (one: string): string => (of === 'work' ? names.work(one) : names.reader(one));
  const create = `CREATE OR REPLACE VIEW ${nameOf(relation)} AS`;
  if ('select' in definition) return `${create} ${joinParts(definition.select, nameOf)}`;
  // The pointers come first, so that their snapshot is never newer than that of the rows.
  return `${create} SELECT ${definition.columns.join(', ')}
      FROM (${names.lastPointers(of, relation)}) AS p
      JOIN ${names.stored(relation)} AS d ON d._load_id = p.load_id AND d._unit = p.unit`;
}

/** Returns relations ordered so that each follows those that its view reads. */
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
