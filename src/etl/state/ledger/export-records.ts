import { typedRows } from '../../../core/text/typed-rows.ts';
import { LedgerExport } from './ledger-facts.ts';
import { insertRows, type LedgerWrite, type SqlDatabase } from './sql-database.ts';

/** The data exports of the units' present attempts. */
export class ExportRecords {
  protected readonly database: SqlDatabase;
  readonly #write: LedgerWrite;

  /** @param write checks the right to write */
  constructor(database: SqlDatabase, write: LedgerWrite = database.write) {
    this.database = database;
    this.#write = write;
  }

  /** Records the data export of a unit's present attempt. */
  async putExport({ unit, ...rest }: LedgerExport): Promise<void> {
    const changes = Object.keys(rest).map((column) => `${column} = excluded.${column}`);
    const conflict = `ON CONFLICT ${this.database.key('unit')} DO UPDATE SET ${changes.join(', ')}`;
    await this.#write((statements) =>
      insertRows(this.database, statements, 'exports', { rows: [{ unit, ...rest }], conflict }),
    );
  }

  /** Assigns to a run the data export that an earlier run requested. */
  async claimExport(unit: string, runId: string): Promise<void> {
    await this.#set(unit, 'run_id', runId);
  }

  async setExportStatus(unit: string, status: string): Promise<void> {
    await this.#set(unit, 'status', status);
  }

  async #set(unit: string, column: 'run_id' | 'status', value: string): Promise<void> {
    const { project, own } = this.database;
    await this.#write((statements) =>
      statements.rows(
        `UPDATE ${this.database.table('exports')} SET ${column} = $3 WHERE ${own} AND unit = $2`,
        [project, unit, value],
      ),
    );
  }

  async exportOf(unit: string): Promise<LedgerExport | undefined> {
    return (await this.#read('AND unit = $2', [unit]))[0];
  }

  exports(): Promise<readonly LedgerExport[]> {
    return this.#read('', []);
  }

  async #read(condition: string, values: readonly string[]): Promise<readonly LedgerExport[]> {
    const { project, own } = this.database;
    return typedRows(
      LedgerExport,
      await this.database.rows(
        `SELECT unit, data_export_id, store, format, prefix, status, requested_at, run_id
         FROM ${this.database.table('exports')} WHERE ${own} ${condition} ORDER BY requested_at, unit`,
        [project, ...values],
      ),
    );
  }
}
