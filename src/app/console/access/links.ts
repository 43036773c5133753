import { ConsoleTable, hashOf, newKey } from './console-database.ts';

const LASTS_MS = 10 * 60_000;

/** One-time links, with which users of the state directory sign in. */
export class Links extends ConsoleTable {
  /** Makes a link to a console, which works once within ten minutes. */
  make(url: string): string {
    const key = newKey();
    this.database.prepare('DELETE FROM links WHERE ends_at <= ?').run(this.now());
    this.database.prepare('INSERT INTO links VALUES (?, ?)').run(hashOf(key), this.now() + LASTS_MS);
    return `${url}/sign-in?key=${key}`;
  }

  /** Uses up a key. @returns whether it was valid */
  use(key: string): boolean {
    const { changes } = this.database
      .prepare('DELETE FROM links WHERE key_sha256 = ? AND ends_at > ?')
      .run(hashOf(key), this.now());
    return changes === 1;
  }

  /** Registers a listening console, so that another process can make a link to it; disposing it ends that. */
  announce(url: string, takesLinks: boolean): Disposable {
    const forget = this.database.prepare('DELETE FROM servers WHERE url = ?');
    this.database.prepare('INSERT OR REPLACE INTO servers VALUES (?, ?)').run(url, takesLinks ? 1 : 0);
    return { [Symbol.dispose]: () => forget.run(url) };
  }

  /** Returns the console that started last. */
  announced(): { readonly url: string; readonly takesLinks: boolean } | null {
    const row = this.database
      .prepare('SELECT url, takes_links FROM servers ORDER BY rowid DESC LIMIT 1')
      .get();
    return row === undefined ? null : { url: String(row.url), takesLinks: row.takes_links === 1 };
  }
}
