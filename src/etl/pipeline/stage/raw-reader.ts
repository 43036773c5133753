import { file, ident, text } from '../../../core/duckdb/duckdb.ts';
import type { Part } from '../../project/model/download.ts';
import type { Field } from '../../project/model/field.ts';
import { readerType } from './value-sql.ts';

/** Longest CSV record, in bytes. */
const MAX_RECORD = 16 * 1024 * 1024;
/**
 * The longest JSON record for the usual reader. DuckDB keeps two of them in memory for each thread. Longer records are
 * read one by one.
 */
export const MAX_JSON_RECORD = 4 * 1024 * 1024;
/**
 * The buffer size of CSV. By default, DuckDB allocates the size of 16 records and takes four times as long
 * (docs/decisions/staging.md).
 */
const CSV_BUFFER = 32 * 1024 * 1024;

/** A table expression over a raw part, with the column name of each field. */
export interface RawReader {
  readonly sql: string;
  readonly sources: ReadonlyMap<string, string>;
  /** Whether the columns have the requested types. Otherwise they are text and JSON (`readerType`). */
  readonly typed: boolean;
}

/** A part that is read as text. Parquet has its own types (`parquet-reader.ts`). */
export type TextPart = Part & { readonly format: 'csv' | 'json' };

/**
 * Returns a reader of a raw part with a column for each of `fields`. DuckDB's sniffing is off. CSV columns are matched
 * by position, so the header determines the fields. JSON keys are matched by name, with the types of `typeOf`.
 */
export function rawReader(
  part: TextPart,
  fields: readonly Field[],
  typeOf: (field: Field) => string,
): RawReader {
  return part.format === 'csv' ? csvReader(part) : jsonReader(part, fields, typeOf);
}

function csvReader(part: Part): RawReader {
  const names = part.header ?? [];
  const sources = new Map(names.map((name, index) => [name, `c${index}`]));
  const columns = [...sources.values()].map((source) => `${text(source)}: 'VARCHAR'`).join(', ');
  return {
    sources,
    typed: false,
    sql: `read_csv(${file(part.path)}, hive_partitioning=false, auto_detect=false, header=false, delim=${text(part.delimiter ?? ';')}, quote='"', escape='"',
      nullstr='', allow_quoted_nulls=false, strict_mode=true, null_padding=false, max_line_size=${MAX_RECORD}, buffer_size=${CSV_BUFFER},
      columns={${columns}})`,
  };
}

function jsonReader(part: Part, fields: readonly Field[], typeOf: (field: Field) => string): RawReader {
  const lowered = new Set(fields.map((field) => field.name.toLowerCase()));
  if (lowered.size < fields.length) return clashingJsonReader(part, fields);
  const columns = fields.map((field) => `${text(field.name)}: ${text(typeOf(field))}`).join(', ');
  return {
    sources: new Map(fields.map((field) => [field.name, field.name])),
    typed: true,
    sql: `read_json(${file(part.path)}, hive_partitioning=false, format='newline_delimited', maximum_object_size=${MAX_JSON_RECORD}, dateformat='%Y-%m-%d',
      timestampformat='%Y/%m/%d %H:%M:%S UTC', columns={${columns}})`,
  };
}

/**
 * Extracts keys from each row by path if some keys differ only in case, because such keys cannot be columns of one
 * reader.
 */
function clashingJsonReader(part: Part, fields: readonly Field[]): RawReader {
  const sources = new Map(fields.map((field, index) => [field.name, `c${index}`]));
  const values = fields.map((field) => {
    const arrow = readerType(field, 'json') === 'JSON' ? '->' : '->>';
    const value = `json ${arrow} ${text(jsonPointer(field.name))}`;
    const bare = arrow === '->' ? `CASE WHEN json_type(${value}) <> 'NULL' THEN ${value} END` : value;
    return `${bare} AS ${ident(sources.get(field.name) ?? '')}`;
  });
  return {
    sources,
    typed: false,
    sql: `(SELECT ${values.join(', ')} FROM read_ndjson_objects(${file(part.path)}, hive_partitioning=false))`,
  };
}

/** Returns a JSON pointer to a key with any characters. In a path, `*` means every key, quoted or not. */
export function jsonPointer(key: string): string {
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
