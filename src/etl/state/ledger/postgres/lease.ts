import { z } from 'zod';
import { ident } from '../../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { makePrivateFolder } from '../../../../core/files/private-files.ts';
import { host, timestamp } from '../../../../core/host/host.ts';
import { type Typed, typedRows } from '../../../../core/text/typed-rows.ts';
import type { LedgerStatements } from '../sql-database.ts';
import type { PostgresPool } from './postgres-pool.ts';

const TakenLease = z.strictObject({ token: z.string() });

/** A holder without a heartbeat for this time loses its lease to the next process that requests it. */
const LEASE_MS = 30_000;
const HEARTBEAT_MS = 10_000;
const LOOK_MS = 250;

/**
 * The holder of a lease. `place` distinguishes a state directory from its copies and from directories on other
 * machines.
 */
export const LeaseHolder = z.strictObject({
  command: z.string(),
  pid: z.number(),
  host: z.string(),
  place: z.string(),
  /** ISO 8601, UTC. */
  since: z.string(),
});
export type LeaseHolder = Typed<typeof LeaseHolder>;

const HeldLease = z.strictObject({ holder: LeaseHolder, until: z.string() });

/** Returns this process as a holder. */
export function holderOf(command: string, stateDir: string): LeaseHolder {
  makePrivateFolder(stateDir);
  // Nothing inside the folder, because a copy would contain the same. A folder keeps its number as long as it exists.
  const { dev, ino } = host().files.statSync(stateDir, { bigint: true });
  const place = `${host().processScope()}-${dev}-${ino}`;
  return { command, pid: host().pid, host: host().hostname, place, since: timestamp() };
}

export function describeLeaseHolder({ command, pid, host, since }: LeaseHolder): string {
  return `${command} (process ${pid} on ${host}, since ${since})`;
}

export interface LeaseName {
  readonly schema: string;
  readonly project: string;
  readonly name: string;
}

/**
 * The right to write, as long as its holder sends heartbeats. Times are those of the server's clock. Each holder gets a
 * higher token, and each write checks the token, so a holder that was paused past its lease cannot write.
 */
export class Lease implements AsyncDisposable {
  readonly #pool: PostgresPool;
  readonly #name: LeaseName;
  readonly #heartbeat: Disposable;
  readonly #lost = new AbortController();
  readonly token: string;

  private constructor(pool: PostgresPool, name: LeaseName, token: string) {
    this.#pool = pool;
    this.#name = name;
    this.token = token;
    this.#heartbeat = host().every(HEARTBEAT_MS, () => {
      // The next heartbeat makes up for a failed one; a lost lease stays lost.
      this.#extend(LEASE_MS).catch(() => {});
    });
  }

  /** Aborts once the heartbeat or a write finds that another process has the lease. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Returns the lease, or its current holder. A process with the same place holds that place's lock, so the previous
   * process there is dead.
   */
  static async try(
    pool: PostgresPool,
    name: LeaseName,
    holder: LeaseHolder,
  ): Promise<Lease | { readonly holder: LeaseHolder; readonly until: number }> {
    const leases = tableOf(name);
    const values = [name.project, name.name];
    const found = await pool.transaction(async (statements) => {
      const [taken] = typedRows(
        TakenLease,
        await statements.rows(
          `INSERT INTO ${leases} (project, name, token, holder, until)
           VALUES ($1, $2, 1, $3, clock_timestamp() + $4 * interval '1 millisecond')
           ON CONFLICT (project, name) DO UPDATE
           SET token = leases.token + 1, holder = excluded.holder, until = excluded.until
           WHERE leases.until <= clock_timestamp() OR leases.holder ->> 'place' = $5
           RETURNING token::text`,
          [...values, JSON.stringify(holder), LEASE_MS, holder.place],
        ),
      );
      if (taken) return taken;
      // If the server's clock was set back, the lease would last that much longer. A live holder has time to renew it.
      await statements.rows(
        `UPDATE ${leases} SET until = clock_timestamp() + $3 * interval '1 millisecond'
         WHERE project = $1 AND name = $2 AND until > clock_timestamp() + $3 * interval '1 millisecond'`,
        [...values, LEASE_MS],
      );
      const [held] = typedRows(
        HeldLease,
        await statements.rows(`SELECT holder, until FROM ${leases} WHERE project = $1 AND name = $2`, values),
      );
      if (!held) throw new Error(`the lease ${name.name} is gone`);
      return { holder: held.holder, until: Date.parse(held.until) };
    });
    return 'token' in found ? new Lease(pool, name, found.token) : found;
  }

  /**
   * Waits for a holder that may be dead, and for no other one.
   *
   * @throws CrawlhouseError `locked` once the holder shows that it is alive
   */
  static async take(
    pool: PostgresPool,
    name: LeaseName,
    holder: LeaseHolder,
    signal: AbortSignal,
  ): Promise<Lease> {
    let first: number | undefined;
    for (;;) {
      const taken = await Lease.try(pool, name, holder);
      if (taken instanceof Lease) return taken;
      first = Math.min(first ?? taken.until, taken.until);
      if (taken.until > first) {
        const other = describeLeaseHolder(taken.holder);
        throw new CrawlhouseError(
          'locked',
          `the project ${name.project} of the ledger is in use by ${other}`,
        );
      }
      await host().sleep(LOOK_MS, signal);
    }
  }

  /**
   * Ties a transaction to this lease, so that no other process gets the lease before the transaction ends.
   *
   * @throws CrawlhouseError `lease_lost`
   */
  async fence(statements: LedgerStatements): Promise<void> {
    const [held] = await statements.rows(
      `SELECT 1 FROM ${tableOf(this.#name)} WHERE project = $1 AND name = $2 AND token = $3 FOR SHARE`,
      this.#values(),
    );
    if (!held) throw this.#lose();
  }

  #lose(): CrawlhouseError {
    const error = new CrawlhouseError('lease_lost', `another process has taken over ${this.#name.project}`);
    this.#lost.abort(error);
    return error;
  }

  async #extend(ms: number): Promise<void> {
    const [extended] = await this.#pool.transaction((statements) =>
      statements.rows(
        `UPDATE ${tableOf(this.#name)} SET until = clock_timestamp() + $4 * interval '1 millisecond'
         WHERE project = $1 AND name = $2 AND token = $3 RETURNING 1`,
        [...this.#values(), ms],
      ),
    );
    if (!extended) throw this.#lose();
  }

  #values(): readonly unknown[] {
    return [this.#name.project, this.#name.name, this.token];
  }

  /** Gives up the lease. If that fails, the lease expires. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#heartbeat[Symbol.dispose]();
    // The lease expires.
    await this.#extend(0).catch(() => {});
  }
}

function tableOf({ schema }: LeaseName): string {
  return `${ident(schema)}.leases`;
}
