import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Connection, ident, table, text } from '../../core/duckdb.ts';
import { CrawlhouseError } from '../../core/errors.ts';
import type { ObjectStore } from '../../stores/object-store.ts';
import type { RowStore, UnitRows } from '../row-store.ts';
import type { TrinoClient } from './client.ts';
import { literal } from './literal.ts';
import { makeStore } from './make-store.ts';
import { partitionKey } from './partition-key.ts';
import { fileType, type PhysicalColumn } from './physical-columns.ts';
import { RelationNames } from './relation-names.ts';
import { StoredTables } from './stored-tables.ts';

export interface TrinoPlace {
  /** Its default catalogue is the warehouse's. */
  readonly client: TrinoClient;
  readonly catalog: string;
  /** Before the names of the schemas; may be empty. */
  readonly prefix: string;
  /** Where the files of loads go: `s3://bucket/folder`, of which `objects` has the bucket and `folder` is the rest. */
  readonly bucket: string;
  readonly folder: string;
  readonly objects: ObjectStore;
  /** The catalogue: DuckDB, with the tables of `raw` and `ops`. */
  readonly connection: Connection;
  /** A folder of this machine for files on their way. */
  readonly temporary: string;
}

/** Says that the rows of a unit are those of a load; null: that there are none. */
interface Pointer {
  readonly relation: string;
  readonly unit: string;
  readonly load: string | null;
}

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
}

/** Of the unit of a relation that has but one. */
const WHOLE = '';
/** Pointers of one statement, whose text has at most a million characters. */
const AT_ONCE = 3000;
/** Steps of one writer. */
const STEPS = 1_000_000_000n;

/**
 * The rows of the warehouse in Trino, as one writer sees them. A stored row has the load that it came with, and is there
 * for nobody until a pointer names this load for its unit. `store.visible` has the pointers that readers follow,
 * `store.candidate` those of the writer's next publication; both only grow (docs/decisions/engines.md).
 */
export class TrinoRows implements RowStore {
  readonly names: RelationNames;
  readonly #place: TrinoPlace;
  readonly #tables: StoredTables;
  #step = 0n;
  /** Statements for the next publication, in the order of the views. */
  readonly #readerViews = new Map<string, string>();

  readonly #token: bigint;

  private constructor(place: TrinoPlace, names: RelationNames, token: bigint) {
    this.#place = place;
    this.names = names;
    this.#token = token;
    const location = (relation: string): string => `s3://${place.bucket}/${this.#folder(relation)}`;
    this.#tables = new StoredTables(place.client, { catalog: place.catalog, names, location });
  }

  /** Becomes the writer: what former writers have not published is forgotten, and what they still try is refused. */
  static async begin(place: TrinoPlace, signal?: AbortSignal): Promise<TrinoRows> {
    const { client } = place;
    const names = new RelationNames(place.prefix);
    await makeStore(place, names, signal);
    const all = `SELECT token FROM ${names.visible} UNION ALL SELECT token FROM ${names.candidate}`;
    const token = (await client.scalar(
      `SELECT 1 + coalesce(max(token), 0) FROM (${all})`,
      {},
      signal,
    )) as bigint;
    const writer = new TrinoRows(place, names, token);
    await writer.#insert([writer.#pointer([null, null, null])], signal);
    await client.run(`DELETE FROM ${names.candidate} WHERE token < ${literal(token)}`, {}, signal);
    return writer;
  }

  /** Readers see the rows after `publish`. */
  async replaceUnit(rows: UnitRows, signal?: AbortSignal): Promise<bigint> {
    const { relation, unit } = rows;
    const { load, written } = await this.#load(rows, signal);
    await this.#point([{ relation, unit, load }], signal);
    return written;
  }

  async removeUnits(relation: string, units: readonly string[], signal?: AbortSignal): Promise<bigint> {
    const work = this.names.work(relation);
    const counted = await this.#place.client.scalar(
      `SELECT count(*) FROM ${work} WHERE contains(?, _unit)`,
      { values: [units] },
      signal,
    );
    await this.#point(
      units.map((unit) => ({ relation, unit, load: null })),
      signal,
    );
    return counted as bigint;
  }

  async restoreUnits(relation: string, units: readonly string[], signal?: AbortSignal): Promise<boolean> {
    const published = await this.#place.client.rows<{ unit: string; load_id: string | null }>(
      this.names.lastPointers('visible', relation),
      {},
      signal,
    );
    const loads = new Map(published.map(({ unit, load_id }) => [unit, load_id]));
    await this.#point(
      units.map((unit) => ({ relation, unit, load: loads.get(unit) ?? null })),
      signal,
    );
    await this.#prepare(relation, signal);
    return this.#tables.hasWidened(relation);
  }

  /** Builds a model, or some of its partitions, beside what is there; the rows that were written. */
  async build(
    { relation, columns, select }: BuiltRelation,
    partitions?: BuiltPartitions,
    signal?: AbortSignal,
  ): Promise<bigint> {
    const load = randomUUID();
    const physical = await this.#tables.prepare(relation, columns, signal);
    const names = physical.map(({ target }) => ident(target)).join(', ');
    const values = physical.map(({ name, type }) => `CAST(${ident(name)} AS ${type})`).join(', ');
    const key = partitions ? partitionKey(partitions.by) : literal(WHOLE);
    const among = partitions
      ? ` WHERE ${key} IN (${partitions.built.map(literal).join(', ') || 'NULL'})`
      : '';
    const rows = await this.#run(
      `INSERT INTO ${this.names.stored(relation)} (${names}, _unit, _load_id)
       SELECT ${values}, ${key}, ${literal(load)} FROM (${select}\n) AS model${among}`,
      signal,
    );
    if (partitions) {
      const { built, gone } = partitions;
      await this.#point(
        [
          // A model that was built as a whole before.
          { relation, unit: WHOLE, load: null },
          ...gone.map((unit) => ({ relation, unit, load: null })),
          ...built.map((unit) => ({ relation, unit, load })),
        ],
        signal,
      );
      return rows;
    }
    await this.#run(
      `INSERT INTO ${this.names.candidate}
       SELECT ${literal(this.#token)}, ${literal(this.#next())}, relation, unit, CAST(NULL AS varchar)
       FROM (${this.names.lastPointers('work', relation)}) WHERE unit <> ${literal(WHOLE)}
       UNION ALL VALUES ${this.#pointer([relation, WHOLE, load])}`,
      signal,
    );
    return rows;
  }

  /**
   * Makes a view of relations, for the writer now and for readers with the next publication.
   *
   * @param selectFrom its SELECT, from relations under these names
   */
  async view(
    relation: string,
    selectFrom: (nameOf: (relation: string) => string) => string,
    signal?: AbortSignal,
  ): Promise<void> {
    const select = selectFrom((one) => this.names.work(one));
    await this.#run(`CREATE OR REPLACE VIEW ${this.names.work(relation)} AS ${select}`, signal);
    const read = selectFrom((one) => this.names.reader(one));
    this.#readerViews.set(relation, `CREATE OR REPLACE VIEW ${this.names.reader(relation)} AS ${read}`);
  }

  /** Comments a relation and its columns, for readers. */
  async comment(
    relation: string,
    description: string,
    columns: ReadonlyMap<string, string>,
    signal?: AbortSignal,
  ): Promise<void> {
    const name = this.names.reader(relation);
    await this.#run(`COMMENT ON VIEW ${name} IS ${literal(description)}`, signal);
    for (const [column, words] of columns)
      await this.#run(`COMMENT ON COLUMN ${name}.${ident(column)} IS ${literal(words)}`, signal);
  }

  /**
   * Shows readers everything that the writer has pointed to, by one statement.
   *
   * @throws CrawlhouseError `locked` where another writer has begun since
   */
  async publish(signal?: AbortSignal): Promise<void> {
    const { candidate, visible } = this.names;
    const token = literal(this.#token);
    // A writer that may not publish leaves the readers' views alone.
    if (this.#readerViews.size > 0) {
      const last = await this.#place.client.scalar(`SELECT max(token) FROM ${candidate}`, {}, signal);
      if (last !== this.#token) throw anotherWriter();
    }
    for (const [relation, sql] of this.#readerViews) {
      await this.#run(sql, signal);
      this.#readerViews.delete(relation);
    }
    // The pointer of nothing makes the number of rows tell whether the writer is still the last one.
    const written = await this.#run(
      `INSERT INTO ${visible}
       SELECT ${token}, max(seq), relation, unit, max_by(load_id, seq) FROM ${candidate}
       WHERE token = ${token} AND ${token} = (SELECT max(token) FROM ${candidate}) GROUP BY relation, unit`,
      signal,
    );
    if (written === 0n) throw anotherWriter();
  }

  /** Brings rows into the bucket and registers them. Nobody sees them before a pointer names the load. */
  async #load(
    { relation, unit, values, from }: UnitRows,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly load: string | null; readonly written: bigint }> {
    const { connection, temporary, objects, bucket } = this.#place;
    const columns = (await this.#prepare(relation, signal)).flatMap(({ name, target, own }) => {
      const sql = values.get(name);
      if (sql === undefined) return [];
      return [`CAST(${sql} AS ${fileType(own)}) AS ${ident(target)}`];
    });
    if (from === null) return { load: null, written: 0n };
    const load = randomUUID();
    await mkdir(temporary, { recursive: true });
    const file = join(temporary, `${load}.parquet`);
    try {
      const select = `SELECT ${[`${text(unit)} AS _unit`, `${text(load)} AS _load_id`, ...columns].join(', ')}`;
      const copy = `COPY (${select} FROM ${from}) TO ${text(file)} (FORMAT parquet, COMPRESSION zstd)`;
      const written = await connection.run(copy, [], signal);
      if (written === 0n) return { load: null, written };
      // Below `data`, so that Iceberg removes it once no snapshot needs it.
      const key = `${this.#folder(relation)}/data/unit=${unit.replaceAll('/', '.')}/${load}.parquet`;
      await objects.put(key, file, signal ?? new AbortController().signal);
      const location = literal(`s3://${bucket}/${key}`);
      await this.#run(
        `ALTER TABLE ${this.names.stored(relation)} EXECUTE add_files(location => ${location}, format => 'PARQUET')`,
        signal,
      );
      return { load, written };
    } finally {
      await rm(file, { force: true });
    }
  }

  /** Makes what Trino lacks of a relation of the catalogue; its columns. */
  async #prepare(relation: string, signal: AbortSignal | undefined): Promise<readonly PhysicalColumn[]> {
    const described = await this.#place.connection.rows<{ column_name: string; column_type: string }>(
      `DESCRIBE ${table(...relation.split('.'))}`,
    );
    const types = new Map(described.map((column) => [column.column_name, column.column_type]));
    return this.#tables.prepare(relation, types, signal);
  }

  /** The folder of a relation in the bucket. */
  #folder(relation: string): string {
    return `${this.#place.folder}/${relation.replace('.', '/')}`;
  }

  /** Lets the writer see loads in the place of former ones. */
  async #point(pointers: readonly Pointer[], signal: AbortSignal | undefined): Promise<void> {
    const rows = pointers.map(({ relation, unit, load }) => this.#pointer([relation, unit, load]));
    await this.#insert(rows, signal);
  }

  #next(): bigint {
    return this.#token * STEPS + this.#step++;
  }

  #pointer(values: readonly (string | null)[]): string {
    const texts = values.map((value) => `CAST(${literal(value)} AS varchar)`);
    return `(${[literal(this.#token), literal(this.#next()), ...texts].join(', ')})`;
  }

  async #insert(pointers: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    for (let at = 0; at < pointers.length; at += AT_ONCE)
      await this.#run(
        `INSERT INTO ${this.names.candidate} VALUES ${pointers.slice(at, at + AT_ONCE).join(', ')}`,
        signal,
      );
  }

  #run(sql: string, signal?: AbortSignal): Promise<bigint> {
    return this.#place.client.run(sql, { source: `${this.#place.prefix}${this.#token}` }, signal);
  }
}

function anotherWriter(): CrawlhouseError {
  return new CrawlhouseError('locked', 'another writer has begun since: nothing was published', {
    hint: 'the run that began last publishes; run again after it',
  });
}
