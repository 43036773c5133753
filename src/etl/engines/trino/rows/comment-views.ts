import { hash } from 'node:crypto';
import { ident } from '../../../../core/duckdb/duckdb.ts';
import { readCatalog } from '../../../state/catalog/catalog.ts';
import { DEFINITION, readPointers, setPointers } from '../../../state/catalog/ops/ops-pointers.ts';
import type { SelectFrom } from '../../portable-queries.ts';
import { literal } from '../client/literal.ts';
import type { RelationNames } from '../client/relation-names.ts';
import type { TrinoPlace } from '../trino-place.ts';
import { type Definition, joinParts, sqlParts } from './definition.ts';
import type { PointerTable } from './pointer-table.ts';

/** Maximum loads in a statement, whose text has at most a million characters. */
const MOST_LOADS = 200;

interface Known {
  readonly names: RelationNames;
  readonly definitions: ReadonlyMap<string, Definition>;
  /** Loads of a relation's units, as the writer sees them. */
  readonly seen: (relation: string) => ReadonlyMap<string, string>;
}

/** The relation whose pointers, only in the catalog, record which views have comments. */
const COMMENTS = 'comments';
/** Views commented concurrently. */
const AT_ONCE = 4;

/**
 * Copies the comments of the catalog to readers' views. Each comment needs its own statement, so only changed comments
 * and comments of replaced views are written.
 *
 * @param definitionOf a hash of the readers' view of a relation; undefined if there is none
 */
export async function commentViews(
  { connection }: Pick<TrinoPlace, 'connection'>,
  { names, pointers }: { readonly names: RelationNames; readonly pointers: PointerTable },
  definitionOf: (relation: string) => string | undefined,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const catalog = await readCatalog({ rows: (sql) => connection.rows(sql) }, signal);
  const made = new Map(
    (await readPointers(connection, COMMENTS)).map((pointer) => [pointer.unit, pointer.load]),
  );
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
 * Replaces the writer's views with the rows of relations, selected by their loads. The views look up the loads in the
 * pointers, which takes eight stages for each use, and Trino computes a WITH at each use. If there are many loads, or
 * the definition is unknown, the view stays.
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
