import { DEFINITION } from '../../../state/catalogue/ops/ops-pointers.ts';
import type { SelectFrom } from '../../portable-queries.ts';
import { literal } from '../client/literal.ts';
import type { RelationNames } from '../client/relation-names.ts';
import { type Definition, joinParts, sqlParts } from './definition.ts';

/** Loads that stand in a statement, whose text has at most a million characters. */
const MOST_LOADS = 200;

/** What the writer knows of the relations. */
interface Known {
  readonly names: RelationNames;
  readonly definitions: ReadonlyMap<string, Definition>;
  /** Loads of a relation's units, as the writer sees them. */
  readonly seen: (relation: string) => ReadonlyMap<string, string>;
}

/**
 * Puts the rows of relations, by their loads, in the place of the writer's views. These look the loads up in the pointers,
 * in eight stages for each place where they stand, and Trino computes a WITH in each of its places. Where the loads are
 * many, or the definition is not known, the view stays.
 */
export function resolveViews(selectFrom: SelectFrom, known: Known): string {
  return joinParts(sqlParts(selectFrom), (relation) => sourceSql(relation, known));
}

function sourceSql(relation: string, known: Known): string {
  const { names, definitions, seen } = known;
  const definition = definitions.get(relation);
  if (definition === undefined) return names.work(relation);
  if ('select' in definition) return `(${joinParts(definition.select, (one) => sourceSql(one, known))})`;
  const loads = [...seen(relation)].filter(([unit]) => unit !== DEFINITION);
  if (loads.length > MOST_LOADS) return names.work(relation);
  const listed = [...new Set(loads.map(([, load]) => literal(load)))].join(', ');
  const pairs = loads.map(([unit, load]) => `(${literal(load)}, ${literal(unit)})`).join(', ');
  const among =
    loads.length === 0 ? 'false' : `d._load_id IN (${listed}) AND (d._load_id, d._unit) IN (${pairs})`;
  return `(SELECT ${definition.columns.join(', ')} FROM ${names.stored(relation)} AS d WHERE ${among})`;
}
