import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DuckDBDecimalValue, DuckDBListValue, type DuckDBValue } from '@duckdb/node-api';
import { type Connection, Database, file, ident, table, text } from '../../../src/core/duckdb/duckdb.ts';
import { sqlTokens } from '../../../src/core/duckdb/sql-tokens.ts';
import { CrawlhouseError } from '../../../src/core/errors/errors.ts';
import { EngineFailure } from '../../../src/etl/engines/data-error.ts';
import { DuckDbMirror } from '../../../src/etl/engines/duckdb/duckdb-engine.ts';
import type { Dialect, Engine, EngineValue, RemoteRows } from '../../../src/etl/engines/engine.ts';
import type { ModelEngine } from '../../../src/etl/engines/model-engine.ts';
import {
  catalogRelations,
  checkPortable,
  declareModel,
  localPartitions,
} from '../../../src/etl/engines/portable-models.ts';
import type { CatalogFile, RowStore, UnitRows } from '../../../src/etl/engines/row-store.ts';
import { sourceColumns } from '../../../src/etl/engines/source-columns.ts';
import type { PlannedModel } from '../../../src/etl/project/sql/plan/plan-models.ts';
import { readPointers, setPointers, without } from '../../../src/etl/state/catalog/ops/ops-pointers.ts';
import { publicationStamp } from '../../../src/etl/state/catalog/published/publication-stamp.ts';

const nothing = async (): Promise<void> => {};
const quoted = (relation: string): string => table(...relation.split('.'));
const temporary = join(tmpdir(), 'memory-engine');
const database = Database.open({ memoryLimit: '300MB', threads: 1, tempDirectory: temporary });

/** A warehouse: `store` has a table a load; `work` and `seen` have views of those that count, for the writer and readers. */
interface Warehouse {
  readonly prefix: string;
  /** With the catalog that is published. */
  readonly folder: string;
  /** The loads of tables whose rows the catalog has, and the SQL of views in the order they were made in. */
  readonly copies: Map<string, string>;
  readonly views: Map<string, string>;
  published: { readonly id: string; readonly pointers: ReadonlyMap<string, string | null> };
}
const warehouses = new Map<string, Promise<Warehouse>>();

async function makeWarehouse(connection: Connection, prefix: string): Promise<Warehouse> {
  for (const name of ['store', 'work', 'seen'])
    await connection.run(`ATTACH ':memory:' AS ${ident(prefix + name)}`);
  for (const name of ['work', 'seen'])
    for (const schema of ['raw', 'mart', 'ops'])
      await connection.run(`CREATE SCHEMA ${table(prefix + name, schema)}`);
  const folder = await mkdtemp(`${temporary}-`);
  return { prefix, folder, copies: new Map(), views: new Map(), published: { id: '', pointers: new Map() } };
}

/** A connection that has relations under their own names, as the writer or as readers see them. */
async function open(prefix: string, whose: 'work' | 'seen') {
  const connection = await (await database).connect();
  const made = warehouses.get(prefix) ?? makeWarehouse(connection, prefix);
  warehouses.set(prefix, made);
  const warehouse = await made;
  await connection.run(`USE ${ident(prefix + whose)}`);
  return { connection, warehouse, [Symbol.asyncDispose]: async () => connection[Symbol.dispose]() };
}

async function columnsOf(connection: Connection, relation: string): Promise<Map<string, string>> {
  const rows = await connection.rows<{ column_name: string; column_type: string }>(`DESCRIBE ${relation}`);
  return new Map(rows.map((row) => [row.column_name, row.column_type]));
}

class MemoryRows implements RowStore, ModelEngine {
  readonly isInCatalog = false;
  readonly queries: Connection;
  readonly #catalog: Connection;
  readonly #warehouse: Warehouse;
  /** What readers see next: SQL by relation, and loads by unit. */
  #next = { views: new Map<string, string>(), pointers: new Map<string, string | null>() };

  constructor(queries: Connection, warehouse: Warehouse, catalog: Connection) {
    this.queries = queries;
    this.#catalog = catalog;
    this.#warehouse = warehouse;
  }

  async replaceUnit({ relation, unit, values, from }: UnitRows): Promise<bigint> {
    const selected = [...values].map(([name, sql]) => `${sql} AS ${ident(name)}`).join(', ');
    const found = from === null ? null : await this.#bring(`SELECT ${selected} FROM ${from}`);
    await this.#point([{ relation, unit, load: found?.load ?? null }]);
    return found?.rows ?? 0n;
  }

  async removeUnits(relation: string, units: readonly string[]): Promise<bigint> {
    const counts = await this.countUnits(relation, units);
    await this.#point(without(relation, units));
    return counts.values().reduce((sum, rows) => sum + rows, 0n);
  }

  async restoreUnits(relation: string, units: readonly string[]): Promise<boolean> {
    const { prefix, published } = this.#warehouse;
    const { pointers } = published;
    await this.#point(
      units.map((unit) => ({ relation, unit, load: pointers.get(`${relation} ${unit}`) ?? null })),
    );
    if (published.id === '') return false;
    const own = await columnsOf(this.#catalog, quoted(relation));
    const former = await columnsOf(this.queries, quoted(`${prefix}seen.${relation}`));
    return [...former].some(([name, type]) => own.get(name) !== type);
  }

  async countUnits(relation: string, units: readonly string[]): Promise<Map<string, bigint>> {
    const rows = await this.queries.rows<{ unit: string; n: bigint }>(
      `SELECT _unit AS unit, count(*) AS n FROM ${quoted(relation)} GROUP BY 1`,
    );
    return new Map(units.map((unit) => [unit, rows.find((row) => row.unit === unit)?.n ?? 0n]));
  }

  readonly storedColumns = async (): Promise<ReadonlyMap<string, string>> => new Map();
  async prepare(): Promise<void> {
    for (const relation of await catalogRelations(this.#catalog))
      this.#warehouse.copies.set(relation, (await this.#bring(`FROM ${quoted(relation)}`)).load);
    const tables = await this.#catalog.rows<{ name: string }>(
      `SELECT schema_name || '.' || table_name AS name FROM duckdb_tables()
       WHERE database_name = current_database() AND schema_name IN ('raw', 'mart', 'ops')`,
    );
    const pointers = await readPointers(this.#catalog);
    const loads = pointers.map(({ relation, unit, load }) => [`${relation} ${unit}`, load] as const);
    this.#next = { views: new Map(), pointers: new Map(loads) };
    for (const relation of [...tables.map(({ name }) => name), ...this.#warehouse.views.keys()])
      this.#next.views.set(relation, await this.#show(relation));
  }

  async publish({ path, id }: CatalogFile): Promise<void> {
    await using readers = await open(this.#warehouse.prefix, 'seen');
    for (const [relation, sql] of this.#next.views)
      await readers.connection.run(`CREATE OR REPLACE VIEW ${quoted(relation)} AS ${sql}`);
    await copyFile(path, join(this.#warehouse.folder, 'catalogue.duckdb'));
    this.#warehouse.published = { id, pointers: this.#next.pointers };
  }

  // What nobody sees goes with the process.
  readonly vacuum = nothing;
  readonly check = (plan: readonly PlannedModel[]): Promise<void> =>
    checkPortable(this.#catalog, plan, 'Memory');
  readonly synchronize = (): Promise<void> => this.prepare();
  readonly local = (planned: PlannedModel): Promise<PlannedModel> =>
    localPartitions(this.#catalog, this.queries, planned);

  /** Makes all partitions each time. */
  async make(planned: PlannedModel, changes: unknown): Promise<bigint | null> {
    const { name, kind } = planned.model;
    if (!changes) await declareModel(this.#catalog, planned);
    if (kind === 'view') {
      this.#warehouse.views.set(name, planned.sql);
      await this.#show(name);
      return null;
    }
    const load = randomUUID();
    const rows = await this.queries.run(`CREATE TABLE ${this.#stored(load)} AS ${planned.sql}`);
    await this.#point([{ relation: name, unit: '', load }]);
    return rows;
  }

  async drop(name: string): Promise<void> {
    this.#warehouse.views.delete(name);
    await setPointers(this.#catalog, without(name, ['']));
    await this.queries.run(`DROP VIEW IF EXISTS ${quoted(name)}`);
  }

  #stored(load: string): string {
    return table(`${this.#warehouse.prefix}store`, 'main', load);
  }

  /** Brings rows of the catalog here, as a load. */
  async #bring(select: string): Promise<{ load: string; rows: bigint }> {
    const [load, path] = [randomUUID(), join(this.#warehouse.folder, 'rows.parquet')];
    await this.#catalog.run(`COPY (${select}) TO ${text(path)} (FORMAT parquet)`);
    return { load, rows: await this.queries.run(`CREATE TABLE ${this.#stored(load)} AS FROM ${file(path)}`) };
  }

  async #point(pointers: Parameters<typeof setPointers>[1]): Promise<void> {
    await setPointers(this.#catalog, pointers);
    for (const relation of new Set(pointers.map((one) => one.relation))) await this.#show(relation);
  }

  /** Makes the writer's view of a relation: the loads that count, in the types that its columns have by now. */
  async #show(relation: string): Promise<string> {
    const sql = this.#warehouse.views.get(relation) ?? (await this.#selectLoads(relation));
    await this.queries.run(`CREATE OR REPLACE VIEW ${quoted(relation)} AS ${sql}`);
    return sql;
  }

  async #selectLoads(relation: string): Promise<string> {
    const columns = [...(await columnsOf(this.#catalog, quoted(relation)))];
    const copy = this.#warehouse.copies.get(relation);
    const pointed = copy === undefined ? await readPointers(this.#catalog, relation) : [{ load: copy }];
    const none = columns.map(([name, type]) => `CAST(NULL AS ${type}) AS ${ident(name)}`);
    const selects = [`SELECT ${none.join(', ')} WHERE false`];
    for (const load of pointed.flatMap(({ load }) => load ?? [])) {
      const own = await columnsOf(this.queries, this.#stored(load));
      const values = columns.map(([name, type]) => {
        const former = own.get(name);
        const one = type.endsWith('[]') && !former?.endsWith('[]') ? `[${ident(name)}]` : ident(name);
        return `CAST(${former === undefined ? 'NULL' : one} AS ${type}) AS ${ident(name)}`;
      });
      selects.push(`SELECT ${values.join(', ')} FROM ${this.#stored(load)}`);
    }
    return selects.join(' UNION ALL ');
  }
}

class MemoryFailure extends EngineFailure {
  readonly isTimeLimit = false;
  readonly isOfValues = /^(Conversion|Out of Range|Invalid Input) Error/.test(this.message);
}

export const memoryDialect = (prefix: string): Dialect => ({
  translate: (sql) =>
    Array.from(sqlTokens(sql), ({ text, kind }) => (kind === 'comment' ? ' ' : text)).join(''),
  reader: (relation) => quoted(`${prefix}seen.${relation}`),
  contains: (columns, part) =>
    `contains(lower(concat_ws(chr(31), ${columns.map(({ name }) => `${name}::VARCHAR`).join(', ')})), lower(${text(part)}))`,
  slice: (offset, limit) => `LIMIT ${limit} OFFSET ${offset}`,
});

/** The newest catalog, if there is one. */
async function bring(prefix: string, path: string): Promise<string> {
  await using opened = await open(prefix, 'seen');
  const { folder, published } = opened.warehouse;
  await mkdir(dirname(path), { recursive: true });
  if (published.id !== '') await copyFile(join(folder, 'catalogue.duckdb'), path);
  return published.id;
}

export const memoryRemote = (prefix: string): RemoteRows => ({
  follow: async ({ warehouse: at }) => ({ id: await bring(prefix, at), stamp: publicationStamp(at) }),
  bringNewest: async ({ warehouse }) => void (await bring(prefix, warehouse)),
  async openStatements() {
    const readers = await open(prefix, 'seen');
    return {
      async *rows(sql) {
        const found = await readers.connection.inner.runAndReadAll(sql).catch(({ message }: Error) => {
          throw new CrawlhouseError('bad_query', message, { cause: new MemoryFailure(message) });
        });
        yield found.getRows().map((row) => row.map(plain));
      },
      [Symbol.asyncDispose]: readers[Symbol.asyncDispose],
    };
  },
});

export const memoryEngine = (prefix: string): Engine => ({
  openFiles: null,
  async openWriter({ connection: catalog, published }) {
    const { connection, warehouse, ...opened } = await open(prefix, 'work');
    if (!existsSync(published)) await bring(prefix, published);
    const rows = new MemoryRows(connection, warehouse, catalog);
    return { ...opened, begin: async () => ({ rows, models: rows, mirror: new DuckDbMirror(connection) }) };
  },
  async openUnits(place) {
    const { connection, warehouse, ...opened } = await open(prefix, 'seen');
    return {
      ...opened,
      async rowsOf(relation, unit) {
        const { values } = await sourceColumns(place, relation);
        const path = join(warehouse.folder, 'moved.parquet');
        const rows = `FROM ${quoted(relation)} WHERE _unit = ${text(unit)}`;
        await connection.run(`COPY (${rows}) TO ${text(path)} (FORMAT parquet)`);
        return { values, from: file(path), [Symbol.asyncDispose]: nothing };
      },
    };
  },
  async openQueries() {
    const { connection: queries, ...opened } = await open(prefix, 'seen');
    return { ...opened, queries };
  },
  examine: async () => [{ name: 'memory', status: 'ok', message: 'is there', hint: null, code: null }],
});

function plain(value: DuckDBValue): EngineValue {
  if (value instanceof DuckDBListValue) return value.items.map(plain);
  if (value instanceof DuckDBDecimalValue) return value.scale === 0 ? value.value : String(value);
  if (typeof value !== 'object' || value === null) return value as EngineValue;
  return String(value).replace(' ', 'T').replace(/\+00$/, 'Z');
}
