import { ident } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { host } from '../../../core/host/host.ts';
import type { PostgresAddress } from '../../../core/net/postgres-address.ts';
import { describeLeaseHolder, holderOf, Lease } from './lease.ts';
import { PATIENT, type PostgresPool } from './postgres-pool.ts';
import { openShared } from './postgres-schema.ts';

const SCHEDULER = 'scheduler';
/** In the facts of the project. */
const STATE = 'schedules';
const LOOK_MS = 1_000;

/** The right of one process to fire the schedules of a project, on whatever machine it is. Their state is there too. */
export class SchedulerLease implements AsyncDisposable {
  readonly #pool: PostgresPool;
  readonly #address: PostgresAddress;
  readonly #lease: Lease;

  private constructor(pool: PostgresPool, address: PostgresAddress, lease: Lease) {
    this.#pool = pool;
    this.#address = address;
    this.#lease = lease;
  }

  /** @param onWait called once, with the holder that this process waits for; undefined: it does not wait */
  static async take(
    address: PostgresAddress,
    stateDir: string,
    onWait: ((holder: string) => void) | undefined,
    signal: AbortSignal,
  ): Promise<SchedulerLease> {
    return await openShared(address, PATIENT, signal, async (pool) => {
      const holder = holderOf('crawlhouse schedule', stateDir);
      for (let looks = 0; ; looks++) {
        const taken = await Lease.try(pool, { ...address, name: SCHEDULER }, holder);
        if (taken instanceof Lease) return new SchedulerLease(pool, address, taken);
        const other = describeLeaseHolder(taken.holder);
        if (onWait === undefined) {
          throw new CrawlhouseError('locked', `the schedules of ${address.project} are run by ${other}`, {
            hint: 'stop that process, or leave the schedules to it',
          });
        }
        if (looks === 0) onWait(other);
        await host().sleep(LOOK_MS, signal);
      }
    });
  }

  /** Aborts with `lease_lost` once another process has taken over. */
  get lost(): AbortSignal {
    return this.#lease.lost;
  }

  /** The stored state of the project's schedulers; null at first. */
  async readState(): Promise<string | null> {
    const [row] = await this.#pool.rows<{ value: string }>(
      `SELECT value FROM ${this.#facts} WHERE project = $1 AND name = $2`,
      [this.#address.project, STATE],
    );
    return row?.value ?? null;
  }

  /** @throws CrawlhouseError `lease_lost` */
  async writeState(text: string): Promise<void> {
    await this.#pool.transaction(async (statements) => {
      await this.#lease.fence(statements);
      await statements.rows(
        `INSERT INTO ${this.#facts} (project, name, value) VALUES ($1, $2, $3)
         ON CONFLICT (project, name) DO UPDATE SET value = excluded.value`,
        [this.#address.project, STATE, text],
      );
    });
  }

  get #facts(): string {
    return `${ident(this.#address.schema)}.facts`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lease[Symbol.asyncDispose]();
    await this.#pool[Symbol.asyncDispose]();
  }
}
