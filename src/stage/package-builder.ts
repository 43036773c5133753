import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { syncPath } from '../core/atomic-file.ts';
import { type Connection, ident, text } from '../core/duckdb.ts';
import { CrawlhouseError } from '../core/errors.ts';
import type { Field } from '../model/field.ts';
import type { Manifest, PackageColumn } from '../model/manifest.ts';
import type { RawPart } from '../model/raw-part.ts';
import { convertPart, PARQUET_OPTIONS, partKeys } from './convert-part.ts';
import { inspectPart } from './inspect-part.ts';
import { defineMacros } from './macros.ts';
import { PackageColumns } from './package-columns.ts';

/** What staging made of all parts of a download. */
export interface StagedParts {
  readonly columns: readonly PackageColumn[];
  readonly parts: Manifest['parts'];
  readonly staged: number;
  readonly rejected: number;
  /** Reject files, relative to the package's folder. */
  readonly rejects: readonly string[];
}

interface BuiltPart {
  readonly file: string;
  readonly rows: number;
  /** Columns at the time it was written: later parts may have brought more, or wider ones. */
  readonly columns: readonly PackageColumn[];
}

/**
 * Builds a package, raw part by raw part, while the download goes on. Memory is bounded by the size of a part, whatever
 * the download weighs.
 */
export class PackageBuilder {
  readonly #connection: Connection;
  readonly #folder: string;
  readonly #columns: PackageColumns;
  readonly #catalogue: readonly Field[];
  readonly #parts: BuiltPart[] = [];
  readonly #rejects: string[] = [];
  #rejected = 0;

  private constructor(connection: Connection, folder: string, catalogue: readonly Field[]) {
    this.#connection = connection;
    this.#folder = folder;
    this.#catalogue = catalogue;
    this.#columns = new PackageColumns(catalogue);
  }

  /** @param catalogue the fields that were asked for, with the types of the service's schema */
  static async create(
    connection: Connection,
    folder: string,
    catalogue: readonly Field[],
  ): Promise<PackageBuilder> {
    await mkdir(join(folder, 'parts'), { recursive: true });
    await defineMacros(connection);
    return new PackageBuilder(connection, folder, catalogue);
  }

  /**
   * Converts one raw part; what does not survive its type goes to the package's rejects.
   *
   * @throws CrawlhouseError `unreconciled` when the rows that came out are not the rows that went in
   */
  async addPart(part: RawPart, signal: AbortSignal): Promise<void> {
    const keys = part.format === 'csv' ? null : await partKeys(this.#connection, part, signal);
    if (part.header) this.#columns.add(part.header);
    if (keys) this.#columns.add(keys.names);
    else if (part.format === 'json') this.#columns.addCatalogue();

    const number = String(this.#parts.length + 1).padStart(5, '0');
    const file = `parts/part-${number}.parquet`;
    const output = join(this.#folder, file);
    let rejected = 0;
    let staged = keys?.repeated
      ? null
      : await convertPart(this.#connection, part, this.#columns, output, signal);
    while (staged === null) {
      const rejects = `rejects-${number}.parquet`;
      const path = join(this.#folder, rejects);
      const inspection = await inspectPart(this.#connection, part, this.#columns, output, path, signal);
      if (inspection === null) {
        staged = await convertPart(this.#connection, part, this.#columns, output, signal);
        continue;
      }
      ({ staged, rejected } = inspection);
      if (rejected > 0) this.#rejects.push(rejects);
    }
    if (staged + rejected !== part.rows) {
      throw new CrawlhouseError(
        'unreconciled',
        `${part.file}, lines ${part.firstLine} and on: ${part.rows} rows received, but ${staged + rejected} staged + rejected`,
      );
    }
    this.#rejected += rejected;
    this.#parts.push({ file, rows: staged, columns: this.#columns.columns });
  }

  /** Brings all parts to the same columns and makes them durable. */
  async finish(header: readonly string[] | null, signal: AbortSignal): Promise<StagedParts> {
    if (header) this.#columns.add(header);
    // An export without rows shows no keys: it had the fields that were asked for.
    else if (this.#parts.length === 0) this.#columns.add(this.#catalogue.map((field) => field.name));
    const columns = this.#columns.columns;
    const parts: Manifest['parts'] = [];
    for (const part of this.#parts) {
      const path = join(this.#folder, part.file);
      if (!sameColumns(part.columns, columns)) await this.#rewrite(path, part.columns, columns, signal);
      await syncPath(path);
      parts.push({
        file: part.file,
        rows: part.rows,
        bytes: (await stat(path)).size,
        sha256: await hashFile(path),
      });
    }
    for (const file of this.#rejects) await syncPath(join(this.#folder, file));
    await syncPath(join(this.#folder, 'parts'));
    const staged = parts.reduce((sum, part) => sum + part.rows, 0);
    return { columns, parts, staged, rejected: this.#rejected, rejects: this.#rejects };
  }

  async #rewrite(
    path: string,
    before: readonly PackageColumn[],
    after: readonly PackageColumn[],
    signal: AbortSignal,
  ): Promise<void> {
    const had = new Set(before.map((column) => column.column));
    const values = after.map(({ column, sql_type }) => {
      const value = had.has(column) ? ident(column) : 'NULL';
      return `CAST(${value} AS ${sql_type}) AS ${ident(column)}`;
    });
    await this.#connection.run(
      `COPY (SELECT ${values.join(', ')} FROM read_parquet(${text(path)})) TO ${text(`${path}.new`)} (${PARQUET_OPTIONS})`,
      [],
      signal,
    );
    await rename(`${path}.new`, path);
  }
}

function sameColumns(left: readonly PackageColumn[], right: readonly PackageColumn[]): boolean {
  return (
    left.length === right.length &&
    left.every(
      (column, index) => column.column === right[index]?.column && column.sql_type === right[index]?.sql_type,
    )
  );
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
  return hash.digest('hex');
}
