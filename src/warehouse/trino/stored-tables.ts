import { ident } from '../../core/duckdb.ts';
import type { TrinoClient } from './client.ts';
import { literal } from './literal.ts';
import { columnSql, laterTypeOf, type PhysicalColumn, physicalColumns } from './physical-columns.ts';
import type { RelationNames } from './relation-names.ts';

const OURS = { _unit: 'VARCHAR', _load_id: 'VARCHAR' } as const;

interface StoredPlace {
  readonly catalog: string;
  readonly names: RelationNames;
  /** The folder of a relation, as a URL. */
  readonly location: (relation: string) => string;
}

/** A relation whose table is there. */
export interface PreparedRelation {
  /** Where the values of each column go. */
  readonly columns: readonly PhysicalColumn[];
  /** The statements that make the writer's and the readers' view. */
  readonly work: string;
  readonly reader: string;
}

/** The tables that hold the rows of relations, and the views over them. Columns are added, never changed. */
export class StoredTables {
  readonly #client: TrinoClient;
  readonly #catalog: string;
  readonly #names: RelationNames;
  readonly #location: (relation: string) => string;
  readonly #columns = new Map<string, Map<string, string>>();
  /** What was there before, by table. */
  #former: Promise<ReadonlyMap<string, Map<string, string>>> | undefined;

  constructor(client: TrinoClient, { catalog, names, location }: StoredPlace) {
    this.#client = client;
    this.#catalog = catalog;
    this.#names = names;
    this.#location = location;
  }

  /**
   * Makes the table of a relation where it is missing or lacks a column.
   *
   * @param types all columns of the relation, with their types in DuckDB
   */
  async prepare(
    relation: string,
    types: ReadonlyMap<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<PreparedRelation> {
    const stored = new Map(await this.columns(relation, signal));
    const all = new Map([...Object.entries(OURS), ...types]);
    const missing = physicalColumns(all, stored).filter(({ target }) => !stored.has(target));
    const name = this.#names.stored(relation);
    const defined = missing.map(({ target, type }) => `${ident(target)} ${type}`);
    const statements =
      stored.size === 0
        ? [
            `CREATE TABLE IF NOT EXISTS ${name} (${defined.join(', ')}) WITH (location = ${literal(this.#location(relation))})`,
          ]
        : defined.map((one) => `ALTER TABLE ${name} ADD COLUMN IF NOT EXISTS ${one}`);
    for (const sql of statements) await this.#client.run(sql, {}, signal);
    for (const { target, type } of missing) stored.set(target, type);
    this.#columns.set(relation, stored);
    const physical = physicalColumns(all, stored);
    return {
      columns: physical.filter((one) => !(one.name in OURS)),
      work: this.#viewOf(relation, physical, 'work'),
      reader: this.#viewOf(relation, physical, 'visible'),
    };
  }

  /** The columns of the table with their types, in its order; none where there is no table. */
  async columns(relation: string, signal: AbortSignal | undefined): Promise<ReadonlyMap<string, string>> {
    return this.#columns.get(relation) ?? (await this.#formerColumns(relation, signal));
  }

  /** Whether a column has had another type. */
  hasWidened(relation: string): boolean {
    return [...(this.#columns.get(relation)?.keys() ?? [])].some((name) => laterTypeOf(name) !== undefined);
  }

  #viewOf(relation: string, columns: readonly PhysicalColumn[], of: 'work' | 'visible'): string {
    const hidden = relation.startsWith('raw.') ? ['_load_id'] : Object.keys(OURS);
    const selected = columns.filter(({ name }) => !hidden.includes(name)).map((one) => columnSql(one, 'd'));
    const view = of === 'work' ? this.#names.work(relation) : this.#names.reader(relation);
    // The pointers come first, so that their snapshot is never newer than that of the rows.
    return `CREATE OR REPLACE VIEW ${view} AS SELECT ${selected.join(', ')}
      FROM (${this.#names.lastPointers(of, relation)}) AS p
      JOIN ${this.#names.stored(relation)} AS d ON d._load_id = p.load_id AND d._unit = p.unit`;
  }

  /** One statement reads them for all relations: each would take as long for one. */
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
    const rows = await this.#client.rows<{ table_name: string; column_name: string; data_type: string }>(
      `SELECT table_name, column_name, data_type FROM ${ident(this.#catalog)}.information_schema.columns
       WHERE table_schema = ? ORDER BY table_name, ordinal_position`,
      { values: [schema] },
      signal,
    );
    return new Map(
      [...Map.groupBy(rows, (row) => row.table_name)].map(([name, columns]) => [
        name,
        new Map(columns.map(({ column_name, data_type }) => [column_name, data_type])),
      ]),
    );
  }
}
