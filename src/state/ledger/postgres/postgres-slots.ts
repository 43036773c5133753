import { ident } from '../../../core/duckdb/duckdb.ts';
import type { PostgresAddress } from '../../../core/net/postgres-address.ts';
import { BRIEF, PostgresPool } from './postgres-pool.ts';
import { migrateSharedLedger } from './postgres-schema.ts';

/** A next slot that lies further ahead was written by a clock that was wrong. */
const FURTHEST = '10 minutes';

/** The slots of requests with one account of the service, in a row of a shared ledger. */
export class PostgresSlots implements AsyncDisposable {
  readonly #pool: PostgresPool;
  readonly #table: string;
  readonly #account: string;

  private constructor(pool: PostgresPool, schema: string, account: string) {
    this.#pool = pool;
    this.#table = `${ident(schema)}.request_slots`;
    this.#account = account;
  }

  static async open(address: PostgresAddress, account: string): Promise<PostgresSlots> {
    const pool = new PostgresPool(address, BRIEF, new AbortController().signal);
    try {
      await pool.transaction((statements) => migrateSharedLedger(statements, address.schema));
      return new PostgresSlots(pool, address.schema, account);
    } catch (error) {
      await pool[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Reserves the next slots; milliseconds until the first. */
  async reserve(count: number, intervalMs: number): Promise<number> {
    const [row] = await this.#pool.transaction((statements) =>
      statements.rows<{ delay: number }>(
        `INSERT INTO ${this.#table} AS known (account, next_at)
         VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond')
         ON CONFLICT (account) DO UPDATE SET next_at = $2 * interval '1 millisecond' +
           CASE WHEN known.next_at BETWEEN clock_timestamp() AND clock_timestamp() + interval '${FURTHEST}'
             THEN known.next_at ELSE clock_timestamp() END
         RETURNING (extract(epoch FROM next_at - clock_timestamp()) * 1000 - $2)::double precision AS delay`,
        [this.#account, count * intervalMs],
      ),
    );
    return Math.max(0, row?.delay ?? 0);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool[Symbol.asyncDispose]();
  }
}
