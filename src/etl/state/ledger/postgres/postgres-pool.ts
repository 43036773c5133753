import { readFileSync } from 'node:fs';
import { Pool, type PoolClient, type PoolConfig, types } from 'pg';
import { ident } from '../../../../core/duckdb/duckdb.ts';
import { CrawlhouseError, succeeds, toCrawlhouseError } from '../../../../core/errors/errors.ts';
import { host } from '../../../../core/host/host.ts';
import type { PostgresAddress } from '../../../../core/net/postgres-address.ts';
import { type RetryPolicy, retryDelay } from '../../../../core/time/retry.ts';
import type { LedgerRow, LedgerStatements, LedgerWrite, SqlDatabase } from '../sql-database.ts';

const CONNECTIONS = 4;
const CONNECT_MS = 5_000;
const STATEMENT_MS = 60_000;
/** Limit for a process that stops in a transaction, because others wait for its rows. */
const IDLE_MS = 10_000;
/** How long the server may be unavailable, for all statements of a pool together, and the waits between two tries. */
export interface Patience extends Pick<RetryPolicy, 'baseMs' | 'maxMs'> {
  readonly totalMs: number;
}

/** Covers a restart or a failover of the server. */
export const PATIENT: Patience = { totalMs: 90_000, baseMs: 200, maxMs: 10_000 };
/** The patience for a person who waits for a response. */
export const BRIEF: Patience = { totalMs: 2_000, baseMs: 200, maxMs: 1_000 };
/** A fault that follows this much time without faults is a new outage. */
const QUIET_MS = 30_000;
/** PostgreSQL codes: the table or its schema is missing. */
const NO_TABLE: readonly unknown[] = ['42P01', '3F000'];

/** The mark that each transaction leaves: one row per connection, in the table `commits`. */
interface Mark {
  readonly connection: string;
  readonly id: string;
}

/** Connections to a shared ledger. A statement that fails with its connection is retried on another one. */
export class PostgresPool implements AsyncDisposable {
  readonly #pool: Pool;
  readonly #address: PostgresAddress;
  readonly #patience: Patience;
  readonly #signal: AbortSignal;
  readonly #gone = new AbortController();
  readonly #connections = new WeakMap<PoolClient, string>();
  /** The first and the last fault since the server last answered. */
  #outage: { readonly since: number; last: number } | undefined;

  /**
   * @param signal once aborted, nothing is retried
   * @throws CrawlhouseError `bad_settings` when the file of the authority cannot be read
   */
  constructor(address: PostgresAddress, patience: Patience, signal: AbortSignal) {
    this.#address = address;
    this.#patience = patience;
    this.#signal = signal;
    const { port, database, user, password } = address;
    const config: PoolConfig = {
      host: address.host,
      port,
      database,
      user,
      password,
      ssl: tlsOf(address),
      application_name: 'crawlhouse',
      max: CONNECTIONS,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: STATEMENT_MS,
      idle_in_transaction_session_timeout: IDLE_MS,
      keepAlive: true,
      allowExitOnIdle: true,
      types: { getTypeParser: parserOf },
    };
    this.#pool = host().postgres?.(config) ?? new Pool(config);
    // A connection that breaks between two statements is replaced; one that breaks in a statement fails that statement.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  /** Aborts once the server has been unavailable for longer than the patience of the pool. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Returns the rows of one statement that changes nothing. */
  rows<R = LedgerRow>(sql: string, values: readonly unknown[] = []): Promise<R[]> {
    return this.#again(async () => (await this.#pool.query(sql, [...values])).rows as R[]);
  }

  /**
   * Runs statements in one transaction. Repeats the transaction after a connection fault, but never after a commit,
   * because a connection may break between the commit and its response. The server's transaction number would not show
   * a commit, because another transaction may have the same number after a crash of the server.
   */
  transaction<T>(work: (statements: LedgerStatements) => Promise<T>): Promise<T> {
    let done: { readonly result: T; readonly mark: Mark } | undefined;
    return this.#again(async () => {
      if (done && (await this.#isCommitted(done.mark))) return done.result;
      done = undefined;
      const client = await this.#pool.connect();
      let broken = true;
      try {
        const statements = statementsOf(client);
        await client.query('BEGIN');
        const result = await work(statements);
        done = { result, mark: await this.#mark(client) };
        await client.query('COMMIT');
        broken = false;
        return result;
      } catch (error) {
        broken = isTransient(error) || !(await succeeds(client.query('ROLLBACK')));
        throw error;
      } finally {
        client.release(broken);
      }
    });
  }

  async #mark(client: PoolClient): Promise<Mark> {
    let connection = this.#connections.get(client);
    if (connection === undefined) {
      connection = host().uuid();
      this.#connections.set(client, connection);
      // Marks of connections that no longer exist.
      await client.query(
        `DELETE FROM ${this.#commits} WHERE connection IN (
           SELECT connection FROM ${this.#commits} WHERE at < clock_timestamp() - interval '1 day'
           FOR UPDATE SKIP LOCKED)`,
      );
    }
    const id = host().uuid();
    await client.query(
      `INSERT INTO ${this.#commits} VALUES ($1, $2, clock_timestamp())
       ON CONFLICT (connection) DO UPDATE SET id = excluded.id, at = excluded.at`,
      [connection, id],
    );
    return { connection, id };
  }

  /** Waits for a transaction that the server has not ended. */
  async #isCommitted({ connection, id }: Mark): Promise<boolean> {
    try {
      const { rows } = await this.#pool.query<{ id: string | null }>(
        `INSERT INTO ${this.#commits} VALUES ($1, NULL, clock_timestamp())
         ON CONFLICT (connection) DO UPDATE SET at = excluded.at RETURNING id`,
        [connection],
      );
      return rows[0]?.id === id;
    } catch (error) {
      // The transaction would have created the table.
      if (NO_TABLE.includes((error as { code?: unknown }).code)) return false;
      throw error;
    }
  }

  get #commits(): string {
    return `${ident(this.#address.schema)}.commits`;
  }

  async #again<T>(attempt: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        const result = await attempt();
        this.#outage = undefined;
        return result;
      } catch (thrown) {
        const error = ledgerError(thrown, this.#address);
        if (error.code !== 'ledger_unavailable' || this.#signal.aborted) throw error;
        const left = this.#patienceLeft();
        if (left <= 0) {
          this.#gone.abort(error);
          throw error;
        }
        const { baseMs, maxMs } = this.#patience;
        const wait = retryDelay({ attempts: tries, baseMs, maxMs }, tries, undefined);
        await host()
          .sleep(Math.min(wait, left), this.#signal)
          .catch(() => {
            throw error;
          });
      }
    }
  }

  /** Returns the milliseconds of patience left in an outage, including the current fault. */
  #patienceLeft(): number {
    const now = host().monotonic();
    if (this.#outage === undefined || now - this.#outage.last > STATEMENT_MS + QUIET_MS)
      this.#outage = { since: now, last: now };
    this.#outage.last = now;
    return this.#outage.since + this.#patience.totalMs - now;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool.end();
  }
}

function statementsOf(client: PoolClient): LedgerStatements {
  return {
    rows: async <R>(sql: string, values: readonly unknown[] = []) =>
      (await client.query(sql, values.length === 0 ? undefined : [...values])).rows as R[],
  };
}

/** Times are ISO 8601 texts, as in SQLite. */
const parserOf: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') => {
  const parse = types.getTypeParser(oid, format as 'text');
  return oid === types.builtins.TIMESTAMPTZ ? (text: string) => (parse(text) as Date).toISOString() : parse;
};

/** `host` is the name that the certificate must contain; `pg` sets it for names only, not for IP addresses. */
function tlsOf({ tls, host, authority }: PostgresAddress): false | { host: string; ca?: string } {
  if (!tls) return false;
  if (authority === undefined) return { host };
  try {
    return { host, ca: readFileSync(authority, 'utf8') };
  } catch (cause) {
    throw new CrawlhouseError('bad_settings', `ledger: sslrootcert: cannot read ${authority}`, { cause });
  }
}

/** Node codes: the server cannot be reached, or the connection broke. */
const BROKEN: readonly unknown[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOTFOUND',
];
/** PostgreSQL codes: a connection exception, a shutdown or start, too many connections, a deadlock or conflict. */
const TRANSIENT = /^(08...|57P0[1-5]|53...|40001|40P01|25P03)$/;
/** Messages of `pg` that have no code. */
const CUT =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|not queryable/;
/** PostgreSQL codes: wrong user or password, a rule refuses this machine, or the database is missing. */
const ACCESS: readonly unknown[] = ['28P01', '28000', '3D000'];
const MISSING_RIGHT: readonly unknown[] = ['42501', '3F000'];
/** TLS codes. */
const TLS = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO/;

/** Returns whether another connection may soon succeed. */
function isTransient(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (BROKEN.includes(code)) return true;
  return TRANSIENT.test(String(code)) || (code === undefined && CUT.test(String(message)));
}

/** Converts an error of `pg` to a CrawlhouseError. */
function ledgerError(error: unknown, address: PostgresAddress): CrawlhouseError {
  if (error instanceof CrawlhouseError) return error;
  const { code, message } = error as { code?: unknown; message: string };
  const where = `the ledger at ${address.host}:${address.port}/${address.database}`;
  const refused = (what: string, hint: string): CrawlhouseError =>
    new CrawlhouseError('bad_settings', `${where}${what}: ${message}`, { cause: error, hint });
  if (isTransient(error)) {
    return new CrawlhouseError('ledger_unavailable', `${where} does not answer: ${message || code}`, {
      cause: error,
    });
  }
  if (ACCESS.includes(code))
    return refused(
      ` rejects ${address.user}`,
      'correct user, password and database of the setting ledger, or pg_hba.conf (docs/operate.md)',
    );
  if (MISSING_RIGHT.includes(code))
    return refused(
      `: ${address.user} lacks a right on the schema ${address.schema}`,
      'docs/operate.md has the statements that grant it',
    );
  if (TLS.test(String(code)) || /SSL|certificate/.test(message))
    return refused(
      ': no TLS connection',
      'the certificate must belong to this host; add sslrootcert=FILE for a private authority, or sslmode=disable for no TLS',
    );
  return toCrawlhouseError(error);
}

export interface LedgerProject {
  readonly schema: string;
  readonly project: string;
}

/** The tables of a shared ledger. Every row has its project. */
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
