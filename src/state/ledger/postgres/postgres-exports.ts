import { ident } from '../../../core/duckdb.ts';
import type { ExportRecords, LedgerExport } from '../ledger-export.ts';
import type { PostgresPool, Statements } from './postgres-pool.ts';
import type { RowOf } from './unit-rows.ts';

/** One project of a shared ledger. */
export interface LedgerProject {
  readonly schema: string;
  readonly project: string;
}

/** Runs statements in a transaction that checks the right to write. */
export type Write = <T>(work: (statements: Statements) => Promise<T>) => Promise<T>;

/** The data exports in a shared ledger. */
export class PostgresExports implements ExportRecords {
  readonly #pool: PostgresPool;
  readonly #table: string;
  readonly #project: string;
  readonly #write: Write;

  constructor(pool: PostgresPool, { schema, project }: LedgerProject, write: Write) {
    this.#pool = pool;
    this.#table = `${ident(schema)}.exports`;
    this.#project = project;
    this.#write = write;
  }

  async putExport(one: LedgerExport): Promise<void> {
    const { unit, data_export_id, store, format, prefix, status, requested_at, run_id } = one;
    await this.#write((statements) =>
      statements.rows(
        `INSERT INTO ${this.#table}
           (project, unit, data_export_id, store, format, prefix, status, requested_at, run_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         ON CONFLICT (project, unit) DO UPDATE SET
           data_export_id = excluded.data_export_id, store = excluded.store, format = excluded.format,
           prefix = excluded.prefix, status = excluded.status, requested_at = excluded.requested_at,
           run_id = excluded.run_id`,
        [this.#project, unit, data_export_id, store, format, prefix, status, requested_at, run_id],
      ),
    );
  }

  async claimExport(unit: string, runId: string): Promise<void> {
    await this.#set(unit, 'run_id', runId);
  }

  async setExportStatus(unit: string, status: string): Promise<void> {
    await this.#set(unit, 'status', status);
  }

  async #set(unit: string, column: 'run_id' | 'status', value: string): Promise<void> {
    await this.#write((statements) =>
      statements.rows(`UPDATE ${this.#table} SET ${ident(column)} = $3 WHERE project = $1 AND unit = $2`, [
        this.#project,
        unit,
        value,
      ]),
    );
  }

  async exportOf(unit: string): Promise<LedgerExport | undefined> {
    return (await this.#read('AND unit = $2', [unit]))[0];
  }

  async all(): Promise<LedgerExport[]> {
    return this.#read('', []);
  }

  async #read(condition: string, values: readonly string[]): Promise<LedgerExport[]> {
    const rows = await this.#pool.rows<RowOf<LedgerExport>>(
      `SELECT unit, data_export_id, store, format, prefix, status, requested_at, run_id
       FROM ${this.#table} WHERE project = $1 ${condition} ORDER BY requested_at, unit`,
      [this.#project, ...values],
    );
    return rows.map((row) => ({ ...row, requested_at: row.requested_at.toISOString() }));
  }
}
