import { ConsoleTable, hashOf, newKey } from './console-database.ts';

/** A session lasts 12 hours. */
export const SESSION_SECONDS = 12 * 3600;

export class Sessions extends ConsoleTable {
  /** Begins a session, and gives the key of its cookie. */
  begin(subject: string, role: Role): string {
    const key = newKey();
    this.database.prepare('DELETE FROM sessions WHERE ends_at <= ?').run(this.now());
    this.database
      .prepare('INSERT INTO sessions VALUES (?, ?, ?, ?, ?)')
      .run(hashOf(key), subject, role, newKey(), this.now() + SESSION_SECONDS * 1000);
    return key;
  }

  find(key: string): SignedIn | null {
    const row = this.database
      .prepare('SELECT subject, role, csrf FROM sessions WHERE key_sha256 = ? AND ends_at > ?')
      .get(hashOf(key), this.now());
    return row === undefined ? null : (row as unknown as SignedIn);
  }

  end(key: string): void {
    this.database.prepare('DELETE FROM sessions WHERE key_sha256 = ?').run(hashOf(key));
  }
}

/** What a person may do: read, or also start and drop things. */
export type Role = 'reader' | 'operator';

export interface SignedIn {
  readonly subject: string;
  readonly role: Role;
  /** Every form that changes something sends it back. */
  readonly csrf: string;
}
