import { ident } from '../../../core/duckdb/duckdb.ts';
import type { LedgerRow, LedgerWrite, SqlDatabase } from '../sql-database.ts';
import type { PostgresPool } from './postgres-pool.ts';

/** One project of a shared ledger. */
export interface LedgerProject {
  readonly schema: string;
  readonly project: string;
}

/** The tables of a shared ledger: every row has its project. */
export class PostgresDatabase implements SqlDatabase {
  readonly write: LedgerWrite;
  readonly project: string;
  readonly own = 'project = $1';
  readonly owner: LedgerRow;
  readonly forUpdate = 'FOR UPDATE';
  readonly binary = 'COLLATE "C"';
  readonly mostRows = 500;
  readonly #pool: PostgresPool;
  readonly #schema: string;

  constructor(pool: PostgresPool, { schema, project }: LedgerProject, write: LedgerWrite) {
    this.#pool = pool;
    this.#schema = schema;
    this.project = project;
    this.owner = { project };
    this.write = write;
  }

  table(name: string): string {
    return `${ident(this.#schema)}.${ident(name)}`;
  }

  key(column: string): string {
    return `(project, ${column})`;
  }

  rows<R = LedgerRow>(sql: string, values: readonly unknown[] = []): Promise<R[]> {
    return this.#pool.rows<R>(sql, values);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool[Symbol.asyncDispose]();
  }
}
