import { z } from 'zod';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { ConsoleTable, hashOf, newKey } from './console-database.ts';

/** A link to the rows of one statement as CSV, for programs without a session. */
export const SharedLink = z.strictObject({
  id: z.number(),
  title: z.string(),
  /** The statement, as in an address of `/ask`. */
  query: z.string(),
  made_by: z.string(),
  /** ISO 8601, UTC. */
  made_at: z.string(),
  /** When it was last used; null: never. */
  used_at: z.string().nullable(),
});
export type SharedLink = Typed<typeof SharedLink>;

const COLUMNS = 'id, title, query, made_by, made_at, used_at';

/** Shared links. Their keys are stored as hashes, so reading the file does not allow using them. */
export class SharedLinks extends ConsoleTable {
  /** @returns the key, which exists nowhere else */
  make(subject: string, { title, query }: Pick<SharedLink, 'title' | 'query'>): string {
    const key = newKey();
    this.database
      .prepare('INSERT INTO shared_links (key_sha256, title, query, made_by, made_at) VALUES (?, ?, ?, ?, ?)')
      .run(hashOf(key), title, query, subject, this.#time());
    return key;
  }

  /** Finds a link by its key, and notes the use. */
  use(key: string): SharedLink | null {
    return (
      this.#rows(
        `UPDATE shared_links SET used_at = ? WHERE key_sha256 = ? RETURNING ${COLUMNS}`,
        this.#time(),
        hashOf(key),
      )[0] ?? null
    );
  }

  /** Returns the links, newest first. */
  list(): readonly SharedLink[] {
    return this.#rows(`SELECT ${COLUMNS} FROM shared_links ORDER BY id DESC`);
  }

  /** @returns whether the link existed */
  revoke(id: number): boolean {
    return this.database.prepare('DELETE FROM shared_links WHERE id = ?').run(id).changes === 1;
  }

  #rows(sql: string, ...values: string[]): readonly SharedLink[] {
    return this.database
      .prepare(sql)
      .all(...values)
      .map((row) => SharedLink.parse(row));
  }

  #time(): string {
    return new Date(this.now()).toISOString();
  }
}
