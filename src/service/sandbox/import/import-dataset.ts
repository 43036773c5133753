import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FieldRecord } from '../../../client/resources/fields.ts';
import { type Connection, ident, text } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { readLines } from '../../../core/files/read-lines.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { type Column, type ColumnKind, columnsOf, kindOfField, SQL_TYPES } from '../../fields/column.ts';
import type { DatasetName } from '../../fields/field-records-of.ts';
import type { StoredDataset } from '../../resources/resources.ts';
import { ServiceRows } from '../../rows/service-rows.ts';
import { readFields } from './read-fields.ts';

/** Loads one data type of a folder: `<name>.fields.json` and, if it exists, `<name>.jsonl`. */
export async function importDataset(
  { rows, logger }: { readonly rows: ServiceRows; readonly logger: Logger },
  dir: string,
  owner: string,
  name: DatasetName,
): Promise<StoredDataset> {
  const fields = await readFields(join(dir, `${name}.fields.json`));
  const file = join(dir, `${name}.jsonl`);
  if (!existsSync(file)) return { table: undefined, columns: columnsOf(fields) };
  const keys = await unknownKeys(file, new Set(fields.map((field) => field.name)));
  if (keys.length > 0) logger.warn('keys that are not fields are left out', { file, keys });
  const table = `${name}_${owner}`;
  const columns = await rows.useForImport((connection) => importRows(connection, file, fields, table));
  return { table, columns };
}

/**
 * Returns the keys of a JSONL file that are not fields of it. Reads the file once before DuckDB does, because DuckDB
 * accepts text that is not JSON (trailing commas, NaN), and counts the lines of its errors differently.
 *
 * @throws CrawlhouseError `bad_project` with file and line
 */
async function unknownKeys(file: string, known: ReadonlySet<string>): Promise<string[]> {
  const keys = new Set<string>();
  for await (const { line, number } of readLines(file)) {
    if (line.trim() === '') continue;
    for (const key of Object.keys(parseRow(line, file, number))) if (!known.has(key)) keys.add(key);
  }
  return [...keys];
}

function parseRow(line: string, file: string, number: number): object {
  let problem = 'is not a JSON object';
  try {
    const row: unknown = JSON.parse(line);
    if (typeof row === 'object' && row !== null && !Array.isArray(row)) return row;
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  throw new CrawlhouseError('bad_project', `${file}, line ${number}: ${problem}`, {
    hint: 'write one row per line of a .jsonl file, as a JSON object',
  });
}

/** The longest line of JSON. */
const MAX_OBJECT_BYTES = 16 * 1024 * 1024;

/** The types that can store a value without loss. A column has the common bits of its values. */
const BITS = { bool: 1, int: 2, float: 4, text: 8, texts: 16, json: 32 } as const;

/**
 * Loads a JSONL file into a table. A column gets a typed kind only if each of its values returns from that type with
 * the same text. Otherwise, the column keeps its JSON.
 */
export async function importRows(
  connection: Connection,
  file: string,
  fields: readonly FieldRecord[],
  tableName: string,
): Promise<readonly Column[]> {
  const staged = ServiceRows.table(`${tableName}_staged`);
  const paths = fields.map((field) => text(pointer(field.name))).join(', ');
  const rows = `read_json_objects(${text(file)}, format = 'newline_delimited', maximum_object_size = ${MAX_OBJECT_BYTES})`;
  await connection.run(
    `CREATE OR REPLACE TABLE ${staged} AS SELECT json_extract(json, [${paths}]) AS cells FROM ${rows}`,
  );
  try {
    const columns = await decideKinds(connection, staged, fields);
    const cells = columns.map((column) => `${typed(column)} AS ${ident(column.id)}`);
    const select = `SELECT ${cells.join(', ')} FROM (${unpacked(staged, fields.length)})`;
    await connection.run(`CREATE OR REPLACE TABLE ${ServiceRows.table(tableName)} AS ${select}`);
    return columns;
  } finally {
    await connection.run(`DROP TABLE ${staged}`);
  }
}

/** Returns a JSON Pointer, which unlike a path can name any key. */
function pointer(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function unpacked(staged: string, count: number): string {
  const cells = Array.from(
    { length: count },
    (_, index) => `nullif(CAST(cells[${index + 1}] AS VARCHAR), 'null') AS c${index}`,
  );
  return `SELECT ${cells.join(', ')} FROM ${staged}`;
}

async function decideKinds(
  connection: Connection,
  staged: string,
  fields: readonly FieldRecord[],
): Promise<readonly Column[]> {
  const masks = fields.map((_, index) => `coalesce(bit_or(${bitOf(`c${index}`)}), 0)::INTEGER`);
  const sql = `SELECT [${masks.join(', ')}]::VARCHAR AS masks FROM (${unpacked(staged, fields.length)})`;
  const found = JSON.parse(String(await connection.scalar(sql))) as number[];
  return fields.map((field, index) => ({
    id: `c${index}`,
    kind: kindOfMask(found[index] ?? 0, field),
    field,
  }));
}

function bitOf(c: string): string {
  const roundTrips = (type: string): string => `CAST(TRY_CAST(${c} AS ${type}) AS VARCHAR) = ${c}`;
  const strings = `len(list_filter(json_extract(${c}, '$[*]'), lambda e: NOT starts_with(CAST(e AS VARCHAR), '"'))) = 0`;
  return `CASE WHEN ${c} IS NULL THEN 0 WHEN ${c} IN ('true', 'false') THEN ${BITS.bool}
    WHEN starts_with(${c}, '"') THEN ${BITS.text} WHEN starts_with(${c}, '{') THEN ${BITS.json}
    WHEN starts_with(${c}, '[') THEN CASE WHEN ${strings} THEN ${BITS.texts} ELSE ${BITS.json} END
    WHEN ${roundTrips('BIGINT')} THEN ${BITS.int} WHEN ${roundTrips('DOUBLE')} THEN ${BITS.float} ELSE ${BITS.json} END`;
}

function kindOfMask(mask: number, field: FieldRecord): ColumnKind {
  const many = field.arity === 'many';
  if (mask === 0) return kindOfField(field);
  // A lone value and a list of one are the same on the wire, so both fit a list column.
  if (many) return (mask & ~(BITS.text | BITS.texts)) === 0 ? 'texts' : 'json';
  const kind = (Object.keys(BITS) as (keyof typeof BITS)[]).find((name) => BITS[name] === mask);
  return kind === undefined || kind === 'texts' ? 'json' : kind;
}

function typed({ id, kind }: Column): string {
  switch (kind) {
    case 'text':
      return `json_extract_string(${id}, '$')`;
    case 'texts':
      return `CASE WHEN ${id} IS NULL THEN NULL WHEN starts_with(${id}, '[') THEN json_extract_string(${id}, '$[*]') ELSE [json_extract_string(${id}, '$')] END`;
    default:
      return `CAST(${id} AS ${SQL_TYPES[kind]})`;
  }
}
