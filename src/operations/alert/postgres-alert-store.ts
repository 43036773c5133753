import { join } from 'node:path';
import { ident } from '../../core/duckdb.ts';
import type { PostgresAddress } from '../../core/postgres-address.ts';
import { tryLockState } from '../../core/state-lock.ts';
import { holderOf, Lease } from '../../state/ledger/postgres/lease.ts';
import { BRIEF, PostgresPool } from '../../state/ledger/postgres/postgres-pool.ts';
import { migrateSharedLedger, sharedVersion } from '../../state/ledger/postgres/postgres-schema.ts';
import type { Alert } from './alert.ts';
import type { AlertChange, AlertStore, Undelivered } from './alert-store.ts';
import type { OpenIncident } from './incident.ts';

const DELIVERY = 'alerts';

/** The alerts of one project of a shared ledger. */
export class PostgresAlertStore implements AlertStore {
  readonly #pool: PostgresPool;
  readonly #address: PostgresAddress;
  readonly #stateDir: string;

  constructor(address: PostgresAddress, stateDir: string) {
    this.#pool = new PostgresPool(address, BRIEF, new AbortController().signal);
    this.#address = address;
    this.#stateDir = stateDir;
  }

  /** Has a run made the ledger yet? */
  async exists(): Promise<boolean> {
    return (await sharedVersion(this.#pool, this.#address.schema)) !== null;
  }

  async incidents(): Promise<OpenIncident[]> {
    const rows = await this.#pool.rows<{ incident: OpenIncident }>(
      `SELECT incident FROM ${this.#table('incidents')} WHERE project = $1 ORDER BY key`,
      [this.#address.project],
    );
    return rows.map(({ incident }) => incident);
  }

  async change(plan: (open: readonly OpenIncident[]) => AlertChange): Promise<void> {
    const { project, schema } = this.#address;
    await this.#pool.transaction(async (statements) => {
      // A run that fails before it opens the ledger has alerts too.
      await migrateSharedLedger(statements, schema);
      await statements.rows('SELECT pg_advisory_xact_lock(hashtext($1), hashtext($2))', [schema, project]);
      const rows = await statements.rows<{ incident: OpenIncident }>(
        `SELECT incident FROM ${this.#table('incidents')} WHERE project = $1 ORDER BY key`,
        [project],
      );
      const { opened, closed, alerts } = plan(rows.map(({ incident }) => incident));
      await statements.rows(
        `INSERT INTO ${this.#table('incidents')}
         SELECT $1, incident ->> 'key', incident FROM unnest($2::json[]) AS given (incident)
         ON CONFLICT (project, key) DO UPDATE SET incident = excluded.incident`,
        [project, opened.map((one) => JSON.stringify(one))],
      );
      await statements.rows(`DELETE FROM ${this.#table('incidents')} WHERE project = $1 AND key = ANY ($2)`, [
        project,
        closed,
      ]);
      await statements.rows(
        `INSERT INTO ${this.#table('outbox')} (project, target, alert)
         SELECT $1, target, alert FROM unnest($2::text[], $3::json[]) WITH ORDINALITY AS given (target, alert, place)
         ORDER BY place`,
        [project, alerts.map(({ target }) => target), alerts.map(({ alert }) => JSON.stringify(alert))],
      );
    });
  }

  async undelivered(): Promise<Undelivered[]> {
    const rows = await this.#pool.rows<{ id: string; target: string; alert: Alert }>(
      `SELECT id, target, alert FROM ${this.#table('outbox')} WHERE project = $1 ORDER BY id`,
      [this.#address.project],
    );
    return rows.map((row) => ({ ...row, id: Number(row.id) }));
  }

  async delivered(id: number): Promise<void> {
    await this.#pool.transaction((statements) =>
      statements.rows(`DELETE FROM ${this.#table('outbox')} WHERE project = $1 AND id = $2`, [
        this.#address.project,
        id,
      ]),
    );
  }

  async deliverAlone(deliver: () => Promise<void>): Promise<void> {
    const lock = tryLockState(join(this.#stateDir, 'alerts'), 'delivery of alerts', false);
    if ('holder' in lock) return;
    using _lock = lock;
    const holder = await holderOf('delivery of alerts', this.#stateDir);
    const lease = await Lease.try(this.#pool, { ...this.#address, name: DELIVERY }, holder);
    if (!(lease instanceof Lease)) return;
    await using _lease = lease;
    await deliver();
  }

  #table(name: string): string {
    return `${ident(this.#address.schema)}.${ident(name)}`;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool[Symbol.asyncDispose]();
  }
}
