import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { z } from 'zod';
import { FETCH_STATUSES, type FetchStatus } from '../../../client/resources/crawl-progress.ts';
import { keepVersion } from '../../../core/errors/newer-version.ts';
import { inTransaction, openSqlite } from '../../../core/locks/open-sqlite.ts';
import { type Typed, typedRows } from '../../../core/text/typed-rows.ts';
import type { SitemapRecord, VitalsRecord } from '../records/records.ts';
import { RobotsFile } from '../robots/robots.ts';
import { KeptRequests, REQUESTS_SCHEMA } from './kept-requests.ts';

/** In the folder of a crawl. */
const FRONTIER_FILE = 'frontier.sqlite';

/** Of these tables. A file of an earlier version has none. */
const VERSION = 1;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS urls (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, depth INTEGER, place INTEGER NOT NULL, source TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS queue (
    rank INTEGER PRIMARY KEY, id INTEGER NOT NULL, attempts INTEGER NOT NULL, is_done INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS queue_open ON queue (rank) WHERE is_done = 0;
  CREATE TABLE IF NOT EXISTS counts (
    depth INTEGER NOT NULL, status TEXT NOT NULL, urls INTEGER NOT NULL, PRIMARY KEY (depth, status)) STRICT;
  CREATE TABLE IF NOT EXISTS robots_files (
    origin TEXT PRIMARY KEY, status TEXT NOT NULL, content TEXT NOT NULL, read_at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS sitemap_urls (id INTEGER PRIMARY KEY, url TEXT NOT NULL, is_followed INTEGER NOT NULL, record TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS former (url TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS vitals (url TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS segments (name TEXT PRIMARY KEY, kind TEXT NOT NULL) STRICT;`;

/** URLs of one page that are distinguished by their position on it. */
const PLACES = 65_536;
/** Less than the position of every URL that a page links to. */
const FIRST_PLACE = -(2 ** 52);
/** The depth in `counts` for pages without one. */
const NO_DEPTH = -1;
/** Key of `counts` for answered pages that the previous crawl did not have. */
const NEW = 'new';

const UrlSource = z.enum(['crawler', 'ingested_data', 'sitemaps']);
export type UrlSource = z.infer<typeof UrlSource>;

/** The next URL to fetch. */
export const QueuedUrl = z.strictObject({
  /** The position in breadth-first order, over the whole crawl. */
  rank: z.number(),
  url: z.string(),
  /** Null for a URL that only sitemaps list. */
  depth: z.number().nullable(),
  attempts: z.number(),
  source: UrlSource,
});
export type QueuedUrl = Typed<typeof QueuedUrl>;

export interface Outcome {
  readonly item: QueuedUrl;
  /** Null: to be tried again. */
  readonly status: FetchStatus | null;
  /** URLs that the page links to, in its order, without repetition. */
  readonly targets: readonly string[];
}

const RecordKind = z.enum(['pages', 'links', 'items']);
export type RecordKind = z.infer<typeof RecordKind>;

export const RecordFile = z.strictObject({ name: z.string(), kind: RecordKind });
export type RecordFile = Typed<typeof RecordFile>;

/** A robots.txt and when it was read, in milliseconds since 1970. */
const KeptRobots = z.object({ ...RobotsFile.shape, readAt: z.number() });
export type KeptRobots = RobotsFile & Typed<typeof KeptRobots>;

export const DepthCount = z.strictObject({
  depth: z.number().nullable(),
  status: z.enum(FETCH_STATUSES),
  urls: z.number(),
});
export type DepthCount = Typed<typeof DepthCount>;

/**
 * The URLs that a crawl knows and its progress: the only state of a crawl on disk. The position of a URL follows from
 * the first page that leads to it, in breadth-first order, not from the time of its discovery. So the order of URLs
 * does not depend on which responses arrive first.
 */
export class Frontier implements Disposable {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #recent = new RecentPlaces();
  /** The requests in addition to those of pages. */
  readonly requests: KeptRequests;

  /** @throws CrawlhouseError `newer_version` */
  constructor(folder: string) {
    const path = join(folder, FRONTIER_FILE);
    this.#database = openSqlite(path);
    keepVersion(
      this.#database,
      path,
      { what: 'crawl', known: VERSION },
      'use the newer version, or start a new crawl',
    );
    this.#database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
       PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY; ${SCHEMA} ${REQUESTS_SCHEMA}`,
    );
    this.requests = new KeptRequests(this.#database);
  }

  fact(name: string): string | undefined {
    return this.#prepare('SELECT value FROM facts WHERE name = ?').get(name)?.value as string | undefined;
  }

  setFact(name: string, value: string | number): void {
    this.#prepare('INSERT OR REPLACE INTO facts VALUES (?, ?)').run(name, String(value));
  }

  transaction(work: () => void): void {
    inTransaction(this.#database, work);
  }

  /** Adds a URL that does not come from the site's links, in order. */
  seed(url: string, depth: number, source: UrlSource): void {
    this.#prepare('INSERT OR IGNORE INTO urls (url, depth, place, source) VALUES (?, ?, ?, ?)').run(
      url,
      depth,
      FIRST_PLACE + this.known(),
      source,
    );
  }

  /** Queues the URLs of a depth and returns their number. URLs found from now on are deeper. */
  queueDepth(depth: number): number {
    // Seeds are the first ones. The other URLs of a depth were found while the previous depth was fetched.
    const bound = depth <= 1 ? 0 : this.#bound(`depth ${depth - 1}`);
    return this.#queue(`depth ${depth}`, 'depth = ? AND id > ?', [depth, bound]);
  }

  /**
   * Queues the URLs that only sitemaps list, and then, hop by hop, the targets of their redirects. Returns their
   * number.
   */
  queueUnlinked(hop: number): number {
    if (hop === 0) {
      this.#prepare(
        `INSERT OR IGNORE INTO urls (url, depth, place, source)
         SELECT url, NULL, id, 'sitemaps' FROM sitemap_urls WHERE is_followed = 1 ORDER BY id`,
      ).run();
    }
    const bound = hop === 0 ? 0 : this.#bound(`hop ${hop - 1}`);
    return this.#queue(`hop ${hop}`, 'depth IS NULL AND id > ?', [bound]);
  }

  #bound(level: string): number {
    return Number(this.fact(`known before ${level}`));
  }

  #queue(level: string, condition: string, values: readonly number[]): number {
    const base = Number(this.fact('queued') ?? 0);
    this.setFact(`known before ${level}`, this.known());
    this.#prepare('DELETE FROM queue').run();
    const { changes } = this.#prepare(
      `INSERT INTO queue SELECT ? + row_number() OVER (ORDER BY place, id), id, 0, 0 FROM urls WHERE ${condition}`,
    ).run(base, ...values);
    this.setFact('queued', base + Number(changes));
    return Number(changes);
  }

  /** Returns the next URLs of the queue after a rank, in order. */
  next(rank: number, most: number): readonly QueuedUrl[] {
    const rows = this.#prepare(
      `SELECT rank, url, depth, attempts, source FROM queue JOIN urls USING (id)
       WHERE is_done = 0 AND rank > ? ORDER BY rank LIMIT ?`,
    ).all(rank, most);
    return typedRows(QueuedUrl, rows);
  }

  /** Returns the number of queued URLs that are not done. */
  open(): number {
    return Number(this.#prepare('SELECT count(*) AS urls FROM queue WHERE is_done = 0').get()?.urls);
  }

  known(): number {
    return Number(this.#prepare('SELECT max(id) AS id FROM urls').get()?.id ?? 0);
  }

  /** Schemes, hosts and ports of the known URLs, in order; all without a limit. */
  origins(most = -1): string[] {
    const rows = this.#prepare(
      `SELECT substr(url, 1, 7 + instr(substr(url, 9), '/')) AS origin FROM urls GROUP BY origin ORDER BY min(id) LIMIT ?`,
    ).all(most);
    return rows.map(({ origin }) => String(origin));
  }

  /** Returns whether the crawl knows all of these URLs. */
  knowsAll(urls: readonly string[]): boolean {
    const known = this.#prepare('SELECT 1 FROM urls WHERE url = ?');
    return urls.every((url) => known.get(url) !== undefined);
  }

  /** Returns whether the crawl has an outcome of a URL: it was fetched, blocked, or tried without success. */
  isMet(url: string): boolean {
    return this.#prepare(`SELECT 1 FROM urls WHERE url = ? AND ${this.#isMetSql()}`).get(url) !== undefined;
  }

  /**
   * Returns the pages of the previous crawl that this one has no outcome of, then such URLs of sitemaps, with the
   * sitemap.
   */
  *unmet(): Generator<{ readonly url: string; readonly source: string | null }> {
    for (const sql of [
      `SELECT url, NULL AS source FROM former WHERE ${this.#isUnmetSql('former.url')} ORDER BY url`,
      `SELECT url, record ->> 'sitemap' AS source FROM sitemap_urls WHERE ${this.#isUnmetSql('sitemap_urls.url')} ORDER BY id`,
    ])
      for (const row of this.#prepare(sql).iterate()) yield row as { url: string; source: string | null };
  }

  /** Returns the language versions that sitemaps declare. */
  *alternatesOfSitemaps(): Generator<{ readonly url: string; readonly source: string }> {
    const sql = `SELECT DISTINCT versions.value AS url, sitemap_urls.url AS source
      FROM sitemap_urls, json_each(record, '$.alternate_hrefs') AS versions
      WHERE ${this.#isUnmetSql('versions.value')}`;
    for (const row of this.#prepare(sql).iterate()) yield row as { url: string; source: string };
  }

  #isUnmetSql(url: string): string {
    return `NOT EXISTS (SELECT 1 FROM urls WHERE urls.url = ${url} AND ${this.#isMetSql()})`;
  }

  /**
   * SQL for whether a URL has an outcome. URLs are fetched level by level, so the queued levels are done except for the
   * rest of the last level.
   */
  #isMetSql(): string {
    const depth = Number(this.fact('depth') ?? -1);
    const hop = this.fact('hop');
    const bound = hop === undefined ? 0 : this.#bound(`hop ${hop}`);
    return `(urls.depth <= ${depth} OR urls.depth IS NULL AND urls.id <= ${bound})
      AND urls.id NOT IN (SELECT id FROM queue WHERE is_done = 0)`;
  }

  /**
   * Stores the outcomes of URLs, with the names of the files with their records.
   *
   * @param cookies null if there are no new ones
   */
  commit(outcomes: readonly Outcome[], files: readonly RecordFile[], cookies: string | null = null): void {
    this.transaction(() => {
      for (const outcome of outcomes) this.#keep(outcome);
      for (const { name, kind } of files) this.#prepare('INSERT INTO segments VALUES (?, ?)').run(name, kind);
      if (cookies !== null) this.setFact('cookies', cookies);
    });
  }

  #keep({ item, status, targets }: Outcome): void {
    if (status === null) {
      this.#prepare('UPDATE queue SET attempts = attempts + 1 WHERE rank = ?').run(item.rank);
      return;
    }
    this.#prepare('UPDATE queue SET is_done = 1 WHERE rank = ?').run(item.rank);
    this.#prepare('INSERT INTO counts VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET urls = urls + 1').run(
      item.depth ?? NO_DEPTH,
      status,
    );
    if (status.startsWith('fetched'))
      this.#prepare(
        `INSERT INTO counts SELECT ?, ?, 1 WHERE NOT EXISTS (SELECT 1 FROM former WHERE url = ?)
         ON CONFLICT DO UPDATE SET urls = urls + 1`,
      ).run(NO_DEPTH, NEW, item.url);
    const discover = this.#prepare(
      `INSERT INTO urls (url, depth, place, source) VALUES (?, ?, ?, ?)
       ON CONFLICT (url) DO UPDATE SET place = excluded.place
       WHERE excluded.place < urls.place AND excluded.depth = urls.depth`,
    );
    const depth = item.depth === null ? null : item.depth + 1;
    for (const [index, url] of targets.entries()) {
      const place = item.rank * PLACES + Math.min(index, PLACES - 1);
      if (this.#recent.isEarlier(url, place))
        discover.run(url, depth, place, depth === null ? 'sitemaps' : 'crawler');
    }
  }

  counts(): readonly DepthCount[] {
    const sql = 'SELECT nullif(depth, ?) AS depth, status, urls FROM counts WHERE status <> ? ORDER BY depth';
    return typedRows(DepthCount, this.#prepare(sql).all(NO_DEPTH, NEW));
  }

  /** Stores pages of the previous crawl. */
  addFormer(urls: readonly string[]): void {
    const insert = this.#prepare('INSERT OR IGNORE INTO former VALUES (?)');
    this.transaction(() => {
      for (const url of urls) insert.run(url);
    });
  }

  /** Returns the number of answered pages that the previous crawl did not have; null if no previous page is known. */
  newPages(): number | null {
    if (this.fact('former') === undefined) return null;
    return Number(this.#prepare('SELECT urls FROM counts WHERE status = ?').get(NEW)?.urls ?? 0);
  }

  robots(origin: string): KeptRobots | undefined {
    const row = this.#prepare(
      'SELECT status, content, read_at AS readAt FROM robots_files WHERE origin = ?',
    ).get(origin);
    return typedRows(KeptRobots, row === undefined ? [] : [row])[0];
  }

  putRobots(origin: string, { status, content, readAt }: KeptRobots): void {
    this.#prepare('INSERT OR REPLACE INTO robots_files VALUES (?, ?, ?, ?)').run(
      origin,
      status,
      content,
      readAt,
    );
  }

  /** Adds URLs of sitemaps. URLs that the crawl does not follow are stored, but not fetched. */
  addSitemapUrls(records: readonly SitemapRecord[], follows: (url: string) => boolean): void {
    const insert = this.#prepare('INSERT INTO sitemap_urls (url, is_followed, record) VALUES (?, ?, ?)');
    this.transaction(() => {
      for (const record of records)
        insert.run(record.url, follows(record.url) ? 1 : 0, JSON.stringify(record));
    });
  }

  removeSitemaps(): void {
    this.#prepare('DELETE FROM sitemap_urls').run();
    this.requests.removeSitemaps();
  }

  /** URLs in each half of the cache below. */
  *records(table: 'sitemap_urls' | 'vitals'): Generator<string> {
    const order = table === 'vitals' ? 'url' : 'id';
    for (const row of this.#prepare(`SELECT record FROM ${table} ORDER BY ${order}`).iterate())
      yield `${String(row.record)}\n`;
  }

  putVitals(record: VitalsRecord): void {
    this.#prepare('INSERT OR REPLACE INTO vitals VALUES (?, ?)').run(record.url, JSON.stringify(record));
  }

  hasVitals(url: string): boolean {
    return this.#prepare('SELECT 1 FROM vitals WHERE url = ?').get(url) !== undefined;
  }

  hasMeasured(): boolean {
    const sql = `SELECT 1 FROM vitals WHERE record ->> 'cwv_measurement' IS NOT NULL LIMIT 1`;
    return this.#prepare(sql).get() !== undefined;
  }

  recordFiles(): readonly RecordFile[] {
    return typedRows(RecordFile, this.#prepare('SELECT name, kind FROM segments ORDER BY name').all());
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

/** The positions of recently found URLs. Most links of a page are also on the previous page, and need no statement. */
const HALF = 50_000;

/** Whether a position precedes all cached positions of this URL. */
class RecentPlaces {
  #new = new Map<string, number>();
  #old = new Map<string, number>();

  /** Returns whether a place comes before all places of this URL that are remembered. */
  isEarlier(url: string, place: number): boolean {
    const known = this.#new.get(url) ?? this.#old.get(url);
    if (known !== undefined && known <= place) return false;
    if (this.#new.size >= HALF) {
      this.#old = this.#new;
      this.#new = new Map();
    }
    this.#new.set(url, place);
    return true;
  }
}
