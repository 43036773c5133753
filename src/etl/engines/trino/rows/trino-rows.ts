import { hash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Connection, ident, relationTable, text } from '../../../../core/duckdb/duckdb.ts';
import { describeColumns } from '../../../../core/duckdb/table-columns.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';
import { hasColumns } from '../../../state/catalog/catalog.ts';
import { rawTables } from '../../../state/catalog/comment-columns.ts';
import {
  DEFINITION,
  type Pointer,
  readPointers,
  setPointers,
  without,
} from '../../../state/catalog/ops/ops-pointers.ts';
import { DuckDbRows } from '../../duckdb/duckdb-rows.ts';
import { catalogRelations } from '../../portable-models.ts';
import type { SelectFrom } from '../../portable-queries.ts';
import type { CatalogFile, RowStore, UnitRows } from '../../row-store.ts';
import { CATALOG_POINTER, catalogKey, otherCatalogs } from '../bring-catalog.ts';
import { literal } from '../client/literal.ts';
import { RelationNames } from '../client/relation-names.ts';
import type { TrinoPlace } from '../trino-place.ts';
import { checkStore } from './check-store.ts';
import { commentViews, resolveViews } from './comment-views.ts';
import {
  type BuiltPartitions,
  type BuiltRelation,
  type Definition,
  definitionText,
  inOrder,
  readDefinition,
  sqlParts,
  viewSql,
} from './definition.ts';
import { makeStore } from './make-store.ts';
import { PointerTable } from './pointer-table.ts';
import { writeRowsFile } from './rows-file.ts';
import { changedCopies, type PreparedRelation, StoredTables } from './stored-tables.ts';
import { vacuumAtTimes } from './vacuum-rows.ts';
import { folderOf, writeLoad } from './write-load.ts';

const UnitCount = z.strictObject({ unit: z.string(), n: z.bigint() });

/** The relation whose pointer, only in the catalog, contains the token of the last writer with this catalog. */
const WRITER = 'writer';

/** The unit of a relation that has only one. */
const WHOLE = '';
/** Maximum units in one statement, whose text has at most a million characters. */
const UNITS_AT_ONCE = 3000;
/** Relations of the catalog copied concurrently. */
const COPIES_AT_ONCE = 4;

/**
 * The rows of the warehouse in Trino, as one writer sees them. A stored row has the id of its load, and is invisible
 * until a pointer names this load for its unit. `ops.pointers` of the catalog records which loads count, within its
 * transactions; `synchronize` makes Trino match it (docs/decisions/engines.md).
 */
export class TrinoRows implements RowStore {
  readonly isInCatalog = false;
  readonly names: RelationNames;
  readonly #place: TrinoPlace;
  readonly #tables: StoredTables;
  readonly #pointers: PointerTable;
  readonly #definitions = new Map<string, Definition>();
  /** Pointers to created views, for the next statement that writes pointers. */
  readonly #prepared = new Map<string, Pointer>();

  private constructor(place: TrinoPlace, names: RelationNames, pointers: PointerTable, mayClear: boolean) {
    this.#place = place;
    this.names = names;
    this.#pointers = pointers;
    this.#tables = new StoredTables(place, names, mayClear);
  }

  /**
   * Makes this process the writer. Discards unpublished work of former writers, and refuses their later writes.
   *
   * @throws CrawlhouseError `bad_settings` where the catalog or the location belongs to another warehouse,
   *   `damaged_warehouse` where unpublished rows of the catalog may be gone
   */
  static async begin(place: TrinoPlace, signal?: AbortSignal): Promise<TrinoRows> {
    const names = new RelationNames(place.prefix);
    await makeStore(place, names, signal);
    const pointers = await PointerTable.begin(place, names, signal);
    const mayClear = await checkStore(place, pointers, signal);
    await checkUnpublished(place.connection, pointers);
    return new TrinoRows(place, names, pointers, mayClear);
  }

  /** Readers see the rows after `publish`. */
  async replaceUnit(rows: UnitRows, signal?: AbortSignal): Promise<bigint> {
    const { relation, unit } = rows;
    const { load, written } = await this.#write(relation, { ...rows, unit: text(unit), name: unit }, signal);
    await this.#point([{ relation, unit, load }], signal);
    return written;
  }

  async removeUnits(relation: string, units: readonly string[], signal?: AbortSignal): Promise<bigint> {
    // A list of resources.
    if (await hasColumns(this.#place.connection, relation, ['_seen_to']))
      return new DuckDbRows(this.#place.connection).removeUnits(relation, units, signal);
    const present = units.filter((unit) => this.#pointers.seen(relation).has(unit));
    const counts = await this.countUnits(relation, present, signal);
    await this.#point(without(relation, units), signal);
    return [...counts.values()].reduce((sum, count) => sum + count, 0n);
  }

  async restoreUnits(relation: string, units: readonly string[], signal?: AbortSignal): Promise<boolean> {
    const published = this.#pointers.published(relation);
    await this.#prepare(relation, signal);
    const former = units.map((unit) => ({ relation, unit, load: published.get(unit) ?? null }));
    await this.#point(former, signal);
    return this.#tables.hasWidened(relation);
  }

  async countUnits(
    relation: string,
    units: readonly string[],
    signal?: AbortSignal,
  ): Promise<Map<string, bigint>> {
    const counts = new Map(units.map((unit) => [unit, 0n]));
    for (let at = 0; at < units.length; at += UNITS_AT_ONCE) {
      const listed = units.slice(at, at + UNITS_AT_ONCE).map(literal);
      const rows = typedRows(
        UnitCount,
        await this.#pointers.rows(
          `SELECT _unit AS unit, count(*) AS n FROM ${this.names.work(relation)}
           WHERE _unit IN (${listed.join(', ')}) GROUP BY _unit`,
          signal,
        ),
      );
      for (const { unit, n } of rows) counts.set(unit, n);
    }
    return counts;
  }

  /**
   * Makes Trino match the catalog, after a kill and after rollbacks of the catalog. Copies the changed lists and tables
   * of `ops`.
   *
   * @param relations the relations that will be read, all by default
   */
  async synchronize(relations?: ReadonlySet<string>, signal?: AbortSignal): Promise<void> {
    const { connection } = this.#place;
    const copied = await catalogRelations(connection);
    const wanted = (relation: string): boolean => relations?.has(relation) ?? true;
    const due = copied.filter(wanted);
    const copies: Pointer[] = [];
    for (let at = 0; at < due.length; at += COPIES_AT_ONCE) {
      const some = due.slice(at, at + COPIES_AT_ONCE);
      for (const made of await Promise.all(some.map((one) => this.#copy(one, signal)))) copies.push(...made);
    }
    const own = (await rawTables(connection)).map((name) => `raw.${name}`);
    for (const relation of own.filter((one) => wanted(one) && !copied.includes(one)))
      await this.#makeReadable(relation, signal);
    // Each statement that writes pointers is a snapshot of Iceberg.
    await this.#point(copies, signal);
    const pointers = await readPointers(connection);
    this.#definitions.clear();
    for (const { relation, unit, madeFrom } of pointers) {
      const definition = unit === DEFINITION && madeFrom !== null ? readDefinition(madeFrom) : undefined;
      if (definition !== undefined) this.#definitions.set(relation, definition);
    }
    await this.#pointers.setAll(pointers, signal);
  }

  storedColumns(relation: string, signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
    return this.#tables.columns(relation, signal);
  }

  async prepare(signal?: AbortSignal): Promise<void> {
    await this.synchronize(undefined, signal);
  }

  async publish({ path, id }: CatalogFile, signal?: AbortSignal): Promise<void> {
    const { objects, folder } = this.#place;
    await objects.put(catalogKey(folder, id), path, signal ?? new AbortController().signal);
    await this.#pointers.set([{ relation: CATALOG_POINTER, unit: WHOLE, load: id }], signal);
    await this.publishPointers(signal);
  }

  async vacuum(signal?: AbortSignal): Promise<void> {
    const { objects } = this.#place;
    const former = await otherCatalogs(
      this.#place,
      this.#pointers.published(CATALOG_POINTER).get(WHOLE),
      signal,
    );
    // Read the list first, so that it contains no object of a writer that begins now.
    await this.#pointers.check(signal);
    const definitionOf = (relation: string) => this.#pointers.published(relation).get(DEFINITION);
    await commentViews(this.#place, { names: this.names, pointers: this.#pointers }, definitionOf, signal);
    for (const object of former) await objects.remove(object, signal ?? new AbortController().signal);
    await vacuumAtTimes(this.#place, this.names, this.#pointers, signal);
  }

  /** Returns a SELECT from the writer's view of relations, by their stored rows. */
  resolve(selectFrom: SelectFrom): string {
    const [names, definitions] = [this.names, this.#definitions];
    return resolveViews(selectFrom, { names, definitions, seen: (one) => this.#pointers.seen(one) });
  }

  /** Runs a Trino SELECT under the writer's name. */
  rows<T>(sql: string, signal?: AbortSignal): Promise<T[]> {
    return this.#pointers.rows<T>(sql, signal);
  }

  /** Writes the rows of a Trino SELECT as lines of JSON, for `selectRowsFile`. */
  writeLines(sql: string, path: string, signal?: AbortSignal): Promise<void> {
    return writeRowsFile(this.#pointers.pages(sql, signal), path);
  }

  /** Builds a model, or some of its partitions, next to the current rows. Returns the number of rows written. */
  async build(
    { relation, columns, select }: BuiltRelation,
    partitions?: BuiltPartitions,
    signal?: AbortSignal,
  ): Promise<bigint> {
    const load = randomUUID();
    const { columns: physical, definition } = await this.#tables.prepare(relation, columns, signal);
    if (!this.#isSeen(relation, definition))
      await this.#pointers.run(viewSql(relation, definition, 'work', this.names), signal);
    const names = physical.map(({ target }) => ident(target)).join(', ');
    const values = physical.map(({ name, type }) => `CAST(${ident(name)} AS ${type})`).join(', ');
    const key = partitions ? partitionKey(partitions.by) : literal(WHOLE);
    const among =
      partitions && !partitions.isWhole
        ? ` WHERE ${key} IN (${partitions.built.map(literal).join(', ') || 'NULL'})`
        : '';
    const rows = await this.#pointers.run(
      `INSERT INTO ${this.names.stored(relation)} (${names}, _unit, _load_id)
       SELECT ${values}, ${key}, ${literal(load)} FROM (${select}\n) AS model${among}`,
      signal,
    );
    const built = partitions?.built ?? [WHOLE];
    const former = new Set(partitions ? [WHOLE, ...partitions.gone] : this.unitsOf(relation));
    await this.#point([
      ...without(relation, [...former.difference(new Set(built))]),
      ...built.map((unit) => ({ relation, unit, load })),
      this.#define(relation, definition),
    ]);
    return rows;
  }

  /** Creates a view of relations, for the writer now and for readers with the next publication. */
  async view(relation: string, selectFrom: SelectFrom, signal?: AbortSignal): Promise<void> {
    const definition: Definition = { select: [...sqlParts(selectFrom)] };
    await this.#pointers.run(viewSql(relation, definition, 'work', this.names), signal);
    await this.#point([...without(relation, this.unitsOf(relation)), this.#define(relation, definition)]);
  }

  /** Removes a model, or some of its partitions, for readers with the next publication. */
  async drop(relation: string, signal?: AbortSignal, units?: readonly string[]): Promise<void> {
    await this.#point(without(relation, units ?? [...this.#pointers.seen(relation).keys()]), signal);
  }

  /** Returns the units or partitions of a relation, as the writer sees them. */
  unitsOf(relation: string): string[] {
    return [...this.#pointers.seen(relation).keys()].filter((unit) => unit !== DEFINITION);
  }

  /**
   * Shows readers all pointers of the writer, in one statement.
   *
   * @throws CrawlhouseError `locked` if another writer has begun since
   */
  async publishPointers(signal?: AbortSignal): Promise<void> {
    const definition = (relation: string) => this.#pointers.seen(relation).get(DEFINITION);
    const former = (relation: string) => this.#pointers.published(relation).get(DEFINITION);
    // Views of raw and ops exist already. They have no visible rows before the pointers.
    const changed = this.#pointers
      .relations()
      .filter((relation) => relation.startsWith('mart.') && definition(relation) !== former(relation));
    // A writer that may not publish does not change the readers' views.
    if (changed.length > 0) await this.#pointers.check(signal);
    // A killed writer leaves the pointers to former views, so the next one replaces the views again.
    for (const relation of inOrder(changed, this.#definitions)) {
      if (definition(relation) === undefined) continue;
      const made = this.#definitions.get(relation);
      if (made === undefined) throw unknownDefinition(relation);
      await this.#pointers.run(viewSql(relation, made, 'visible', this.names), signal);
    }
    await this.#pointers.publish(signal);
    for (const relation of changed.filter((one) => definition(one) === undefined))
      for (const view of [this.names.reader(relation), this.names.work(relation)])
        await this.#pointers.run(`DROP VIEW IF EXISTS ${view}`, signal);
  }

  /** Copies the changes of a relation of the catalog. Returns the pointers to it. */
  async #copy(relation: string, signal: AbortSignal | undefined): Promise<readonly Pointer[]> {
    const { changed, gone, ...rows } = await changedCopies(this.#place.connection, relation);
    if (changed.length === 0) {
      await this.#makeReadable(relation, signal);
      return gone;
    }
    const { load } = await this.#write(relation, { ...rows, name: 'all' }, signal);
    return [...gone, ...changed.map((pointer) => ({ ...pointer, load }))];
  }

  /** Stores rows that no pointer names yet. */
  async #write(
    relation: string,
    { from, ...rows }: Omit<UnitRows, 'relation'> & { readonly name: string },
    signal: AbortSignal | undefined,
  ): Promise<{ readonly load: string | null; readonly written: bigint }> {
    const { columns } = await this.#prepare(relation, signal);
    if (from === null) return { load: null, written: 0n };
    const place = { stored: this.names.stored(relation), folder: folderOf(this.#place, relation), columns };
    return writeLoad(this.#place, this.#pointers, { ...place, ...rows, from }, signal);
  }

  /** Creates the views of a relation, if there are none. */
  async #makeReadable(relation: string, signal: AbortSignal | undefined): Promise<void> {
    if (!this.#pointers.seen(relation).has(DEFINITION)) await this.#prepare(relation, signal);
  }

  /** Creates whatever is missing in Trino for a relation of the catalog. The next pointers record this. */
  async #prepare(relation: string, signal: AbortSignal | undefined): Promise<PreparedRelation> {
    const described = await describeColumns(this.#place.connection, relationTable(relation));
    const types = new Map(described.map((column) => [column.column_name, column.column_type]));
    const prepared = await this.#tables.prepare(relation, types, signal);
    const { definition } = prepared;
    if (this.#isSeen(relation, definition)) return prepared;
    for (const whose of ['work', 'visible'] as const)
      await this.#pointers.run(viewSql(relation, definition, whose, this.names), signal);
    this.#prepared.set(relation, this.#define(relation, definition));
    return prepared;
  }

  #define(relation: string, definition: Definition): Pointer {
    this.#definitions.set(relation, definition);
    const madeFrom = definitionText(definition);
    return { relation, unit: DEFINITION, load: hash('sha256', madeFrom), madeFrom };
  }

  /** Returns whether the writer's views have this definition. */
  #isSeen(relation: string, definition: Definition): boolean {
    return hash('sha256', definitionText(definition)) === this.#pointers.seen(relation).get(DEFINITION);
  }

  /** Points units to other loads: in the catalog, within its transaction, and in Trino. */
  async #point(pointers: readonly Pointer[], signal?: AbortSignal): Promise<void> {
    const all = [...this.#prepared.values(), ...pointers];
    this.#prepared.clear();
    await setPointers(this.#place.connection, all);
    await this.#pointers.set(all, signal);
  }
}

function unknownDefinition(relation: string): CrawlhouseError {
  return new CrawlhouseError('internal', `ops.pointers has no sources of the view ${relation}`, {
    hint: 'crawlhouse transform --full builds all models again',
  });
}

/**
 * Checks that a former writer's unpublished rows of the catalog still exist. Another writer that has begun since may
 * have removed them, or may be about to.
 *
 * @throws CrawlhouseError `damaged_warehouse`; the run then creates a new working copy and repeats its loads
 */
async function checkUnpublished(connection: Connection, pointers: PointerTable): Promise<void> {
  const known = await readPointers(connection);
  const former = known.find(({ relation }) => relation === WRITER)?.load;
  const hasUnpublished = known.some(
    ({ relation, unit, load }) =>
      relation.includes('.') && (pointers.published(relation).get(unit) ?? null) !== load,
  );
  if (hasUnpublished && former !== String(pointers.token - 1n))
    throw new CrawlhouseError(
      'damaged_warehouse',
      'the working copy has unpublished rows in Trino, and another process has written there since',
      { hint: 'run again: the run creates a new working copy and loads the missing units again' },
    );
  await setPointers(connection, [{ relation: WRITER, unit: '', load: String(pointers.token) }]);
}

/** Returns SQL of the key of a partition in DuckDB's form: a JSON list of texts. */
function partitionKey(by: readonly string[]): string {
  return `json_format(CAST(ARRAY[${by.map((column) => `CAST(${ident(column)} AS varchar)`).join(', ')}] AS JSON))`;
}
