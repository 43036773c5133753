import { z } from 'zod';
import { ident } from '../../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { host } from '../../../../core/host/host.ts';
import type { PostgresAddress } from '../../../../core/net/postgres-address.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';
import type { SchedulerLease } from '../shared-ledger.ts';
import { describeLeaseHolder, holderOf, Lease } from './lease.ts';
import { PATIENT, type PostgresPool } from './postgres-pool.ts';
import { openShared } from './postgres-schema.ts';

const StateRow = z.strictObject({ value: z.string() });

const SCHEDULER = 'scheduler';
/** The key in the facts of the project. */
const STATE = 'schedules';
const LOOK_MS = 1_000;

/** @param onWait called once, with the holder that this process waits for; undefined if it does not wait */
export function takePostgresSchedulerLease(
  address: PostgresAddress,
  stateDir: string,
  onWait: ((holder: string) => void) | undefined,
  signal: AbortSignal,
): Promise<SchedulerLease> {
  return openShared(address, PATIENT, signal, async (pool) => {
    const holder = holderOf('crawlhouse schedule', stateDir);
    for (let looks = 0; ; looks++) {
      const taken = await Lease.try(pool, { ...address, name: SCHEDULER }, holder);
      if (taken instanceof Lease) return new PostgresSchedulerLease(pool, address, taken);
      const other = describeLeaseHolder(taken.holder);
      if (onWait === undefined) {
        throw new CrawlhouseError('locked', `the schedules of ${address.project} are run by ${other}`, {
          hint: 'stop that process, or let it run the schedules',
        });
      }
      if (looks === 0) onWait(other);
      await host().sleep(LOOK_MS, signal);
    }
  });
}

class PostgresSchedulerLease implements SchedulerLease {
  readonly #pool: PostgresPool;
  readonly #address: PostgresAddress;
  readonly #lease: Lease;

  constructor(pool: PostgresPool, address: PostgresAddress, lease: Lease) {
    this.#pool = pool;
    this.#address = address;
    this.#lease = lease;
  }

  get lost(): AbortSignal {
    return this.#lease.lost;
  }

  async readState(): Promise<string | null> {
    const [row] = typedRows(
      StateRow,
      await this.#pool.rows(`SELECT value FROM ${this.#facts} WHERE project = $1 AND name = $2`, [
        this.#address.project,
        STATE,
      ]),
    );
    return row?.value ?? null;
  }

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
