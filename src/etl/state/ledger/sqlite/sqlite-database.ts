import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { LedgerRow, LedgerStatements, SqlDatabase } from '../sql-database.ts';

/** Number of statements kept prepared. */
const MOST_PREPARED = 100;

/** An SQLite file of one project. Its tables need no project column. */
export class SqliteDatabase implements SqlDatabase {
  readonly project = '';
  readonly own = `$1 = ''`;
  readonly owner = {};
  readonly forUpdate = '';
  readonly binary = '';
  readonly mostRows = 1;
  /** For migrations and pragmas, before the first statement. */
  readonly file: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(file: DatabaseSync) {
    this.file = file;
  }

  table(name: string): string {
    return name;
  }

  key(column: string): string {
    return `(${column})`;
  }

  rows<R = LedgerRow>(sql: string, values: readonly unknown[] = []): Promise<R[]> {
    return this.#alone(async () => this.#run<R>(sql, values));
  }

  write = <T>(work: (statements: LedgerStatements) => Promise<T>): Promise<T> =>
    this.#alone(async () => {
      this.file.exec('BEGIN IMMEDIATE');
      try {
        const result = await work({ rows: async (sql, values = []) => this.#run(sql, values) });
        this.file.exec('COMMIT');
        return result;
      } catch (error) {
        if (this.file.isTransaction) this.file.exec('ROLLBACK');
        throw error;
      }
    });

  /** Runs one task at a time, because the connection can have only one transaction at a time. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    // The awaiting caller reports the error.
    this.#turn = done.catch(() => {});
    return done;
  }

  #run<R>(sql: string, values: readonly unknown[]): R[] {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.file.prepare(sql);
      if (this.#prepared.size < MOST_PREPARED) this.#prepared.set(sql, statement);
    }
    const named: Record<string, SQLInputValue> = {};
    for (const [place, value] of values.entries()) named[`$${place + 1}`] = value as SQLInputValue;
    return statement.all(named) as R[];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turn;
    this.#prepared.clear();
    this.file.close();
  }
}
