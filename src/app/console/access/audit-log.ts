import { z } from 'zod';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { ConsoleTable } from './console-database.ts';

/** An action of a person, and its end. */
export const AuditEntry = z.object({
  id: z.number(),
  /** ISO 8601, UTC. */
  began_at: z.string(),
  subject: z.string(),
  /** The command line in shell syntax. */
  command: z.string(),
  /** Null while it is running, or if the console ended first. */
  ended_at: z.string().nullable(),
  /** The exit code, or the signal that ended it. */
  outcome: z.string().nullable(),
  message: z.string().nullable(),
  run_id: z.string().nullable(),
});
export type AuditEntry = Typed<typeof AuditEntry>;

export type AuditEnd = Pick<AuditEntry, 'outcome' | 'message' | 'run_id'>;

/** Every action of the console, written before it starts and again at its end. Entries are never removed. */
export class Audit extends ConsoleTable {
  /** @returns the id of the entry */
  begin(subject: string, command: string): number {
    const { lastInsertRowid } = this.database
      .prepare('INSERT INTO audit (began_at, subject, command) VALUES (?, ?, ?)')
      .run(this.#time(), subject, command);
    return Number(lastInsertRowid);
  }

  end(id: number, { outcome, message, run_id }: AuditEnd): void {
    this.database
      .prepare('UPDATE audit SET ended_at = ?, outcome = ?, message = ?, run_id = ? WHERE id = ?')
      .run(this.#time(), outcome, message, run_id, id);
  }

  find(id: number): AuditEntry | null {
    const row = this.database.prepare('SELECT * FROM audit WHERE id = ?').get(id);
    return row === undefined ? null : AuditEntry.parse(row);
  }

  count(): number {
    return Number(this.database.prepare('SELECT count(*) AS entries FROM audit').get()?.entries);
  }

  /** Returns the newest entries first. */
  list(most: number, from = 0): readonly AuditEntry[] {
    const rows = this.database
      .prepare('SELECT * FROM audit ORDER BY id DESC LIMIT ? OFFSET ?')
      .all(most, from);
    return rows.map((row) => AuditEntry.parse(row));
  }

  #time(): string {
    return new Date(this.now()).toISOString();
  }
}
