import type { DatabaseSync } from 'node:sqlite';
import { openSqlite } from '../../../core/locks/open-sqlite.ts';

/** An object of a bucket, and the file that contains its bytes. */
export interface IndexedObject {
  readonly bucket: string;
  readonly key: string;
  /** Name of the file in the store's folder. */
  readonly file: string;
  readonly size: number;
  /** Without quotes; for an upload in parts `<md5 of the md5s>-<parts>`. */
  readonly etag: string;
  /** Microseconds since 1970, never the same twice. */
  readonly generation: string;
  readonly updatedAt: number;
  /** Checksums in base64, by their names. */
  readonly checksums: Readonly<Record<string, string>>;
  /** Headers to serve it with, such as `content-type`, and user metadata. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sizes of its parts, if it was uploaded in parts. */
  readonly parts?: readonly number[];
}

export interface PartedUpload {
  readonly id: string;
  readonly bucket: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface UploadedPart {
  readonly number: number;
  readonly file: string;
  readonly size: number;
  /** In hexadecimal. */
  readonly md5: string;
}

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS buckets (name TEXT PRIMARY KEY, created_at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS objects (
    bucket TEXT NOT NULL, key TEXT NOT NULL, doc TEXT NOT NULL, PRIMARY KEY (bucket, key)) STRICT;
  CREATE TABLE IF NOT EXISTS uploads (id TEXT PRIMARY KEY, doc TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS parts (
    upload TEXT NOT NULL, number INTEGER NOT NULL, doc TEXT NOT NULL, PRIMARY KEY (upload, number)) STRICT;
  CREATE TABLE IF NOT EXISTS accounts (access_key TEXT PRIMARY KEY, secret_key TEXT NOT NULL) STRICT;
`;

/** The buckets and objects of a built-in store, in SQLite; keys are in the order of their bytes. */
export class ObjectIndex implements Disposable {
  readonly #database: DatabaseSync;

  constructor(file: string) {
    this.#database = openSqlite(file);
    this.#database.exec(SCHEMA);
  }

  buckets(): { readonly name: string; readonly createdAt: number }[] {
    const rows = this.#all('SELECT name, created_at FROM buckets ORDER BY name');
    return rows.map((row) => ({ name: String(row.name), createdAt: Number(row.created_at) }));
  }

  hasBucket(name: string): boolean {
    return this.#all('SELECT 1 FROM buckets WHERE name = ?', name).length > 0;
  }

  addBucket(name: string, createdAt: number): void {
    this.#run('INSERT OR IGNORE INTO buckets VALUES (?, ?)', name, createdAt);
  }

  object(bucket: string, key: string): IndexedObject | undefined {
    return this.#docs<IndexedObject>('SELECT doc FROM objects WHERE bucket = ? AND key = ?', bucket, key)[0];
  }

  putObject(object: IndexedObject): void {
    const sql = 'INSERT OR REPLACE INTO objects VALUES (?, ?, ?)';
    this.#run(sql, object.bucket, object.key, JSON.stringify(object));
  }

  deleteObject(bucket: string, key: string): void {
    this.#run('DELETE FROM objects WHERE bucket = ? AND key = ?', bucket, key);
  }

  /** Objects whose key begins with `prefix` and comes after `after`, in the order of their keys' bytes. */
  *objects(bucket: string, prefix: string, after = ''): Generator<IndexedObject> {
    const sql = 'SELECT doc FROM objects WHERE bucket = ? AND key >= ? AND key > ? ORDER BY key';
    for (const row of this.#database.prepare(sql).iterate(bucket, prefix, after)) {
      const object = JSON.parse(String(row.doc)) as IndexedObject;
      if (!object.key.startsWith(prefix)) return;
      yield object;
    }
  }

  /** Returns every file that belongs to an object or a part. */
  files(): Set<string> {
    const sql = "SELECT doc ->> '$.file' AS file FROM objects UNION ALL SELECT doc ->> '$.file' FROM parts";
    return new Set(this.#all(sql).map((row) => String(row.file)));
  }

  upload(id: string): PartedUpload | undefined {
    return this.#docs<PartedUpload>('SELECT doc FROM uploads WHERE id = ?', id)[0];
  }

  putUpload(upload: PartedUpload): void {
    this.#run('INSERT INTO uploads VALUES (?, ?)', upload.id, JSON.stringify(upload));
  }

  deleteUpload(id: string): void {
    this.#run('DELETE FROM parts WHERE upload = ?', id);
    this.#run('DELETE FROM uploads WHERE id = ?', id);
  }

  parts(upload: string): UploadedPart[] {
    return this.#docs<UploadedPart>('SELECT doc FROM parts WHERE upload = ? ORDER BY number', upload);
  }

  putPart(upload: string, part: UploadedPart): void {
    this.#run('INSERT OR REPLACE INTO parts VALUES (?, ?, ?)', upload, part.number, JSON.stringify(part));
  }

  accounts(): { readonly accessKey: string; readonly secretKey: string }[] {
    const rows = this.#all('SELECT access_key, secret_key FROM accounts');
    return rows.map((row) => ({ accessKey: String(row.access_key), secretKey: String(row.secret_key) }));
  }

  addAccount(accessKey: string, secretKey: string): void {
    this.#run('INSERT INTO accounts VALUES (?, ?)', accessKey, secretKey);
  }

  #all(sql: string, ...values: (string | number)[]): Record<string, unknown>[] {
    return this.#database.prepare(sql).all(...values);
  }

  #docs<T>(sql: string, ...values: (string | number)[]): T[] {
    return this.#all(sql, ...values).map((row) => JSON.parse(String(row.doc)) as T);
  }

  #run(sql: string, ...values: (string | number)[]): void {
    this.#database.prepare(sql).run(...values);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

export interface ListWindow {
  readonly prefix: string;
  /** Keys are grouped up to the delimiter after the prefix; empty: no grouping. */
  readonly delimiter: string;
  readonly limit: number;
  /** The last key or common prefix of the previous page. */
  readonly after: string;
}

export interface ObjectPage {
  readonly objects: readonly IndexedObject[];
  readonly prefixes: readonly string[];
  /** The last key before the next page; undefined on the last page. */
  readonly next: string | undefined;
}

/**
 * Returns a page of the objects, which are sorted by key, and of the common prefixes that the delimiter produces.
 */
export function listObjects(objects: Iterable<IndexedObject>, window: ListWindow): ObjectPage {
  const found: IndexedObject[] = [];
  const prefixes: string[] = [];
  let last = window.after;
  if (window.limit === 0) return { objects: [], prefixes: [], next: undefined };
  for (const object of objects) {
    const { prefix, delimiter } = window;
    const at = delimiter === '' ? -1 : object.key.indexOf(delimiter, prefix.length);
    const common = at < 0 ? undefined : object.key.slice(0, at + delimiter.length);
    // A common prefix counts once, also if the previous page contained it.
    if (common !== undefined && (prefixes.at(-1) === common || window.after === common)) continue;
    if (found.length + prefixes.length >= window.limit) return { objects: found, prefixes, next: last };
    if (common === undefined) found.push(object);
    else prefixes.push(common);
    last = common ?? object.key;
  }
  return { objects: found, prefixes, next: undefined };
}
