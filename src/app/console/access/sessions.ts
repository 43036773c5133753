import { z } from 'zod';
import { type Typed, typedRows } from '../../../core/text/typed-rows.ts';
import { ConsoleTable, hashOf, newKey } from './console-database.ts';

/** A session lasts 12 hours. */
export const SESSION_SECONDS = 12 * 3600;

export class Sessions extends ConsoleTable {
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
    // Another version of the program may have written a role that this one does not know.
    const isKnown = row !== undefined && ROLES.some((role) => role === row.role);
    return typedRows(SignedIn, isKnown ? [row] : [])[0] ?? null;
  }

  end(key: string): void {
    this.database.prepare('DELETE FROM sessions WHERE key_sha256 = ?').run(hashOf(key));
  }
}

/** What a person may do, from the lowest. Each role may also do what the roles before it may. */
export const ROLES = ['viewer', 'analyst', 'operator', 'owner'] as const;
const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;

export function hasRole(person: { readonly role: Role }, lowest: Role): boolean {
  return ROLES.indexOf(person.role) >= ROLES.indexOf(lowest);
}

export const SignedIn = z.strictObject({
  subject: z.string(),
  role: Role,
  /** A token that every form with changes sends back. */
  csrf: z.string(),
});
export type SignedIn = Typed<typeof SignedIn>;
