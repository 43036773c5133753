import { type Connection, relationTable } from '../../../core/duckdb/duckdb.ts';
import { referenceName } from '../../project/sql/plan/inspect-model.ts';
import type { PlannedModel } from '../../project/sql/plan/plan-models.ts';
import { replaceTables } from '../../project/sql/text/replace-tables.ts';
import type { SqlReferences } from '../../project/sql/text/sql-references.ts';
import { type TableFacts, tableFacts } from '../../state/catalog/catalog.ts';

/** A view is copied if the tables under it have at most this number of rows together. */
const ROWS_COPIED = 50_000;
/** While it stores rows, DuckDB 1.5 takes about 0.8 MB for each column, however few the rows are. */
export const COLUMNS_COPIED = 400;

/**
 * Copies of small views, for the statements that build models. DuckDB binds a view again for each read, and with it the
 * views that it reads: `mart.pages` takes 50 ms. A copy is made when a model first reads its view.
 */
export class ViewCopies implements AsyncDisposable {
  readonly #connection: Connection;
  readonly #plan: ReadonlyMap<string, PlannedModel>;
  readonly #copies = new Map<string, string | null>();
  #sizes: ReadonlyMap<string, TableFacts> | undefined;

  constructor(connection: Connection, plan: readonly PlannedModel[]) {
    this.#connection = connection;
    this.#plan = new Map(plan.map((planned) => [planned.model.name, planned]));
  }

  /** Returns a model whose SELECT of the partitions reads copies. */
  async inPartitions(planned: PlannedModel): Promise<PlannedModel> {
    const { partitions, partitionReferences: references } = planned;
    if (partitions === null || references === null) return planned;
    return { ...planned, partitions: await this.#reading(partitions, references) };
  }

  /**
   * Returns a table whose SELECT reads copies, except of views that it reads only within its partitions (`of`). A view
   * must read the views themselves.
   */
  async inTable(planned: PlannedModel): Promise<PlannedModel> {
    const { model, sql, references } = planned;
    if (model.kind === 'view') return planned;
    return {
      ...planned,
      sql: await this.#reading(sql, references, new Set(Object.keys(model.incremental?.within ?? {}))),
    };
  }

  /** A table was built, so the sizes of the tables are read again before the next copy. */
  noteBuild(): void {
    this.#sizes = undefined;
  }

  /** Returns the copy of a view, or the relation itself. */
  of(name: string): string {
    return this.#copies.get(name) ?? relationTable(name);
  }

  async #reading(
    sql: string,
    references: SqlReferences,
    except: ReadonlySet<string> = new Set(),
  ): Promise<string> {
    for (const name of new Set(references.tables.map(referenceName))) await this.#copy(name);
    return replaceTables(sql, references, (reference) => {
      const name = referenceName(reference);
      const copy = except.has(name) ? null : this.#copies.get(name);
      return copy ? `SELECT * FROM ${copy}` : undefined;
    });
  }

  async #copy(name: string): Promise<void> {
    const view = this.#plan.get(name);
    if (view?.model.kind !== 'view' || this.#copies.has(name)) return;
    const isSmall = view.outputs.size <= COLUMNS_COPIED && (await this.#rowsUnder(view)) <= ROWS_COPIED;
    if (!isSmall) return void this.#copies.set(name, null);
    const sql = await this.#reading(view.sql, view.references);
    const copy = `temp.main.view_copy_${this.#copies.size}`;
    const isMade = await this.#connection.run(`CREATE OR REPLACE TEMP TABLE ${copy} AS ${sql}`).then(
      () => true,
      // A value that the view cannot convert matters only to readers of its column.
      () => false,
    );
    this.#copies.set(name, isMade ? copy : null);
  }

  /** Returns the approximate number of rows in the tables that a view reads, itself or by other views. */
  async #rowsUnder(view: PlannedModel): Promise<number> {
    this.#sizes ??= await tableFacts(this.#connection);
    const sizes = this.#sizes;
    const tables = new Set<string>();
    const visit = (planned: PlannedModel): void => {
      for (const source of planned.sources) tables.add(source);
      for (const name of planned.models) {
        const read = this.#plan.get(name);
        if (read?.model.kind === 'view') visit(read);
        else tables.add(name);
      }
    };
    visit(view);
    return tables.values().reduce((sum, name) => sum + (sizes.get(name)?.rows ?? 0), 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const copies = [...this.#copies.values()].filter((copy) => copy !== null);
    this.#copies.clear();
    if (copies.length > 0)
      await this.#connection.run(copies.map((copy) => `DROP TABLE IF EXISTS ${copy}`).join(';'));
  }
}
