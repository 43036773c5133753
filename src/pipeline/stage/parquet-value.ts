import { ident } from '../../core/duckdb/duckdb.ts';
import { columnType, type TypeFamily, typeFamily } from '../../project/model/field.ts';
import { type Conversion, convertText } from './conversion.ts';

/** Types without invalid values: no value is infinite, NaN or not UTF-8. */
const WHOLLY_SOUND = /^(VARCHAR|BIGINT|BOOLEAN|DECIMAL\(\d+,\d+\))(\[\])?$/;
/** Types with values that have no text form. */
const WITHOUT_TEXT = /^(BLOB|FLOAT|DOUBLE|DATE|TIMESTAMP.*)$/;

/** SQL of the typed value of a Parquet column; NULL where the value does not survive its type. */
export function parquetValueSql(conversion: Conversion): string {
  const { field, type, widened } = conversion;
  const target = columnType(field, widened);
  if (type === undefined) return `CAST(NULL AS ${target})`;
  const source = ident(conversion.source);
  const family = typeFamily(field.type);
  if (field.arity === 'one') return convertValue(family, source, type, conversion);
  if (family === 'json') return `json_list(${convertValue(family, source, type, conversion)})`;
  if (type === target && WHOLLY_SOUND.test(type)) return source;
  const [elements, element] = elementsOf(source, type, conversion);
  return `list_transform(${elements}, lambda e: ${convertValue(family, 'e', element, conversion)})`;
}

/** SQL that is true where a Parquet value did not survive its type; null where there can be no such value. */
export function parquetBrokenSql(conversion: Conversion): string | null {
  const { field, type } = conversion;
  const family = typeFamily(field.type);
  if (type === undefined) return null;
  if (type === columnType(field, conversion.widened) && WHOLLY_SOUND.test(type)) return null;
  if (family === 'text' && field.arity === 'one' && !isNested(type) && !WITHOUT_TEXT.test(type)) return null;
  const source = ident(conversion.source);
  const value = parquetValueSql(conversion);
  if (field.arity === 'one' || family === 'json') return `(${source} IS NOT NULL AND ${value} IS NULL)`;
  const [elements] = elementsOf(source, type, conversion);
  return `(${source} IS NOT NULL AND list_count(${value}) IS DISTINCT FROM list_count(${elements}))`;
}

/** SQL of a value's elements, for a field of arity many, and their type. A text may hold an array, as in a CSV. */
function elementsOf(source: string, type: string, conversion: Conversion): readonly [string, string] {
  if (type.endsWith('[]')) return [source, type.slice(0, -2)];
  if (type === 'VARCHAR' || type === 'BLOB' || type === 'JSON') {
    const family = typeFamily(conversion.field.type);
    const elements = family === 'whole' || family === 'real' ? 'number_elements' : 'csv_elements';
    return [`${elements}(${textSql(source, type)})`, 'VARCHAR'];
  }
  return [`CASE WHEN ${source} IS NOT NULL THEN [${source}] END`, type];
}

function convertValue(family: TypeFamily, source: string, type: string, conversion: Conversion): string {
  const finite = (value: string): string => `CASE WHEN isfinite(${source}) THEN ${value} END`;
  if (family === 'real' && (type === 'DOUBLE' || type === 'FLOAT'))
    return finite(`CAST(${source} AS DOUBLE)`);
  if (family === 'whole' && type === 'BIGINT' && !conversion.widened) return source;
  if (family === 'bool' && type === 'BOOLEAN') return source;
  if (family === 'date' && type === 'DATE') return finite(source);
  if (family === 'datetime' && type.startsWith('TIMESTAMP')) {
    if (type === 'TIMESTAMP WITH TIME ZONE') return finite(source);
    const instant = finite(`instant(${source})`);
    // A column of the package holds microseconds.
    return type === 'TIMESTAMP_NS' ? `CASE WHEN epoch_ns(${source}) % 1000 = 0 THEN ${instant} END` : instant;
  }
  const value = textSql(source, type);
  if (family === 'json')
    return type === 'JSON'
      ? `CASE WHEN is_json(${source}) THEN ${source} END`
      : `CASE WHEN ${value} IS NOT NULL THEN csv_json(${value}) END`;
  // A whole number beyond 2^53 in a double may have been rounded on its way there.
  const wasDouble = type === 'DOUBLE' || type === 'FLOAT';
  return convertText(family, value, wasDouble ? { ...conversion, format: 'json' } : conversion);
}

/** SQL of a value's text, as a CSV would have it; NULL where the value has none. */
function textSql(source: string, type: string): string {
  const finite = (value: string): string => `CASE WHEN isfinite(${source}) THEN ${value} END`;
  if (type === 'VARCHAR') return source;
  if (type === 'BLOB') return `TRY(decode(${source}))`;
  // A float counts as the double that equals it, not as the shorter decimal that rounds to it.
  if (type === 'FLOAT' || type === 'DOUBLE') return finite(`CAST(CAST(${source} AS DOUBLE) AS VARCHAR)`);
  if (type === 'DATE') return finite(`CAST(${source} AS VARCHAR)`);
  if (type.startsWith('TIMESTAMP')) {
    const utc = type === 'TIMESTAMP WITH TIME ZONE' ? `timezone('UTC', ${source})` : source;
    return finite(
      `strftime(${utc}, '%Y/%m/%d %H:%M:%S') || rtrim(rtrim(strftime(${utc}, '.%n'), '0'), '.') || ' UTC'`,
    );
  }
  return isNested(type) ? nestedTextSql(source, type) : `CAST(${source} AS VARCHAR)`;
}

/** JSON of a nested value. It has no word for infinite times, and none for bytes. */
function nestedTextSql(source: string, type: string): string {
  if (/\bBLOB\b/.test(type)) return 'CAST(NULL AS VARCHAR)';
  const json = `CAST(to_json(${source}) AS VARCHAR)`;
  const infinite = /\b(DATE|TIMESTAMP)/.test(type) ? ` AND NOT regexp_matches(${json}, '"-?infinity"')` : '';
  return `CASE WHEN is_json(${json})${infinite} THEN ${json} END`;
}

function isNested(type: string): boolean {
  return type.endsWith(']') || /^(STRUCT|MAP|UNION)/.test(type);
}
