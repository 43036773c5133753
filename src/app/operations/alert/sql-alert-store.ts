import { z } from 'zod';
import { tryLockState } from '../../../core/locks/state-lock.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import {
  deleteRows,
  insertRows,
  type LedgerStatements,
  ofJson,
  type SqlDatabase,
} from '../../../etl/state/ledger/sql-database.ts';
import type { Alert } from './alert.ts';
import type { OpenIncident } from './incident.ts';

const IncidentRow = z.strictObject({ incident: z.string() });

const OutboxRow = z.strictObject({ id: z.unknown(), target: z.string(), alert: z.string() });

interface Undelivered {
  readonly id: number;
  readonly target: string;
  readonly alert: Alert;
}

interface AlertChange {
  readonly opened: readonly OpenIncident[];
  /** Keys of incidents. */
  readonly closed: readonly string[];
  readonly alerts: readonly Omit<Undelivered, 'id'>[];
}

/** The open incidents with sent alerts, and the undelivered alerts. */
export class AlertStore implements AsyncDisposable {
  readonly #database: SqlDatabase;
  readonly #folder: string;
  readonly #withLease: AlertStore['deliverAlone'];

  /**
   * @param folder whose lock one process of this machine holds while it delivers
   * @param withLease delivers, unless another machine does
   */
  constructor(
    database: SqlDatabase,
    folder: string,
    withLease: AlertStore['deliverAlone'] = (deliver) => deliver(),
  ) {
    this.#database = database;
    this.#folder = folder;
    this.#withLease = withLease;
  }

  incidents(): Promise<OpenIncident[]> {
    return this.#incidents(this.#database);
  }

  async #incidents(statements: LedgerStatements): Promise<OpenIncident[]> {
    const { project, own } = this.#database;
    const rows = typedRows(
      IncidentRow,
      await statements.rows(
        `SELECT CAST(incident AS text) AS incident FROM ${this.#database.table('incidents')} WHERE ${own} ORDER BY key`,
        [project],
      ),
    );
    return rows.map(({ incident }) => ofJson<OpenIncident>(incident));
  }

  /** Applies a change in one exclusive transaction. */
  async change(plan: (open: readonly OpenIncident[]) => AlertChange): Promise<void> {
    const database = this.#database;
    await database.write(async (statements) => {
      const { opened, closed, alerts } = plan(await this.#incidents(statements));
      await insertRows(database, statements, 'incidents', {
        rows: opened.map((incident) => ({ key: incident.key, incident: JSON.stringify(incident) })),
        conflict: `ON CONFLICT ${database.key('key')} DO UPDATE SET incident = excluded.incident`,
      });
      await deleteRows(database, statements, { from: 'incidents', column: 'key', keys: closed });
      const rows = alerts.map(({ target, alert }) => ({ target, alert: JSON.stringify(alert) }));
      await insertRows(database, statements, 'outbox', { rows });
    });
  }

  /** Returns undelivered alerts, oldest first. */
  async undelivered(): Promise<Undelivered[]> {
    const { project, own } = this.#database;
    const rows = typedRows(
      OutboxRow,
      await this.#database.rows(
        `SELECT id, target, CAST(alert AS text) AS alert FROM ${this.#database.table('outbox')} WHERE ${own} ORDER BY id`,
        [project],
      ),
    );
    return rows.map(({ id, target, alert }) => ({ id: Number(id), target, alert: ofJson<Alert>(alert) }));
  }

  async delivered(id: number): Promise<void> {
    const { project, own } = this.#database;
    await this.#database.write((statements) =>
      statements.rows(`DELETE FROM ${this.#database.table('outbox')} WHERE ${own} AND id = $2`, [
        project,
        id,
      ]),
    );
  }

  /**
   * Runs `deliver` unless another process is delivering, because two processes would deliver an alert twice. The other
   * process, or the next run, delivers the rest.
   */
  async deliverAlone(deliver: () => Promise<void>): Promise<void> {
    const lock = tryLockState(this.#folder, 'delivery of alerts', false);
    if ('holder' in lock) return;
    using _held = lock;
    await this.#withLease(deliver);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]();
  }
}
