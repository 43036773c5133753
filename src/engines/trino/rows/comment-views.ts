import { hash } from 'node:crypto';
import { ident } from '../../../core/duckdb/duckdb.ts';
import { readCatalog } from '../../../state/catalogue/catalog.ts';
import { DEFINITION, readPointers, setPointers } from '../../../state/catalogue/ops/ops-pointers.ts';
import type { SelectFrom } from '../../portable-queries.ts';
import { literal } from '../client/literal.ts';
import type { RelationNames } from '../client/relation-names.ts';
import type { TrinoPlace } from '../trino-place.ts';
import { type Definition, joinParts, sqlParts } from './definition.ts';
import type { PointerTable } from './pointer-table.ts';

/** Loads that stand in a statement, whose text has at most a million characters. */
const MOST_LOADS = 200;

interface Known {
  readonly names: RelationNames;
  readonly definitions: ReadonlyMap<string, Definition>;
  /** Loads of a relation's units, as the writer sees them. */
  readonly seen: (relation: string) => ReadonlyMap<string, string>;
}

/** The relation whose pointers, of the catalogue alone, say which views have their comments. */
const COMMENTS = 'comments';
/** Views that are commented side by side. */
const AT_ONCE = 4;

/**
 * Gives readers' views the comments of the catalogue. Each takes a statement of its own, so only those are written that
 * have changed, or whose view was made anew.
 *
 * @param definitionOf a hash of the view that readers have of a relation; undefined: there is none
 */
export async function commentViews(
  { connection }: Pick<TrinoPlace, 'connection'>,
  { names, pointers }: { readonly names: RelationNames; readonly pointers: PointerTable },
  definitionOf: (relation: string) => string | undefined,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const catalog = await readCatalog({ rows: (sql) => connection.rows(sql) }, signal);
  const made = new Map((await readPointers(connection, COMMENTS)).map((one) => [one.unit, one.load]));
  const due = catalog.flatMap(({ name, comment, columns }) => {
    const definition = definitionOf(name);
    if (definition === undefined) return [];
    const words = columns.flatMap((column) =>
      column.comment === null
        ? []
        : [`COLUMN ${names.reader(name)}.${ident(column.name)} IS ${literal(column.comment)}`],
    );
    const all = comment === null ? words : [`VIEW ${names.reader(name)} IS ${literal(comment)}`, ...words];
    const load = hash('sha256', [definition, ...all].join('\n'));
    return made.get(name) === load ? [] : [{ name, load, all }];
  });
  const writers = Array.from({ length: AT_ONCE }, async () => {
    for (let next = due.pop(); next; next = due.pop()) {
      const { name, load, all } = next;
      for (const words of all) await pointers.run(`COMMENT ON ${words}`, signal);
      await setPointers(connection, [{ relation: COMMENTS, unit: name, load }]);
    }
  });
  await Promise.all(writers);
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
