import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { type Connection, file, ident, parquetFiles, text } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { readLines } from '../../../core/files/read-lines.ts';
import type { Part } from '../../project/model/download.ts';
import { type Field, typeFamily } from '../../project/model/field.ts';
import { quoteNumbers } from './exact-json.ts';
import { LACKS_REASON, lacksSql } from './foreign-rows.ts';
import { hasTextBesideQuotes, isJson } from './loose-text.ts';
import type { PackageColumns } from './package-columns.ts';
import { type PartFacts, writePart } from './package-part.ts';
import { parquetColumns } from './parquet-reader.ts';
import { jsonPointer } from './raw-reader.ts';
import { brokenSql, type Conversion, isNumber, readerType, reasonSql, valueSql } from './value-sql.ts';

/** The result of reading a part record by record. */
export interface Inspection extends PartFacts {
  readonly rejected: number;
  /** Rows of the file of rejects. A rejected record may have several broken values. */
  readonly rejectRows: number;
}

const SUSPECTS = 'suspect_records';

/**
 * Reads a part record by record. Widens columns that are too narrow, writes good rows to `output`, and writes broken
 * values with their lines to `rejects`.
 *
 * @returns null when a column was widened and the part must be converted again
 */
export async function inspectPart(
  connection: Connection,
  part: Part,
  columns: PackageColumns,
  { output, rejects }: { readonly output: string; readonly rejects: string },
  signal: AbortSignal,
): Promise<Inspection | null> {
  const copy = `${output}.records.jsonl`;
  let types: ReadonlyMap<string, string> = new Map();
  try {
    if (part.format === 'parquet') {
      types = await parquetColumns(connection, part, signal);
      await connection.run(parquetSuspectsSql(part, columns, types), [], signal);
    } else {
      await pipeline(Readable.from(recordLines(part)), createWriteStream(copy), { signal });
      await connection.run(suspectsSql(part, columns, copy), [], signal);
    }
    const conversions = conversionsOf(part, columns, types);
    const named = columns.columns;
    if (await widenWhereRoomLacks(connection, conversions, columns, signal)) return null;
    const broken = brokenListSql(conversions);
    const wholeLines = `SELECT ${text(part.file)} AS file, line, NULL::VARCHAR AS field, raw AS value, problem AS reason
      FROM ${SUSPECTS} WHERE problem IS NOT NULL`;
    const values = `SELECT ${text(part.file)} AS file, line, b.field, b.value, b.reason
      FROM (SELECT line, unnest(${broken}) AS b FROM ${SUSPECTS} WHERE problem IS NULL)`;
    const rejectRows = await connection.run(
      `COPY (${wholeLines} UNION ALL ${values} ORDER BY line) TO ${text(rejects)} (FORMAT parquet, COMPRESSION zstd)`,
      [],
      signal,
    );
    const good = conversions.map(
      (conversion, index) => `${valueSql(conversion)} AS ${ident(named[index]?.column ?? '')}`,
    );
    const kept = `SELECT ${good.join(', ')} FROM ${SUSPECTS} WHERE problem IS NULL AND len(${broken}) = 0`;
    const staged = await writePart(connection, kept, named, { output }, signal);
    const all = Number(await connection.scalar(`SELECT count(*) FROM ${SUSPECTS}`));
    return { ...staged, rejected: all - staged.rows, rejectRows: Number(rejectRows) };
  } finally {
    await connection.run(`DROP TABLE IF EXISTS ${SUSPECTS}`);
    await rm(copy, { force: true });
  }
}

async function* recordLines(part: Part): AsyncGenerator<string> {
  for await (const record of readRecords(part)) yield `${JSON.stringify(record)}\n`;
}

/** Returns SQL for a temporary table with `line`, `problem`, `raw` and a column `c<n>` for each field. */
function suspectsSql(part: Part, columns: PackageColumns, copy: string): string {
  const fields = columns.fields;
  const records = `read_json(${file(copy)}, hive_partitioning=false, format='newline_delimited',
    columns={line: 'BIGINT', problem: 'VARCHAR', text: 'VARCHAR', quoted: 'VARCHAR', cells: 'VARCHAR[]'})`;
  if (part.format === 'csv') {
    const header = part.header ?? [];
    const cells = fields.map((field, index) => `cells[${header.indexOf(field.name) + 1}] AS c${index}`);
    return `CREATE OR REPLACE TEMP TABLE ${SUSPECTS} AS SELECT line, problem, text AS raw, ${cells.join(', ')} FROM ${records}`;
  }
  // By pointer and position, so that names that differ only in case stay distinct. Each value is extracted once.
  const kindOf = (field: Field): 'exact' | 'jsons' | 'texts' =>
    isNumber(field) ? 'exact' : readerType(field, 'json') === 'JSON' ? 'jsons' : 'texts';
  const byKind = Map.groupBy(fields, kindOf);
  const pathsOf = (kind: 'exact' | 'jsons' | 'texts'): string =>
    `[${(byKind.get(kind) ?? []).map((field) => text(jsonPointer(field.name))).join(', ')}]::VARCHAR[]`;
  const values = fields.map((field, index) => {
    const kind = kindOf(field);
    const value = `${kind}[${(byKind.get(kind) ?? []).indexOf(field) + 1}]`;
    if (readerType(field, 'json') === 'JSON')
      return `CASE WHEN json_type(${value}) <> 'NULL' THEN ${value} END AS c${index}`;
    return `${kind === 'exact' ? `${value} ->> '$'` : value} AS c${index}`;
  });
  return `CREATE OR REPLACE TEMP TABLE ${SUSPECTS} AS
    WITH checked AS (
      SELECT line, text AS raw, quoted, coalesce(problem, CASE
        WHEN NOT json_valid(text) THEN 'is not valid JSON'
        WHEN json_type(text) <> 'OBJECT' THEN 'is not a JSON object'
        WHEN len(list_distinct(json_keys(text))) < len(json_keys(text)) THEN 'has a key twice'
        ${foreignSql(columns)}
      END) AS problem
      FROM ${records}
    ), parsed AS (
      SELECT line, problem, raw,
        CASE WHEN problem IS NULL THEN json_extract_string(raw, ${pathsOf('texts')}) END AS texts,
        CASE WHEN problem IS NULL THEN json_extract(raw, ${pathsOf('jsons')}) END AS jsons,
        CASE WHEN problem IS NULL THEN json_extract(coalesce(quoted, raw), ${pathsOf('exact')}) END AS exact
      FROM checked
    )
    SELECT line, problem, CASE WHEN problem IS NOT NULL THEN raw END AS raw, ${values.join(', ')} FROM parsed`;
}

/** Returns SQL of the branch for a record that has keys, but none of the requested fields. */
function foreignSql({ shown, asked }: PackageColumns): string {
  if (shown === 'unknown' || asked.length === 0) return '';
  const names = `[${asked.map(({ name }) => text(name)).join(', ')}]`;
  return `WHEN len(json_keys(text)) > 0 AND NOT list_has_any(json_keys(text), ${names})
          THEN 'has none of the requested fields'`;
}

/** Returns the suspects of a Parquet file. All its rows are records; the line of a record is its number in the file. */
function parquetSuspectsSql(part: Part, columns: PackageColumns, types: ReadonlyMap<string, string>): string {
  const values = columns.fields.map(({ name }, index) => {
    const type = types.get(name);
    return `${type === undefined ? 'NULL::VARCHAR' : ident(name)} AS c${index}`;
  });
  return `CREATE OR REPLACE TEMP TABLE ${SUSPECTS} AS
    SELECT file_row_number + 1 AS line, NULL::VARCHAR AS problem, NULL::VARCHAR AS raw, ${values.join(', ')}
    FROM ${parquetFiles([part.path], { rowNumbers: true })}`;
}

function conversionsOf(
  part: Part,
  columns: PackageColumns,
  types: ReadonlyMap<string, string>,
): Conversion[] {
  return columns.fields.map((field, index) => ({
    field,
    source: `c${index}`,
    format: part.format,
    widened: columns.isWidened(field.name),
    numbers: 'sent',
    type: types.get(field.name),
  }));
}

/**
 * Widens each integer column with at least one broken value that fits the wider type. Returns whether any column was
 * widened.
 */
async function widenWhereRoomLacks(
  connection: Connection,
  conversions: readonly Conversion[],
  columns: PackageColumns,
  signal: AbortSignal,
): Promise<boolean> {
  const narrow = conversions.filter(
    (conversion) =>
      typeFamily(conversion.field.type) === 'whole' && !conversion.widened && brokenSql(conversion) !== null,
  );
  if (narrow.length === 0) return false;
  const checks = narrow.map((conversion, index) => {
    const tooWide = brokenSql({ ...conversion, widened: true }) ?? 'false';
    return `bool_or(${brokenSql(conversion)}) FILTER (NOT ${tooWide}) AS w${index}`;
  });
  const rows = await connection.rows(
    `SELECT ${checks.join(', ')} FROM ${SUSPECTS} WHERE problem IS NULL`,
    [],
    signal,
  );
  const lacking = narrow.filter((_one, index) => rows[0]?.[`w${index}`] === true);
  for (const conversion of lacking) columns.widen(conversion.field.name);
  return lacking.length > 0;
}

/** Returns SQL of the list of broken values of a record: `{field, value, reason}`. */
function brokenListSql(conversions: readonly Conversion[]): string {
  const items = conversions.flatMap((conversion) => {
    const item = (reason: string, broken: string): string =>
      `{field: ${text(conversion.field.name)}, value: CAST(${ident(conversion.source)} AS VARCHAR), reason: ${reason}, broken: ${broken}}`;
    const broken = brokenSql(conversion);
    return [
      ...(conversion.field.required ? [item(text(LACKS_REASON), lacksSql(ident(conversion.source)))] : []),
      ...(broken === null ? [] : [item(reasonSql(conversion.field), broken)]),
    ];
  });
  if (items.length === 0)
    return `CAST([] AS STRUCT(field VARCHAR, value VARCHAR, reason VARCHAR, broken BOOLEAN)[])`;
  return `list_filter([${items.join(', ')}], lambda b: b.broken)`;
}

/** One record of a raw part, with its first line; `problem` says why it is not a record of the export. */
interface RawRecord {
  readonly line: number;
  readonly problem: string | null;
  /** The original text: a JSON line, or the cells of a CSV record (null for an empty cell without quotes). */
  readonly text: string | null;
  /**
   * A JSON line with numbers in their own spelling: those with a point or an exponent as strings. Null if equal to
   * `text`.
   */
  readonly quoted: string | null;
  readonly cells: readonly (string | null)[] | null;
}

/**
 * Streams a raw part record by record, for the few parts with broken content.
 *
 * @throws CrawlhouseError `contract_broken` with the line where the quotes of a CSV do not match
 */
export async function* readRecords(part: Part): AsyncGenerator<RawRecord> {
  try {
    yield* part.format === 'csv' ? csvRecords(part) : jsonRecords(part);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = part.firstLine - 1 + Number(error.lines);
    throw new CrawlhouseError('contract_broken', `${part.file}:${line}: ${error.message}`, { cause: error });
  }
}

async function* jsonRecords(part: Part): AsyncGenerator<RawRecord> {
  for await (const { line: bytes, number } of readLines(part.path, 'latin1')) {
    if (/^[ \t\r]*$/.test(bytes)) continue;
    const { text, valid } = decode(bytes.replace(/\r$/, ''));
    const line = part.firstLine - 1 + number;
    const quoted = valid ? quoteNumbers(text) : null;
    const problem = !valid
      ? 'is not valid UTF-8'
      : quoted === null || !isJson(text)
        ? 'is not valid JSON'
        : null;
    // It usually equals the text, which may be long.
    yield { line, problem, text, quoted: quoted === text ? null : quoted, cells: null };
  }
}

/** A value without quotes that contains a `\r`. */
interface BareReturn {
  readonly bare: string;
}

/**
 * Yields the records of a CSV part. A record ends in CRLF or LF; a file may mix both. A lone `\r` outside quotes may be
 * data or a record end, so its record is invalid.
 */
async function* csvRecords(part: Part): AsyncGenerator<RawRecord> {
  const width = part.header?.length ?? 0;
  const delimiter = part.delimiter ?? ';';
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n'],
    encoding: 'latin1',
    relax_column_count: true,
    relax_quotes: true,
    raw: true,
    cast: (value, { quoting }): string | null | BareReturn => {
      if (quoting) return value;
      return value.includes('\r') ? { bare: value } : value || null;
    },
  });
  // An error of the file is also the parser's: it surfaces in the loop below.
  pipeline(createReadStream(part.path), parser).catch(() => {});
  const records: AsyncIterable<{
    readonly raw: string;
    readonly record: readonly (string | null | BareReturn)[];
  }> = parser;
  let nextLine = part.firstLine;
  for await (const { raw, record } of records) {
    const values = record.map((cell) => (typeof cell === 'object' ? (cell?.bare ?? null) : cell));
    const line = nextLine;
    nextLine += 1 + values.reduce((sum, value) => sum + countNewlines(value), 0);
    const hasBareReturn = record.some((cell) => cell !== null && typeof cell === 'object');
    const isBlank =
      record.length === 1 && (values[0] === null || (hasBareReturn && /^\r+$/.test(values[0] ?? '')));
    if (isBlank) continue;
    const cells = values.map((value) => (value === null ? null : decode(value)));
    const problem = !cells.every((cell) => cell?.valid ?? true)
      ? 'is not valid UTF-8'
      : hasBareReturn
        ? 'has a carriage return outside quotes'
        : hasTextBesideQuotes(raw, delimiter)
          ? 'has text outside quotes'
          : record.length === width
            ? null
            : `has ${record.length} cells where the header has ${width}`;
    yield {
      line,
      problem,
      text: problem === null ? null : cells.map((cell) => cell?.text ?? '').join(delimiter),
      quoted: null,
      cells: cells.map((cell) => cell?.text ?? null),
    };
  }
}

function countNewlines(value: string | null): number {
  let count = 0;
  for (let at = value?.indexOf('\n') ?? -1; value !== null && at !== -1; at = value.indexOf('\n', at + 1))
    count++;
  return count;
}

function decode(latin1: string): { text: string; valid: boolean } {
  const bytes = Buffer.from(latin1, 'latin1');
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), valid: true };
  } catch {
    // Not UTF-8: staging rejects the value.
    return { text: bytes.toString('utf8'), valid: false };
  }
}
