import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import {
  type Connection,
  type ConnectionPool,
  DUCKDB_VERSION,
  file,
  ident,
  parquetFiles,
} from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { syncPath } from '../../../core/files/atomic-file.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import { retriable } from '../../../core/time/retry.ts';
import type { Part } from '../../project/model/download.ts';
import type { Field } from '../../project/model/field.ts';
import type { Manifest, PackageColumn } from '../../project/model/manifest.ts';
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

const ShownColumn = z.strictObject({ path: z.string() });

/** DuckDB's errors for bytes that are not Parquet. */
const UNREADABLE = /^(?:Invalid (?:Input )?|Serialization |Not implemented |Out of Range )Error: /i;

/** The files of a package in its manifest, with the numbers of rows. */
export interface PackageContent extends Pick<Manifest, 'columns' | 'parts' | 'rejects' | 'notes'> {
  readonly fingerprint: NonNullable<Manifest['fingerprint']>;
  readonly staged: number;
  readonly rejected: number;
}

interface StagedPart extends PartFacts {
  readonly file: string;
  readonly rejected: number;
  readonly rejects: readonly { readonly file: string; readonly rows: number }[];
}

/**
 * Builds a package from raw parts, several at a time, during the download. The size of a part bounds the memory,
 * whatever the size of the download.
 */
export class PackageBuilder {
  readonly #connections: ConnectionPool;
  readonly #folder: string;
  readonly #columns: PackageColumns;
  /** In order of arrival, which may differ from the order of completion. */
  readonly #parts: (readonly StagedPart[])[] = [];
  /** The raw parts, in order of arrival. */
  readonly #begun: Part[] = [];
  /** Keys are recorded part by part, so that the order of columns is always the same. */
  #keysNoted: Promise<unknown> = Promise.resolve();
  /** Keys in the rows of JSONL parts so far. */
  readonly #seen = new Set<string>();
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
   * @param connections one for each concurrent part (`stagingConnections`)
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
   * Converts one raw part. Values that do not survive the conversion go to the package's rejects. After an error, the
   * part can be added again.
   *
   * @throws CrawlhouseError `unreconciled` when the rows that came out are not the rows that went in, `contract_broken`
   *   when the part lacks requested fields
   */
  async addPart(part: Part, signal: AbortSignal): Promise<void> {
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

  async #stagePart(connection: Connection, part: Part, index: number, signal: AbortSignal): Promise<void> {
    const keys = part.format === 'json' ? await this.#keysInTurn(connection, part, index, signal) : null;
    const number = String(index + 1).padStart(5, '0');
    const output = join(this.#folder, `parts/part-${number}.parquet`);
    const isRepeated = keys?.repeated ?? false;
    const whole = isRepeated ? null : await this.#convertKnown(connection, part, output, signal);
    const built: StagedPart[] = [];
    if (whole !== null)
      built.push({ ...whole, file: `parts/part-${number}.parquet`, rejected: 0, rejects: [] });
    const pieces = whole === null ? await splitPart(part) : [];
    for (const [at, piece] of pieces.entries()) {
      const name = piece === part ? number : `${number}-${String(at + 1).padStart(5, '0')}`;
      // A piece may contain nothing broken.
      const isTried = piece === part || isRepeated;
      built.push(await this.#inspect(connection, piece, { name, isTried }, signal));
      if (piece !== part) await rm(piece.path, { force: true });
    }
    const rejected = built.reduce((sum, { rejected }) => sum + rejected, 0);
    const rows = built.reduce((sum, { rows }) => sum + rows, 0);
    if (rows + rejected !== part.rows) {
      throw new CrawlhouseError(
        'unreconciled',
        `${part.file}, from line ${part.firstLine}: ${part.rows} rows received, but ${rows + rejected} staged + rejected`,
      );
    }
    this.#parts[index] = built;
  }

  /** Inspects a part, or a piece of one, until its columns are wide enough. */
  async #inspect(
    connection: Connection,
    piece: Part,
    { name, isTried }: { readonly name: string; readonly isTried: boolean },
    signal: AbortSignal,
  ): Promise<StagedPart> {
    const file = `parts/part-${name}.parquet`;
    const rejects = `rejects-${name}.parquet`;
    const files = { output: join(this.#folder, file), rejects: join(this.#folder, rejects) };
    for (let isFirst = isTried; ; isFirst = false) {
      const staged = isFirst ? null : await this.#convertKnown(connection, piece, files.output, signal);
      if (staged !== null) return { ...staged, file, rejected: 0, rejects: [] };
      const inspection = await inspectPart(connection, piece, this.#columns, files, signal);
      if (inspection === null) continue;
      const { rejected, rejectRows } = inspection;
      return { ...inspection, file, rejects: rejected > 0 ? [{ file: rejects, rows: rejectRows }] : [] };
    }
  }

  /** Returns the rows of the finished package that share the values of these fields; null if none do. */
  repeatedKeys(
    { parts, columns }: Pick<PackageContent, 'parts' | 'columns'>,
    key: readonly string[],
    signal: AbortSignal,
  ): Promise<RepeatedKeys | null> {
    return this.#connections.use((connection) =>
      repeatedKeys(connection, this.#pathsOf(parts), columns, key, signal),
    );
  }

  /** Converts all parts to the same columns and makes them durable. */
  async finish(header: readonly string[] | null, signal: AbortSignal): Promise<PackageContent> {
    return this.#connections.use((connection) => this.#finish(connection, header, signal));
  }

  async #finish(
    connection: Connection,
    header: readonly string[] | null,
    signal: AbortSignal,
  ): Promise<PackageContent> {
    if (header && this.#parts.length === 0) this.#columns.refuseForeign(header, 'the export', true);
    if (header) this.#columns.add(header);
    // An export without rows shows no keys, so it counts as having all requested fields.
    else if (this.#parts.length === 0) this.#columns.addRequested();
    const absent = await this.#absentFields(connection, header, signal);
    const columns = this.#columns.columns.filter((column) => !absent.has(column.field));
    const parts: Manifest['parts'] = [];
    let fingerprint = 0n;
    const staged = this.#parts.flat();
    for (const part of staged) {
      fingerprint += (await this.#bring(connection, part, columns, signal)).fingerprint;
      parts.push(await sealFile(this.#folder, part));
    }
    const rejects: Manifest['rejects'] = [];
    const rejectFiles = staged.flatMap((part) => part.rejects);
    for (const file of rejectFiles.toSorted((a, b) => a.file.localeCompare(b.file)))
      rejects.push(await sealFile(this.#folder, file));
    await syncPath(join(this.#folder, 'parts'));
    const valuesOf = (field: string): readonly string[] | undefined => this.#columns.field(field).values;
    const notes = await packageNotes(connection, this.#pathsOf(parts), columns, valuesOf, signal);
    return {
      columns,
      parts,
      staged: parts.reduce((sum, { rows }) => sum + rows, 0),
      rejected: staged.reduce((sum, { rejected }) => sum + rejected, 0),
      rejects,
      notes: [...notes],
      fingerprint: { sum: String(fingerprint), duckdb: DUCKDB_VERSION },
    };
  }

  #pathsOf(parts: readonly { readonly file: string }[]): string[] {
    return parts.map(({ file }) => join(this.#folder, file));
  }

  /** Converts a part. Returns null also if one of its rows cannot be a requested row. */
  async #convertKnown(
    connection: Connection,
    part: Part,
    output: string,
    signal: AbortSignal,
  ): Promise<PartFacts | null> {
    const converted = await this.#convert(connection, part, output, signal);
    return converted?.foreign ? null : converted;
  }

  /** Converts a part. After the first unusual spelling, the rest of the export uses the general conversion. */
  async #convert(
    connection: Connection,
    raw: Part,
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

  /** Returns the keys of a part, after those of the previous parts are known. */
  async #keysInTurn(
    connection: Connection,
    part: Part,
    index: number,
    signal: AbortSignal,
  ): Promise<PartKeys> {
    const before = this.#keysNoted;
    const keys = before.then(() => this.#keys(connection, part, index === 0 ? 'all' : 'sample', signal));
    // The callers that wait for the keys of that part get the error.
    this.#keysNoted = keys.catch(() => {});
    return keys;
  }

  /** Records the names in a JSONL part. Every requested field is read, even if no row shows it. */
  async #keys(
    connection: Connection,
    part: Part,
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

  /** Returns requested fields without a key or value in any row of a JSONL export. */
  async #absentFields(
    connection: Connection,
    header: readonly string[] | null,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    if (header || this.#parts.length === 0) return new Set();
    const unseen = this.#columns.columns.filter((column) => !this.#seen.has(column.field));
    return fieldsWithoutValue(connection, this.#pathsOf(this.#parts.flat()), unseen, signal);
  }

  /** Converts a part to these columns. */
  async #bring(
    connection: Connection,
    part: StagedPart,
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

/**
 * Returns whether a part has every column in its final type. An additional column, for a field that the export lacked,
 * is harmless.
 */
function holdsColumns(part: readonly PackageColumn[], wanted: readonly PackageColumn[]): boolean {
  const types = new Map(part.map((column) => [column.column, column.sql_type]));
  return wanted.every((column) => types.get(column.column) === column.sql_type);
}

/** Returns the fields whose columns are NULL in every row. The statistics of the files answer for most. */
async function fieldsWithoutValue(
  connection: Connection,
  paths: readonly string[],
  columns: readonly PackageColumn[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (columns.length === 0) return new Set();
  const rows = typedRows(
    ShownColumn,
    await connection.rows(
      `SELECT DISTINCT path_in_schema AS path FROM parquet_metadata([${paths.map(file).join(', ')}])
       WHERE stats_null_count < num_values`,
      [],
      signal,
    ),
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
 * Runs work on a Parquet file from a store. The bytes of the file may be damaged even if its footer is intact.
 *
 * @throws CrawlhouseError `cut_short` if the file cannot be read; other errors of the work
 */
async function refuseDamage<T>(
  { file, path }: Pick<Part, 'file' | 'path'>,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = toCrawlhouseError(error);
    // This step also writes a file. An IO error is caused by the part only where it names the part.
    const isDamage = UNREADABLE.test(message) || (message.startsWith('IO Error: ') && message.includes(path));
    if (signal.aborted || code !== 'internal' || !isDamage) throw error;
    const why = message.split('\n')[0]?.replaceAll(path, file);
    throw retriable('cut_short', `${file} is not a readable Parquet file: ${why}`, error);
  }
}
