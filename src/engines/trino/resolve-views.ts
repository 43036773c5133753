import { DEFINITION } from '../../state/catalogue/ops-pointers.ts';
import { literal } from './literal.ts';
import type { RelationNames } from './relation-names.ts';

/** Loads that stand in a statement, whose text has at most a million characters. */
const MOST_LOADS = 200;

/** What the writer knows of the relations. */
interface Known {
  readonly names: RelationNames;
  /** The readers' views. */
  readonly definitions: ReadonlyMap<string, string>;
  /** Loads of a relation's units, as the writer sees them. */
  readonly seen: (relation: string) => ReadonlyMap<string, string>;
}

/**
 * Puts the rows of relations, by their loads, in the place of the writer's views. These look the loads up in the pointers,
 * in eight stages for each place where they stand, and Trino computes a WITH in each of its places. Where the loads are
 * many, the view stays.
 */
export function resolveViews(select: string, known: Known): string {
  return replaceNames(select, known, (relation) => known.names.work(relation));
}

function replaceNames(select: string, known: Known, nameOf: (relation: string) => string): string {
  let result = select;
  for (const relation of known.definitions.keys()) {
    const name = nameOf(relation);
    if (result.includes(name)) result = result.replaceAll(name, () => sourceSql(relation, known));
  }
  return result;
}

function sourceSql(relation: string, known: Known): string {
  const { names, definitions, seen } = known;
  const [, select = ''] =
    /^CREATE OR REPLACE VIEW \S+ AS ([\s\S]*)$/.exec(definitions.get(relation) ?? '') ?? [];
  const [columns, ...rest] = select.split(`\n      FROM (${names.lastPointers('visible', relation)}) AS p`);
  // A view of a model reads those of readers.
  if (rest.length === 0) return `(${replaceNames(select, known, (one) => names.reader(one))})`;
  const loads = [...seen(relation)].filter(([unit]) => unit !== DEFINITION);
  if (loads.length > MOST_LOADS) return names.work(relation);
  const listed = [...new Set(loads.map(([, load]) => literal(load)))].join(', ');
  const pairs = loads.map(([unit, load]) => `(${literal(load)}, ${literal(unit)})`).join(', ');
  const among =
    loads.length === 0 ? 'false' : `d._load_id IN (${listed}) AND (d._load_id, d._unit) IN (${pairs})`;
  return `(${columns} FROM ${names.stored(relation)} AS d WHERE ${among})`;
}
