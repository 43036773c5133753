import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Connection,
  type ConnectionPool,
  DUCKDB_VERSION,
  file,
  ident,
  parquetFiles,
} from '../../core/duckdb/duckdb.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../core/errors/errors.ts';
import { syncPath } from '../../core/files/atomic-file.ts';
import { makeFolder } from '../../core/files/make-folder.ts';
import { retriable } from '../../core/time/retry.ts';
import type { Field } from '../../project/model/field.ts';
import type { Manifest, PackageColumn, PackageNote } from '../../project/model/manifest.ts';
import type { RawPart } from '../../project/model/source.ts';
import { convertPart } from './convert-part.ts';
import { inspectPart } from './inspect-part.ts';
import { hasLooseText } from './loose-text.ts';
import { type FieldRules, PackageColumns } from './package-columns.ts';
import { packageNotes, type RepeatedKeys, repeatedKeys } from './package-notes.ts';
import { type PartFacts, readPart, writePart } from './package-part.ts';
import { stageParquet } from './parquet-reader.ts';
import { type PartKeys, partKeys } from './part-keys.ts';
import { splitPart } from './split-part.ts';
import { sealFile } from './unit-folders.ts';

/** What DuckDB says of bytes that are no Parquet. */
const UNREADABLE = /^(?:Invalid (?:Input )?|Serialization |Not implemented |Out of Range )Error: /i;

/** The result of staging all parts of a download. */
export interface StagedParts {
  readonly columns: readonly PackageColumn[];
  readonly parts: Manifest['parts'];
  readonly staged: number;
  readonly rejected: number;
  readonly rejects: Manifest['rejects'];
  readonly notes: readonly PackageNote[];
  readonly fingerprint: NonNullable<Manifest['fingerprint']>;
}

type BuiltPart = PartFacts & { readonly file: string };
type InspectedPart = BuiltPart & {
  readonly rejected?: number;
  readonly rejects: readonly { readonly file: string; readonly rows: number }[];
};

/**
 * Builds a package from raw parts, several at once, during the download. The size of a part bounds the memory, whatever
 * the size of the download.
 */
export class PackageBuilder {
  readonly #connections: ConnectionPool;
  readonly #folder: string;
  readonly #columns: PackageColumns;
  /** In the order that they came in, which is not the one that they are done in. */
  readonly #parts: (readonly BuiltPart[])[] = [];
  readonly #rejects: { readonly file: string; readonly rows: number }[] = [];
  /** The raw parts, in the order that they came in. */
  readonly #begun: RawPart[] = [];
  /** Keys are taken note of part by part, so that the order of columns is the same every time. */
  #keysNoted: Promise<unknown> = Promise.resolve();
  /** Keys that rows of a JSONL part were seen to have. */
  readonly #seen = new Set<string>();
  #rejected = 0;
  #spelling: 'usual' | 'any' = 'usual';

  private constructor(
    connections: ConnectionPool,
    folder: string,
    requested: readonly Field[],
    rules: FieldRules,
  ) {
    this.#connections = connections;
    this.#folder = folder;
    this.#columns = new PackageColumns(requested, rules);
  }

  /**
   * @param connections one for each part at once (`stagingConnections`)
   * @param requested the requested fields, with the types of the service's schema
   * @param rules the checks of its files
   */
  static async create(
    connections: ConnectionPool,
    folder: string,
    requested: readonly Field[],
    rules: FieldRules = {},
  ): Promise<PackageBuilder> {
    makeFolder(join(folder, 'parts'));
    return new PackageBuilder(connections, folder, requested, rules);
  }

  /**
   * Converts one raw part; what does not survive its type goes to the package's rejects. After an error it can be added
   * again.
   *
   * @throws CrawlhouseError `unreconciled` when the rows that came out are not the rows that went in, `contract_broken`
   *   when the part does not show the fields that were asked for
   */
  async addPart(part: RawPart, signal: AbortSignal): Promise<void> {
    if (part.header) {
      this.#columns.refuseForeign(part.header, part.file, true);
      this.#columns.add(part.header);
    }
    // All its lines are blank.
    if (part.rows === 0 && part.format !== 'parquet') return;
    const index = this.#begun.includes(part) ? this.#begun.indexOf(part) : this.#begun.push(part) - 1;
    const stage = () =>
      this.#connections.use((connection) => this.#stagePart(connection, part, index, signal));
    await (part.format === 'parquet' ? refuseDamage(part, signal, stage) : stage());
  }

  async #stagePart(connection: Connection, part: RawPart, index: number, signal: AbortSignal): Promise<void> {
    const keys = part.format === 'json' ? await this.#keysInTurn(connection, part, index, signal) : null;
    const number = String(index + 1).padStart(5, '0');
    const output = join(this.#folder, `parts/part-${number}.parquet`);
    const isRepeated = keys?.repeated ?? false;
    const whole = isRepeated ? null : await this.#convertKnown(connection, part, output, signal);
    const built: InspectedPart[] = [];
    if (whole !== null) built.push({ ...whole, file: `parts/part-${number}.parquet`, rejects: [] });
    const pieces = whole === null ? await splitPart(part) : [];
    for (const [at, piece] of pieces.entries()) {
      const name = piece === part ? number : `${number}-${String(at + 1).padStart(5, '0')}`;
      // A piece may have nothing that is broken.
      const isTried = piece === part || isRepeated;
      built.push(await this.#inspect(connection, piece, { name, isTried }, signal));
      if (piece !== part) await rm(piece.path, { force: true });
    }
    const rejected = built.reduce((sum, one) => sum + (one.rejected ?? 0), 0);
    const rows = built.reduce((sum, one) => sum + one.rows, 0);
    if (rows + rejected !== part.rows) {
      throw new CrawlhouseError(
        'unreconciled',
        `${part.file}, lines ${part.firstLine} and on: ${part.rows} rows received, but ${rows + rejected} staged + rejected`,
      );
    }
    this.#rejected += rejected;
    this.#rejects.push(...built.flatMap((one) => one.rejects));
    this.#parts[index] = built;
  }

  /** Inspects a part, or a piece of one, until its columns are wide enough. */
  async #inspect(
    connection: Connection,
    piece: RawPart,
    { name, isTried }: { readonly name: string; readonly isTried: boolean },
    signal: AbortSignal,
  ): Promise<InspectedPart> {
    const file = `parts/part-${name}.parquet`;
    const rejects = `rejects-${name}.parquet`;
    const files = { output: join(this.#folder, file), rejects: join(this.#folder, rejects) };
    for (let isFirst = isTried; ; isFirst = false) {
      const staged = isFirst ? null : await this.#convertKnown(connection, piece, files.output, signal);
      if (staged !== null) return { ...staged, file, rejects: [] };
      const inspection = await inspectPart(connection, piece, this.#columns, files, signal);
      if (inspection === null) continue;
      const { rejected, rejectRows } = inspection;
      return { ...inspection, file, rejects: rejected > 0 ? [{ file: rejects, rows: rejectRows }] : [] };
    }
  }

  /** The rows of the finished package that share the values of these fields; null if none do. */
  repeatedKeys(
    { parts, columns }: StagedParts,
    key: readonly string[],
    signal: AbortSignal,
  ): Promise<RepeatedKeys | null> {
    return this.#connections.use((connection) =>
      repeatedKeys(connection, this.#pathsOf(parts), columns, key, signal),
    );
  }

  /** Brings all parts to the same columns and makes them durable. */
  async finish(header: readonly string[] | null, signal: AbortSignal): Promise<StagedParts> {
    return this.#connections.use((connection) => this.#finish(connection, header, signal));
  }

  async #finish(
    connection: Connection,
    header: readonly string[] | null,
    signal: AbortSignal,
  ): Promise<StagedParts> {
    if (header && this.#parts.length === 0) this.#columns.refuseForeign(header, 'the export', true);
    if (header) this.#columns.add(header);
    // An export without rows shows no keys, so it counts as having all requested fields.
    else if (this.#parts.length === 0) this.#columns.addRequested();
    const absent = await this.#absentFields(connection, header, signal);
    const columns = this.#columns.columns.filter((column) => !absent.has(column.field));
    const parts: Manifest['parts'] = [];
    let fingerprint = 0n;
    for (const part of this.#parts.flat()) {
      fingerprint += (await this.#bring(connection, part, columns, signal)).fingerprint;
      parts.push(await sealFile(this.#folder, part));
    }
    const rejects: Manifest['rejects'] = [];
    for (const file of this.#rejects.toSorted((a, b) => a.file.localeCompare(b.file)))
      rejects.push(await sealFile(this.#folder, file));
    await syncPath(join(this.#folder, 'parts'));
    const staged = parts.reduce((sum, part) => sum + part.rows, 0);
    const valuesOf = (field: string): readonly string[] | undefined => this.#columns.field(field).values;
    const notes = await packageNotes(connection, this.#pathsOf(parts), columns, valuesOf, signal);
    return {
      columns,
      parts,
      staged,
      rejected: this.#rejected,
      rejects,
      notes,
      fingerprint: { sum: String(fingerprint), duckdb: DUCKDB_VERSION },
    };
  }

  #pathsOf(parts: readonly { readonly file: string }[]): string[] {
    return parts.map(({ file }) => join(this.#folder, file));
  }

  /** Converts a part; null also if one of its rows can't be a requested row. */
  async #convertKnown(
    connection: Connection,
    part: RawPart,
    output: string,
    signal: AbortSignal,
  ): Promise<PartFacts | null> {
    const converted = await this.#convert(connection, part, output, signal);
    return converted?.foreign ? null : converted;
  }

  /** Converts a part; an export that turns out to spell its values unusually is taken so from there on. */
  async #convert(
    connection: Connection,
    raw: RawPart,
    output: string,
    signal: AbortSignal,
  ): Promise<PartFacts | null> {
    const { format } = raw;
    if (format === 'parquet') return stageParquet(connection, raw, this.#columns, output, signal);
    const part = { ...raw, format };
    if (await hasLooseText(part, signal)) return null;
    if (this.#spelling === 'usual') {
      const converted = await convertPart(
        connection,
        part,
        this.#columns,
        { spelling: 'usual', output },
        signal,
      );
      if (converted !== null) return converted;
      this.#spelling = 'any';
    }
    return convertPart(connection, part, this.#columns, { spelling: 'any', output }, signal);
  }

  /** The keys of a part, once those of the parts before it are known. */
  async #keysInTurn(
    connection: Connection,
    part: RawPart,
    index: number,
    signal: AbortSignal,
  ): Promise<PartKeys> {
    const before = this.#keysNoted;
    const keys = before.then(() => this.#keys(connection, part, index === 0 ? 'all' : 'sample', signal));
    // The error reaches those who wait for the keys of that part.
    this.#keysNoted = keys.catch(() => {});
    return keys;
  }

  /** Notes the names in a JSONL part. Every requested field is read, even if no row shows it. */
  async #keys(
    connection: Connection,
    part: RawPart,
    extent: 'all' | 'sample',
    signal: AbortSignal,
  ): Promise<PartKeys> {
    const keys = await partKeys(connection, part, extent, signal);
    this.#columns.refuseForeign(keys.names, part.file, false);
    this.#columns.addRequested();
    this.#columns.add(keys.names);
    for (const name of keys.names) this.#seen.add(name);
    return keys;
  }

  /** Requested fields that no row of a JSONL export has: neither the key nor a value was seen. */
  async #absentFields(
    connection: Connection,
    header: readonly string[] | null,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    if (header || this.#parts.length === 0) return new Set();
    const unseen = this.#columns.columns.filter((column) => !this.#seen.has(column.field));
    return fieldsWithoutValue(connection, this.#pathsOf(this.#parts.flat()), unseen, signal);
  }

  /** Brings a part to these columns. */
  async #bring(
    connection: Connection,
    part: BuiltPart,
    columns: readonly PackageColumn[],
    signal: AbortSignal,
  ): Promise<PartFacts> {
    const path = join(this.#folder, part.file);
    if (holdsColumns(part.columns, columns))
      return part.columns.length === columns.length ? part : readPart(connection, path, columns, {}, signal);
    const had = new Set(part.columns.map((column) => column.column));
    const values = columns.map(({ column, sql_type }) => {
      const value = had.has(column) ? ident(column) : 'NULL';
      return `CAST(${value} AS ${sql_type}) AS ${ident(column)}`;
    });
    const select = `SELECT ${values.join(', ')} FROM ${parquetFiles([path])}`;
    const written = await writePart(connection, select, columns, { output: `${path}.new` }, signal);
    await rename(`${path}.new`, path);
    return written;
  }
}

/** Has a part every column, in its final type? One more, of a field that the export did not have, does no harm. */
function holdsColumns(part: readonly PackageColumn[], wanted: readonly PackageColumn[]): boolean {
  const types = new Map(part.map((column) => [column.column, column.sql_type]));
  return wanted.every((column) => types.get(column.column) === column.sql_type);
}

/** The fields whose columns are NULL in every row. Most are answered by the statistics of the files. */
async function fieldsWithoutValue(
  connection: Connection,
  paths: readonly string[],
  columns: readonly PackageColumn[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (columns.length === 0) return new Set();
  const rows = await connection.rows<{ path: string }>(
    `SELECT DISTINCT path_in_schema AS path FROM parquet_metadata([${paths.map(file).join(', ')}])
     WHERE stats_null_count < num_values`,
    [],
    signal,
  );
  const shown = new Set(rows.map(({ path }) => path));
  const doubtful = columns.filter(({ column }) => !shown.has(column));
  if (doubtful.length === 0) return new Set();
  const counts = doubtful.map(({ column }, index) => `count(${ident(column)}) AS n${index}`).join(', ');
  const [values] = await connection.rows(
    `SELECT ${counts} FROM ${parquetFiles(paths, { unionByName: true })}`,
    [],
    signal,
  );
  return new Set(doubtful.filter((_column, index) => values?.[`n${index}`] === 0n).map(({ field }) => field));
}

/**
 * Does some work with a Parquet file of a store. Its bytes may be damaged behind a footer that is whole.
 *
 * @throws CrawlhouseError `cut_short` where the file can't be read; whatever else the work throws
 */
async function refuseDamage<T>(
  { file, path }: Pick<RawPart, 'file' | 'path'>,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = toCrawlhouseError(error);
    // This step also writes a file of our own. An IO error is the part's only where it names the part.
    const isDamage = UNREADABLE.test(message) || (message.startsWith('IO Error: ') && message.includes(path));
    if (signal.aborted || code !== 'internal' || !isDamage) throw error;
    const why = message.split('\n')[0]?.replaceAll(path, file);
    throw retriable('cut_short', `${file} is not a Parquet file that can be read: ${why}`, error);
  }
}
