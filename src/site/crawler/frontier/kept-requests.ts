import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { type Typed, typedRows } from '../../../core/text/typed-rows.ts';
import type { DeclaredAs, RequestRecord } from '../records/request-record.ts';

export const REQUESTS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS files (
    kind TEXT NOT NULL, url TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (kind, url)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS asked (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, is_recheck INTEGER NOT NULL, source TEXT, declared_as TEXT,
    hop INTEGER NOT NULL, record TEXT) STRICT;`;

/** A URL that is requested after the pages are fetched. */
export const RequestedUrl = z.strictObject({
  id: z.number(),
  url: z.string(),
  /** Redirects that led here. */
  hop: z.number(),
});
export type RequestedUrl = Typed<typeof RequestedUrl>;

/** A URL that a page declares, or that another request redirects to. */
export interface DeclaredTarget {
  readonly url: string;
  readonly source: string;
  readonly as: DeclaredAs;
  readonly hop: number;
}

/** The requests of a crawl that are not for pages, in the frontier's file, with their results. */
export class KeptRequests {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Stores the result of a request for a robots.txt or a sitemap. It replaces an earlier result. */
  putFile(record: RequestRecord): void {
    this.#run(
      'INSERT OR REPLACE INTO files VALUES (?, ?, ?)',
      record.kind,
      record.url,
      JSON.stringify(record),
    );
  }

  removeSitemaps(): void {
    this.#run("DELETE FROM files WHERE kind = 'sitemap'");
  }

  /** @param source the sitemap that lists it, if one does */
  addRecheck(url: string, source: string | null = null): void {
    this.#run(
      `INSERT INTO asked (url, is_recheck, source, hop) VALUES (?, 1, ?, 0)
       ON CONFLICT (url) DO UPDATE SET is_recheck = 1`,
      url,
      source,
    );
  }

  /** Adds a target. A URL is requested only once, and its first declaration counts. */
  addTarget({ url, source, as, hop }: DeclaredTarget): void {
    this.#run(
      `INSERT INTO asked (url, is_recheck, source, declared_as, hop) VALUES (?, 0, ?, ?, ?)
       ON CONFLICT (url) DO UPDATE SET declared_as = coalesce(declared_as, excluded.declared_as),
         source = CASE WHEN declared_as IS NULL THEN excluded.source ELSE source END`,
      url,
      source,
      as,
      hop,
    );
  }

  /** Requests without a response after an id, in order. */
  open(id: number, most: number): readonly RequestedUrl[] {
    const sql = 'SELECT id, url, hop FROM asked WHERE record IS NULL AND id > ? ORDER BY id LIMIT ?';
    return typedRows(RequestedUrl, this.#database.prepare(sql).all(id, most));
  }

  /** Returns the number of requested URLs, and of those with a response. */
  counts(): { readonly asked: number; readonly answered: number } {
    const row = this.#database
      .prepare('SELECT count(*) AS asked, count(record) AS answered FROM asked')
      .get();
    return { asked: Number(row?.asked), answered: Number(row?.answered) };
  }

  answer({ id }: RequestedUrl, record: Omit<RequestRecord, 'kind' | 'source_url' | 'declared_as'>): void {
    this.#run('UPDATE asked SET record = ? WHERE id = ?', JSON.stringify(record), id);
  }

  /** Returns the records as lines of JSON. A URL that was requested for two reasons has two. */
  *records(): Generator<string> {
    for (const row of this.#database.prepare('SELECT record FROM files ORDER BY kind, url').iterate())
      yield `${String(row.record)}\n`;
    const sql = `SELECT json_patch(record, json_object('kind', kind, 'source_url', source, 'declared_as', as_what)) AS record
      FROM (
        SELECT id, record, 'recheck' AS kind, CASE WHEN declared_as IS NULL THEN source END AS source, NULL AS as_what
        FROM asked WHERE is_recheck = 1
        UNION ALL SELECT id, record, 'target', source, declared_as FROM asked WHERE declared_as IS NOT NULL
      ) WHERE record IS NOT NULL ORDER BY kind, id`;
    for (const row of this.#database.prepare(sql).iterate()) yield `${String(row.record)}\n`;
  }

  #run(sql: string, ...values: readonly (string | number | null)[]): void {
    this.#database.prepare(sql).run(...values);
  }
}
