import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Connection, ident, relationTable, text } from '../../../../core/duckdb/duckdb.ts';
import { describeColumns } from '../../../../core/duckdb/table-columns.ts';
import { listObjects } from '../../../../core/stores/list-objects.ts';
import type { ObjectStore } from '../../../../core/stores/object-store.ts';
import { lookUp } from '../../../../core/text/look-up.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';
import { DEFINITION, type Pointer, readPointers } from '../../../state/catalog/ops/ops-pointers.ts';
import { literal } from '../client/literal.ts';
import type { RelationNames } from '../client/relation-names.ts';
import type { TrinoClient } from '../client/trino-client.ts';
import { TrinoFailure } from '../client/trino-error.ts';
import type { TrinoPlace } from '../trino-place.ts';
import type { Definition } from './definition.ts';
import { columnSql, folderOf, laterTypeOf, type PhysicalColumn, physicalColumns } from './write-load.ts';

const StoredColumn = z.strictObject({
  table_name: z.string(),
  column_name: z.string(),
  data_type: z.string(),
});

const UnitHash = z.strictObject({ unit: z.string(), hash: z.string() });

/** Much longer than a CREATE TABLE takes. */
const SETTLED_MS = 5_000;
const OURS = { _unit: 'VARCHAR', _load_id: 'VARCHAR' } as const;

export interface PreparedRelation {
  /** The stored columns of each column's values. */
  readonly columns: readonly PhysicalColumn[];
  readonly definition: Definition;
}

/** The tables that store the rows of relations, and the views over these tables. Columns are added, never changed. */
export class StoredTables {
  readonly #place: TrinoPlace;
  readonly #client: TrinoClient;
  readonly #names: RelationNames;
  readonly #mayClear: boolean;
  readonly #columns = new Map<string, Map<string, string>>();
  /** Columns that already existed, by table. */
  #former: Promise<ReadonlyMap<string, Map<string, string>>> | undefined;

  /**
   * @param mayClear whether to remove the remains of a CREATE TABLE, because the location certainly belongs to this
   *   warehouse
   */
  constructor(place: TrinoPlace, names: RelationNames, mayClear: boolean) {
    this.#place = place;
    this.#mayClear = mayClear;
    this.#client = place.client;
    this.#names = names;
  }

  /**
   * Creates the table of a relation, or adds its missing columns.
   *
   * @param types all columns of the relation, with their types in DuckDB
   */
  async prepare(
    relation: string,
    types: ReadonlyMap<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<PreparedRelation> {
    const stored = new Map(await this.columns(relation, signal));
    const physicalNow = (): PhysicalColumn[] => columnsOf(relation, types, stored);
    const missing = physicalNow().filter(({ target }) => !stored.has(target));
    const name = this.#names.stored(relation);
    const defined = missing.map(({ target, type }) => `${ident(target)} ${type}`);
    const statements =
      stored.size === 0
        ? [
            `CREATE TABLE IF NOT EXISTS ${name} (${defined.join(', ')}) WITH (location = ${literal(this.#location(relation))})`,
          ]
        : defined.map((one) => `ALTER TABLE ${name} ADD COLUMN IF NOT EXISTS ${one}`);
    try {
      for (const sql of statements) await this.#client.run(sql, {}, signal);
    } catch (error) {
      if (stored.size > 0 || !isOccupied(error) || !(await this.#clear(relation, signal))) throw error;
      return this.prepare(relation, types, signal);
    }
    for (const { target, type } of missing) stored.set(target, type);
    this.#columns.set(relation, stored);
    const physical = physicalNow();
    return {
      columns: physical.filter(({ target }) => !Object.hasOwn(OURS, target)),
      definition: definitionOf(relation, physical),
    };
  }

  /** Returns whether a table that could not be created may exist by now, or can be created. */
  async #clear(relation: string, signal: AbortSignal | undefined): Promise<boolean> {
    // A statement of a killed process may still be ending.
    await sleep(SETTLED_MS, undefined, signal ? { signal } : {});
    this.#former = undefined;
    return (
      (await this.columns(relation, signal)).size > 0 ||
      (this.#mayClear &&
        clearAborted(
          this.#place.objects,
          folderOf(this.#place, relation),
          signal ?? new AbortController().signal,
        ))
    );
  }

  /** Returns the columns of the table with their types, in its order; none if there is no table. */
  async columns(relation: string, signal: AbortSignal | undefined): Promise<ReadonlyMap<string, string>> {
    return this.#columns.get(relation) ?? (await this.#formerColumns(relation, signal));
  }

  #location(relation: string): string {
    return `s3://${this.#place.bucket}/${folderOf(this.#place, relation)}`;
  }

  /** Returns whether a column has had another type. */
  hasWidened(relation: string): boolean {
    return [...(this.#columns.get(relation)?.keys() ?? [])].some((name) => laterTypeOf(name) !== undefined);
  }

  /** Reads the columns of all relations in one statement, which takes as long as for one relation. */
  async #formerColumns(relation: string, signal: AbortSignal | undefined): Promise<Map<string, string>> {
    this.#former ??= this.#read(signal);
    const [, name] = this.#names.storedParts(relation);
    try {
      return (await this.#former).get(name) ?? new Map();
    } catch (error) {
      this.#former = undefined;
      throw error;
    }
  }

  async #read(signal: AbortSignal | undefined): Promise<ReadonlyMap<string, Map<string, string>>> {
    const [schema] = this.#names.storedParts('');
    const of = `${ident(this.#place.catalog)}.information_schema`;
    // Without this schema, Trino would read all others, and fail where another project drops one of them meanwhile.
    const count = `SELECT count(*) FROM ${of}.schemata WHERE schema_name = ?`;
    if (Number(await this.#client.scalar(count, { values: [schema] }, signal)) === 0) return new Map();
    const rows = typedRows(
      StoredColumn,
      await this.#client.rows(
        `SELECT table_name, column_name, data_type FROM ${of}.columns
         WHERE table_schema = ? ORDER BY table_name, ordinal_position`,
        { values: [schema] },
        signal,
      ),
    );
    return new Map(
      [...Map.groupBy(rows, (row) => row.table_name)].map(([name, columns]) => [
        name,
        new Map(columns.map(({ column_name, data_type }) => [column_name, data_type])),
      ]),
    );
  }
}

/**
 * Returns our columns and those of the relation. A model's column with the name of one of ours is stored under another
 * name.
 */
function columnsOf(
  relation: string,
  types: ReadonlyMap<string, string>,
  stored: ReadonlyMap<string, string>,
): PhysicalColumn[] {
  const ours = Object.entries(OURS);
  const reserved = relation.startsWith('raw.') ? [] : Object.keys(OURS);
  const own = [...types].filter(([name]) => reserved.includes(name) || !Object.hasOwn(OURS, name));
  return [...physicalColumns(new Map(ours), stored), ...physicalColumns(new Map(own), stored, reserved)];
}

function definitionOf(relation: string, columns: readonly PhysicalColumn[]): Definition {
  const hidden = relation.startsWith('raw.') ? ['_load_id'] : Object.keys(OURS);
  return {
    columns: columns.filter(({ target }) => !hidden.includes(target)).map((column) => columnSql(column, 'd')),
  };
}

/** Returns whether a table could not be created because its folder contains files. */
function isOccupied(error: unknown): boolean {
  const { cause } = error as { readonly cause?: unknown };
  return cause instanceof TrinoFailure && cause.message.includes('on a non-empty location');
}

/**
 * Removes the metadata that a CREATE TABLE left when Trino or its catalog crashed. If the folder contains any other
 * file, it removes nothing.
 *
 * @param folder of a missing table
 * @returns whether there was such metadata, and nothing else
 */
async function clearAborted(objects: ObjectStore, folder: string, signal: AbortSignal): Promise<boolean> {
  const left = await listObjects(objects, `${folder}/`, signal);
  if (left.length === 0 || left.some(({ key }) => !key.startsWith(`${folder}/metadata/`))) return false;
  for (const object of left) await objects.remove(object, signal);
  return true;
}

/** Values that the published catalog will have. */
const AS_PUBLISHED: Readonly<Record<string, string>> = {
  'ops.loads': 'SELECT * REPLACE (coalesce(queryable, loaded) AS queryable) FROM ops.loads',
  'ops.publication': 'SELECT * REPLACE (false AS dirty) FROM ops.publication',
};

/** The units of a copied relation that changed since their last copy. */
interface ChangedCopies {
  /** Without their loads. */
  readonly changed: readonly Pointer[];
  readonly gone: readonly Pointer[];
  /** DuckDB's SQL of the changed units: the columns' values, the unit of each row, and the content of FROM. */
  readonly values: ReadonlyMap<string, string>;
  readonly unit: string;
  readonly from: string;
}

export async function changedCopies(connection: Connection, relation: string): Promise<ChangedCopies> {
  const select = lookUp(AS_PUBLISHED, relation) ?? `SELECT * FROM ${relationTable(relation)}`;
  const unit = relation.startsWith('raw.') ? '_unit' : "''";
  const described = await describeColumns(connection, select);
  const types = hash('md5', JSON.stringify(described));
  const rows = typedRows(
    UnitHash,
    await connection.rows(
      `SELECT ${unit} AS unit, concat_ws(' ', count(*), sum(hash(copied))) AS hash FROM (${select}) AS copied
       GROUP BY ${unit}`,
    ),
  );
  const pointers = (await readPointers(connection, relation)).filter(
    (pointer) => pointer.unit !== DEFINITION,
  );
  const former = new Map(pointers.map((pointer) => [pointer.unit, pointer.madeFrom]));
  const present = rows.map((row) => ({
    relation,
    unit: row.unit,
    load: null,
    madeFrom: `${row.hash} ${types}`,
  }));
  const changed = present.filter((one) => former.get(one.unit) !== one.madeFrom);
  const units = new Set(rows.map((row) => row.unit));
  const gone = [...former.keys()]
    .filter((key) => !units.has(key))
    .map((key) => ({ relation, unit: key, load: null }));
  const listed = changed.map((one) => text(one.unit)).join(', ') || 'NULL';
  return {
    changed,
    gone,
    values: new Map(described.map(({ column_name }) => [column_name, ident(column_name)])),
    unit,
    from: `(${select}) AS copied WHERE ${unit} IN (${listed})`,
  };
}
