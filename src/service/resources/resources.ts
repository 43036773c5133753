import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { inTransaction, openSqlite } from '../../core/locks/open-sqlite.ts';
import { Column } from '../fields/column.ts';
import type { DatasetName } from '../fields/field-records-of.ts';

/** The resources of the service. The first ten are the service's, by their keys in lists; the rest is internal. */
export const RESOURCE_KINDS = [
  'workspaces',
  'projects',
  'crawls',
  'crawl_configs',
  'scheduled_crawls',
  'crawl_over_crawls',
  'ingest_files',
  'secrets',
  'data_exports',
  'tokens',
  'oauth_clients',
  'oauth_codes',
  'oauth_refresh_tokens',
  'mails',
  'webhook_calls',
] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

/** A stored resource: the keys that the API serves, and internal keys, which begin with `_`. */
export type StoredResource = Readonly<Record<string, unknown>> & { readonly id: string };

/**
 * The rows of one data type of a crawl, a comparison or a project: their table (absent: no rows) and their columns in
 * the service's order.
 */
export interface StoredDataset {
  readonly table: string | undefined;
  readonly columns: readonly Column[];
}

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS resources (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, id TEXT NOT NULL, owner TEXT NOT NULL,
    doc TEXT NOT NULL, UNIQUE (kind, id)) STRICT;
  CREATE TABLE IF NOT EXISTS datasets (
    owner TEXT NOT NULL, name TEXT NOT NULL, rows_table TEXT, columns TEXT NOT NULL,
    PRIMARY KEY (owner, name)) STRICT;
  CREATE TABLE IF NOT EXISTS sources (name TEXT PRIMARY KEY, fingerprint TEXT NOT NULL) STRICT;
`;

/** Everything that the service stores except rows, as JSON in its own SQLite file. */
export class Resources implements Disposable {
  readonly #database: DatabaseSync;
  #changes = 0;

  constructor(file: string) {
    this.#database = openSqlite(file);
    this.#database.exec(SCHEMA);
  }

  /** Grows whenever a resource is put or deleted. */
  get changes(): number {
    return this.#changes;
  }

  get(kind: ResourceKind, id: string): StoredResource | undefined {
    const row = this.#database.prepare('SELECT doc FROM resources WHERE kind = ? AND id = ?').get(kind, id);
    return row ? parseStored(row) : undefined;
  }

  /**
   * Returns the owner of a resource: a workspace's id, or a project's id for configurations; undefined if the resource
   * does not exist.
   */
  owner(kind: ResourceKind, id: string): string | undefined {
    const row = this.#database.prepare('SELECT owner FROM resources WHERE kind = ? AND id = ?').get(kind, id);
    return row ? String(row.owner) : undefined;
  }

  /**
   * Returns all of a kind, newest first; with `owner` (a workspace's id, or a project's for configurations) only the
   * owner's.
   */
  list(kind: ResourceKind, owner?: string): StoredResource[] {
    const sql = 'SELECT doc FROM resources WHERE kind = ? AND owner = coalesce(?, owner) ORDER BY seq DESC';
    return this.#database
      .prepare(sql)
      .all(kind, owner ?? null)
      .map(parseStored);
  }

  /** Returns all of a kind that have a value under a key. */
  listHolding(kind: ResourceKind, key: string): StoredResource[] {
    const sql =
      "SELECT doc FROM resources WHERE kind = ? AND json_type(doc, '$.' || ?) <> 'null' ORDER BY seq";
    return this.#database.prepare(sql).all(kind, key).map(parseStored);
  }

  put(kind: ResourceKind, owner: string, doc: StoredResource): void {
    const sql = `INSERT INTO resources (kind, id, owner, doc) VALUES (?, ?, ?, ?)
      ON CONFLICT (kind, id) DO UPDATE SET doc = excluded.doc`;
    this.#database.prepare(sql).run(kind, doc.id, owner, JSON.stringify(doc));
    this.#changes += 1;
  }

  /** Deletes a resource; returns whether it existed. */
  delete(kind: ResourceKind, id: string): boolean {
    this.#changes += 1;
    return (
      this.#database.prepare('DELETE FROM resources WHERE kind = ? AND id = ?').run(kind, id).changes > 0
    );
  }

  /** Returns the rows of an owner: a crawl's, a comparison's or a project's id. */
  dataset(owner: string, name: DatasetName): StoredDataset | undefined {
    const sql = 'SELECT rows_table, columns FROM datasets WHERE owner = ? AND name = ?';
    const row = this.#database.prepare(sql).get(owner, name);
    if (!row) return undefined;
    const columns = z.array(Column).parse(JSON.parse(String(row.columns)));
    return { table: row.rows_table === null ? undefined : String(row.rows_table), columns };
  }

  putDataset(owner: string, name: DatasetName, dataset: StoredDataset): void {
    const sql = `INSERT INTO datasets VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET rows_table = excluded.rows_table, columns = excluded.columns`;
    const values = [owner, name, dataset.table ?? null, JSON.stringify(dataset.columns)];
    this.#database.prepare(sql).run(...values);
  }

  dropDatasets(owner: string): void {
    this.#database.prepare('DELETE FROM datasets WHERE owner = ?').run(owner);
  }

  /** Returns the fingerprint of a finished import or generation of this name; undefined if there was none. */
  fingerprint(source: string): string | undefined {
    const row = this.#database.prepare('SELECT fingerprint FROM sources WHERE name = ?').get(source);
    return row ? String(row.fingerprint) : undefined;
  }

  putFingerprint(source: string, fingerprint: string): void {
    const sql =
      'INSERT INTO sources VALUES (?, ?) ON CONFLICT DO UPDATE SET fingerprint = excluded.fingerprint';
    this.#database.prepare(sql).run(source, fingerprint);
  }

  /** Stores everything that `work` puts, or nothing. */
  transaction(work: () => void): void {
    inTransaction(this.#database, work);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

function parseStored(row: Record<string, unknown>): StoredResource {
  return JSON.parse(String(row.doc)) as StoredResource;
}

/**
 * Internal settings that `PATCH /_sandbox/<resource>/<id>` accepts. Each setting is stored under its name after `_`,
 * and is therefore never served.
 */
export const OWN_SETTINGS: Readonly<Partial<Record<ResourceKind, readonly string[]>>> = {
  workspaces: ['archive_after_days', 'crawl_url_quota'],
  crawl_configs: ['list_only', 'vitals', 'recheck', 'sites'],
  projects: ['week_definition', 'ranking_performance_quota'],
};

/** Returns a resource as the API serves it: without internal keys, such as secrets. */
export function publicView(doc: StoredResource): StoredResource {
  const entries = Object.entries(doc).filter(([key]) => !key.startsWith('_'));
  return Object.fromEntries(entries) as StoredResource;
}

/** Invalidates the refresh token of a token when that token is first used. */
export function spendReplaced(
  resources: Resources,
  kind: 'tokens' | 'oauth_refresh_tokens',
  token: StoredResource,
): void {
  if (typeof token.replaces !== 'string') return;
  const { replaces, ...rest } = token;
  resources.delete('oauth_refresh_tokens', replaces);
  resources.put(kind, '', rest as StoredResource);
}

/** Returns an id of 24 hex digits, like the service's ids; the same parts always give the same id. */
export function resourceId(...parts: readonly (string | number)[]): string {
  return hash('sha256', JSON.stringify(parts)).slice(0, 24);
}
