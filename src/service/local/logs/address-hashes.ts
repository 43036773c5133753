import { createHmac, randomBytes } from 'node:crypto';
import type { Connection } from '../../../core/duckdb/duckdb.ts';
import type { LogTables } from './log-tables.ts';

const DAY = 86_400;
/** Days after which a salt is forgotten: what has its hashes can then be traced to no address. */
const KEPT_DAYS = 30;
/** Addresses whose hashes are remembered. */
const MOST = 100_000;
const DIGITS = 16;

/** Hashes of addresses, with a random salt for each day: the same address has another one tomorrow. */
export class AddressHashes {
  readonly #tables: LogTables;
  /** By days since 1970. */
  readonly #salts = new Map<number, string>();
  readonly #hashes = new Map<string, string>();

  private constructor(tables: LogTables) {
    this.#tables = tables;
  }

  static async read(connection: Connection, tables: LogTables): Promise<AddressHashes> {
    const hashes = new AddressHashes(tables);
    const sql = `SELECT date_diff('day', DATE '1970-01-01', day) AS day, salt FROM ${tables.salts}`;
    for (const { day, salt } of await connection.rows(sql)) hashes.#salts.set(Number(day), String(salt));
    return hashes;
  }

  of(address: string, second: number): string {
    const day = Math.floor(second / DAY);
    const key = `${day} ${address}`;
    const known = this.#hashes.get(key);
    if (known !== undefined) return known;
    const salt = this.#salts.get(day) ?? randomBytes(16).toString('hex');
    this.#salts.set(day, salt);
    const hash = createHmac('sha256', salt).update(address).digest('hex').slice(0, DIGITS);
    if (this.#hashes.size >= MOST) this.#hashes.clear();
    this.#hashes.set(key, hash);
    return hash;
  }

  /** @param now UTC milliseconds */
  async write(connection: Connection, now: number): Promise<void> {
    const oldest = Math.floor(now / 1000 / DAY) - KEPT_DAYS;
    for (const day of this.#salts.keys()) if (day < oldest) this.#salts.delete(day);
    await connection.run(`DELETE FROM ${this.#tables.salts}`);
    const rows = [...this.#salts].map(([day, salt]) => ({ day, salt }));
    await connection.run(
      `INSERT INTO ${this.#tables.salts} SELECT DATE '1970-01-01' + one.day, one.salt
        FROM (SELECT unnest(from_json(?::JSON, '[{"day": "INTEGER", "salt": "VARCHAR"}]')) AS one)`,
      [JSON.stringify(rows)],
    );
  }
}
