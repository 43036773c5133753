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

/** The tables that hold the rows of relations, and the views over them. Columns are added, never changed. */
export class StoredTables {
  readonly #client: TrinoClient;
  readonly #catalog: string;
  readonly #names: RelationNames;
  readonly #location: (relation: string) => string;
  readonly #columns = new Map<string, Map<string, string>>();
  readonly #views = new Map<string, string>();

  constructor(client: TrinoClient, { catalog, names, location }: StoredPlace) {
    this.#client = client;
    this.#catalog = catalog;
    this.#names = names;
    this.#location = location;
  }

  /**
   * Makes the table and the views of a relation where they are missing or lack a column.
   *
   * @param types all columns of the relation, with their types in DuckDB
   * @returns where the values of each column go
   */
  async prepare(
    relation: string,
    types: ReadonlyMap<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<readonly PhysicalColumn[]> {
    const stored = this.#columns.get(relation) ?? (await this.#read(relation, signal));
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
    await this.#makeViews(relation, physical, signal);
    return physical.filter((one) => !(one.name in OURS));
  }

  /** Whether a column has had another type. */
  hasWidened(relation: string): boolean {
    return [...(this.#columns.get(relation)?.keys() ?? [])].some((name) => laterTypeOf(name) !== undefined);
  }

  async #makeViews(
    relation: string,
    columns: readonly PhysicalColumn[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const hidden = relation.startsWith('raw.') ? ['_load_id'] : Object.keys(OURS);
    const selected = columns.filter(({ name }) => !hidden.includes(name)).map((one) => columnSql(one, 'd'));
    for (const [view, of] of [
      [this.#names.work(relation), 'work'],
      [this.#names.reader(relation), 'visible'],
    ] as const) {
      // The pointers come first, so that their snapshot is never newer than that of the rows.
      const sql = `CREATE OR REPLACE VIEW ${view} AS SELECT ${selected.join(', ')}
        FROM (${this.#names.lastPointers(of, relation)}) AS p
        JOIN ${this.#names.stored(relation)} AS d ON d._load_id = p.load_id AND d._unit = p.unit`;
      if (this.#views.get(view) === sql) continue;
      await this.#client.run(sql, {}, signal);
      this.#views.set(view, sql);
    }
  }

  async #read(relation: string, signal: AbortSignal | undefined): Promise<Map<string, string>> {
    const rows = await this.#client.rows<{ column_name: string; data_type: string }>(
      `SELECT column_name, data_type FROM ${ident(this.#catalog)}.information_schema.columns
       WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position`,
      { values: this.#names.storedParts(relation) },
      signal,
    );
    return new Map(rows.map(({ column_name, data_type }) => [column_name, data_type]));
  }
}
