import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { CrawlDataType } from '../api/fields.ts';
import { Column } from './rows/column.ts';

export const RESOURCE_KINDS = ['workspaces', 'projects', 'crawls', 'crawl_configs', 'tokens'] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

export type Document = Readonly<Record<string, unknown>> & { readonly id: string };

/** The rows of one data type of a crawl: their table (none: no rows) and their columns in the service's order. */
export interface Dataset {
  readonly table: string | undefined;
  readonly columns: readonly Column[];
}

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS resources (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, id TEXT NOT NULL, owner TEXT NOT NULL,
    doc TEXT NOT NULL, UNIQUE (kind, id)) STRICT;
  CREATE TABLE IF NOT EXISTS datasets (
    crawl_id TEXT NOT NULL, data_type TEXT NOT NULL, rows_table TEXT, columns TEXT NOT NULL,
    PRIMARY KEY (crawl_id, data_type)) STRICT;
  CREATE TABLE IF NOT EXISTS sources (name TEXT PRIMARY KEY, fingerprint TEXT NOT NULL) STRICT;
`;

/** Everything the sandbox holds besides rows, as JSON documents in its own SQLite file. */
export class Resources implements Disposable {
  readonly #database: DatabaseSync;

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec(SCHEMA);
  }

  get(kind: ResourceKind, id: string): Document | undefined {
    const row = this.#database.prepare('SELECT doc FROM resources WHERE kind = ? AND id = ?').get(kind, id);
    return row ? parseDocument(row) : undefined;
  }

  /** All of a kind, the newest first; with `owner` (a workspace's id, a project's for configurations) only its own. */
  list(kind: ResourceKind, owner?: string): Document[] {
    const sql = 'SELECT doc FROM resources WHERE kind = ? AND owner = coalesce(?, owner) ORDER BY seq DESC';
    return this.#database
      .prepare(sql)
      .all(kind, owner ?? null)
      .map(parseDocument);
  }

  put(kind: ResourceKind, owner: string, doc: Document): void {
    const sql = `INSERT INTO resources (kind, id, owner, doc) VALUES (?, ?, ?, ?)
      ON CONFLICT (kind, id) DO UPDATE SET doc = excluded.doc`;
    this.#database.prepare(sql).run(kind, doc.id, owner, JSON.stringify(doc));
  }

  dataset(crawlId: string, dataType: CrawlDataType): Dataset | undefined {
    const sql = 'SELECT rows_table, columns FROM datasets WHERE crawl_id = ? AND data_type = ?';
    const row = this.#database.prepare(sql).get(crawlId, dataType);
    if (!row) return undefined;
    const columns = z.array(Column).parse(JSON.parse(String(row.columns)));
    return { table: row.rows_table === null ? undefined : String(row.rows_table), columns };
  }

  putDataset(crawlId: string, dataType: CrawlDataType, dataset: Dataset): void {
    const sql = `INSERT INTO datasets VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET rows_table = excluded.rows_table, columns = excluded.columns`;
    const values = [crawlId, dataType, dataset.table ?? null, JSON.stringify(dataset.columns)];
    this.#database.prepare(sql).run(...values);
  }

  dropDatasets(crawlId: string): void {
    this.#database.prepare('DELETE FROM datasets WHERE crawl_id = ?').run(crawlId);
  }

  /** What an import or generation of this name looked like when it was done; nothing when it never was. */
  fingerprint(source: string): string | undefined {
    const row = this.#database.prepare('SELECT fingerprint FROM sources WHERE name = ?').get(source);
    return row ? String(row.fingerprint) : undefined;
  }

  putFingerprint(source: string, fingerprint: string): void {
    const sql =
      'INSERT INTO sources VALUES (?, ?) ON CONFLICT DO UPDATE SET fingerprint = excluded.fingerprint';
    this.#database.prepare(sql).run(source, fingerprint);
  }

  /** All or nothing of what `work` puts. */
  transaction(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

function parseDocument(row: Record<string, unknown>): Document {
  return JSON.parse(String(row.doc)) as Document;
}
