import type { SlotSource } from '../../../client/http/rate-limit.ts';
import type { PostgresAddress } from '../../../core/net/postgres-address.ts';
import type { Ledger } from './ledger.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { UnitQueue } from './unit-queue.ts';

/** A ledger shared by several machines. An installation may lack `postgres/`, which provides it. */
export interface SharedLedgerPart {
  /** @throws CrawlhouseError `newer_version`, `locked`, `bad_settings`, `ledger_unavailable` */
  openLedger(
    address: PostgresAddress,
    place: { readonly command: string; readonly stateDir: string },
    signal: AbortSignal,
  ): Promise<Ledger>;
  /** Reads the ledger; undefined if there is none yet. */
  readLedger(address: PostgresAddress): Promise<Ledger | undefined>;
  /** @param worker names this process to people */
  openQueue(address: PostgresAddress, worker: string, signal: AbortSignal): Promise<UnitQueue>;
  /** Opens the request slots of one account of the service. */
  openSlots(address: PostgresAddress, account: string): Promise<SlotSource>;
  takeSchedulerLease(
    address: PostgresAddress,
    stateDir: string,
    onWait: ((holder: string) => void) | undefined,
    signal: AbortSignal,
  ): Promise<SchedulerLease>;
  /** Opens the tables of a project for writes that do not need the lease of a run. */
  openTables(address: PostgresAddress): SharedTables;
  /** Returns whether the tables exist. */
  hasTables(address: PostgresAddress): Promise<boolean>;
}

/** The right of one process to fire the schedules of a project, on any machine. It also stores their state. */
export interface SchedulerLease extends AsyncDisposable {
  /** Aborts with `lease_lost` once another process has taken over. */
  readonly lost: AbortSignal;
  /** Returns the stored state of the project's schedulers; null at first. */
  readState(): Promise<string | null>;
  /** @throws CrawlhouseError `lease_lost` */
  writeState(text: string): Promise<void>;
}

interface SharedTables {
  readonly database: SqlDatabase;
  /**
   * Returns the lease of this name; undefined while another process has it.
   *
   * @param command shown to the processes that are refused
   */
  lease(name: string, command: string, stateDir: string): Promise<AsyncDisposable | undefined>;
}
