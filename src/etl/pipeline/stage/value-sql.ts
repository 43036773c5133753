import { ident, text } from '../../../core/duckdb/duckdb.ts';
import { columnType, type Field, type TypeFamily, typeFamily } from '../../project/model/field.ts';

/** The reading and conversion of one field of a raw part. */
export interface Conversion {
  readonly field: Field;
  /** Column of the raw reader with the value. */
  readonly source: string;
  readonly format: 'csv' | 'json' | 'parquet';
  readonly widened: boolean;
  /**
   * The origin of a number's text: sent unchanged, or printed by a JSON parser, which rounds numbers with a point or an
   * exponent to doubles. With `digits`, whole numbers in any other spelling count as broken.
   */
  readonly numbers: 'sent' | 'printed' | 'digits';
  /** DuckDB type of a Parquet column; undefined if the file lacks it. */
  readonly type?: string | undefined;
}

/**
 * Returns SQL that converts the text `source` to a type. The SQL returns NULL if the text is not a value of the type.
 */
function convertText(family: TypeFamily, source: string, conversion: Conversion): string {
  const { widened, numbers, format } = conversion;
  if (family === 'real') return `to_real(${source}, ${numbers !== 'sent'})`;
  if (family !== 'whole') return `to_${family}(${source})`;
  if (numbers === 'digits') return `${widened ? 'only_wide' : 'only_whole'}(${source})`;
  // A number such as `9007199254740993.0` was a double when it was written, in JSON and in CSV.
  return `${widened ? 'to_wide' : 'to_whole'}(${source}, ${format !== 'parquet'})`;
}

/** Returns whether the field is a number, whose spelling a JSON parser may change. */
export function isNumber(field: Field): boolean {
  const family = typeFamily(field.type);
  return family === 'whole' || family === 'real';
}

const REASONS: Readonly<Record<TypeFamily, string>> = {
  whole: 'is not a whole number in range',
  real: 'is not a number in the range of a double',
  bool: 'is neither true nor false',
  date: 'is not a date as yyyy-MM-dd',
  datetime: 'is not a date and time as yyyy/MM/dd HH:mm:ss z, where z is one unambiguous time zone',
  text: 'is not text',
  json: 'is not JSON',
};

/** Returns the type of the value in the raw reader. JSON distinguishes an array from a text that looks like one. */
export function readerType(field: Field, format: 'csv' | 'json'): 'VARCHAR' | 'JSON' {
  if (format === 'csv') return 'VARCHAR';
  return field.arity === 'many' || typeFamily(field.type) === 'json' ? 'JSON' : 'VARCHAR';
}

/** Returns SQL of the typed value; NULL if the value does not survive the conversion. */
export function valueSql(conversion: Conversion): string {
  const { field, format } = conversion;
  if (format === 'parquet') return parquetValueSql(conversion);
  const source = ident(conversion.source);
  const family = typeFamily(field.type);
  if (family === 'json') {
    const value = format === 'json' ? source : `csv_json(${source})`;
    return field.arity === 'one' ? value : `json_list(${value})`;
  }
  if (field.arity === 'one') return convertText(family, source, conversion);
  const elements = elementsSql(conversion);
  return family === 'text'
    ? elements
    : `list_transform(${elements}, lambda e: ${convertText(family, 'e', conversion)})`;
}

/** Returns SQL that is true where a value did not survive the conversion; null for types that accept any value. */
export function brokenSql(conversion: Conversion): string | null {
  if (conversion.format === 'parquet') return parquetBrokenSql(conversion);
  const family = typeFamily(conversion.field.type);
  if (family === 'json' || family === 'text') return null;
  const source = ident(conversion.source);
  const value = valueSql(conversion);
  return conversion.field.arity === 'one'
    ? `(${source} IS NOT NULL AND ${value} IS NULL)`
    : `coalesce(list_count(${value}) <> list_count(${elementsSql(conversion)}), false)`;
}

/** The conversion of a value in the most common spelling (`12`, `0.5`, `True`, UTC). */
export interface UsualSql {
  /** SQL of the value. It stops the query at a value that it cannot convert. */
  readonly value: string;
  /** SQL that is true for any other spelling, broken or not; null if `value` stops the query at each of them. */
  readonly unusual: string | null;
}

/** Returns SQL of a value that stops the query at the first unusual one. */
export function stoppingSql({ value, unusual }: UsualSql): string {
  return unusual === null ? value : `CASE WHEN ${unusual} THEN error(${text(REJECTED)}) ELSE ${value} END`;
}

/** Returns SQL of the typed value that stops the query at the first value that does not survive the conversion. */
export function strictSql(conversion: Conversion): string {
  const value = valueSql(conversion);
  const source = ident(conversion.source);
  const broken = brokenSql(conversion);
  if (broken === null) return stoppingSql({ value, unusual: wordSql(conversion) });
  return conversion.format !== 'parquet' && conversion.field.arity === 'one'
    ? `CASE WHEN ${source} IS NULL THEN NULL ELSE coalesce(${value}, error(${text(REJECTED)})) END`
    : stoppingSql({ value, unusual: broken });
}

/**
 * Returns SQL that is true for a word such as NaN, which DuckDB's JSON reader accepts as a value. Only the original
 * text distinguishes it from a string.
 */
function wordSql({ field, source, format }: Conversion): string | null {
  if (format !== 'json') return null;
  return readerType(field, 'json') === 'JSON'
    ? `is_no_json(${ident(source)})`
    : `strlen(${ident(source)}) < 10 AND is_nan_word(${ident(source)})`;
}

/**
 * Returns SQL for values in their usual spelling. DuckDB plans it in half the time of `strictSql`, which matters with
 * 750 columns per part.
 */
export function usualSql(given: Conversion): UsualSql {
  const conversion: Conversion = given.format === 'json' ? { ...given, numbers: 'digits' } : given;
  const { field, format, widened } = conversion;
  const x = ident(conversion.source);
  const family = typeFamily(field.type);
  if (family === 'json' || family === 'text')
    return { value: valueSql(conversion), unusual: wordSql(conversion) };
  if (field.arity === 'many' || widened) return { value: strictSql(conversion), unusual: null };
  const type = usualReaderType(conversion);
  switch (family) {
    case 'whole': {
      const value = `CAST(${x} AS BIGINT)`;
      return { value, unusual: `CAST(${value} AS VARCHAR) <> ${x}` };
    }
    case 'real': {
      const value = `CAST(${x} AS DOUBLE)`;
      return { value, unusual: `abs(${value}) >= ${EXACT} OR ${x} < '-' OR contains(${x}, '_')` };
    }
    case 'bool': {
      // One by one: with IN, DuckDB takes seven times as long to plan 750 of them.
      const is = (word: string, value: boolean): string => `WHEN ${x} = ${text(word)} THEN ${value}`;
      const words = `${is('true', true)} ${is('false', false)}`;
      const capital = format === 'csv' ? `${is('True', true)} ${is('False', false)} ` : '';
      const value = `CASE ${capital}${words} WHEN ${x} IS NOT NULL THEN error(${text(REJECTED)}) END`;
      return { value, unusual: null };
    }
    case 'datetime':
      return type === 'TIMESTAMP'
        ? { value: `instant(${x})`, unusual: isDoubtful(x, type) }
        : { value: usualInstant(x), unusual: `NOT suffix(${x}, ' UTC')` };
    case 'date':
      return type === 'DATE'
        ? { value: x, unusual: isDoubtful(x, type) }
        : { value: `CAST(strptime(${x}, '%Y-%m-%d') AS DATE)`, unusual: `NOT is_day(${x})` };
  }
}

/** Microseconds that move a year of less than four digits, and no other, below the least 64-bit number. */
const TO_YEAR_1000 = '9192761812854775808';

/**
 * Returns a time in UTC whose year has four digits. An overflow, the cheapest check, stops the query at any other year.
 */
function usualInstant(source: string): string {
  const time = `epoch_us(strptime(${source}, '%Y/%m/%d %H:%M:%S UTC'))`;
  return `make_timestamptz(${time} - ${TO_YEAR_1000} + ${TO_YEAR_1000})`;
}

/**
 * Returns whether DuckDB's JSON reader also returns this day for another text: for `infinity`, `epoch`, or a year of
 * two digits.
 */
function isDoubtful(source: string, type: 'DATE' | 'TIMESTAMP'): string {
  return `${source} < ${type} '1000-01-01' OR ${source} = ${type} '1900-01-01'`;
}

/** Whole numbers below this, 2^53, are exact in a double. */
const EXACT = '9007199254740992';

/**
 * Returns the type of a value in its usual spelling in the raw reader. JSON's dates and times need no text, except the
 * days of `isDoubtful`. Numbers need text, because DuckDB's reader reads `true` as 1.
 */
export function usualReaderType({
  field,
  format,
  widened,
}: Pick<Conversion, 'field' | 'format' | 'widened'>): 'VARCHAR' | 'JSON' | 'TIMESTAMP' | 'DATE' {
  const family = typeFamily(field.type);
  if (format === 'json' && field.arity === 'one' && !widened) {
    if (family === 'datetime') return 'TIMESTAMP';
    if (family === 'date') return 'DATE';
  }
  return readerType(field, format === 'json' ? 'json' : 'csv');
}

/** The message with which `strictSql` stops the query. */
export const REJECTED = 'crawlhouse: a value does not survive its type';

/** Returns why a value is invalid for its field's type, for people. */
export function reasonSql(field: Field): string {
  return text(`${REASONS[typeFamily(field.type)]} (${field.type}${field.arity === 'many' ? ', many' : ''})`);
}

function elementsSql({ field, source, format }: Conversion): string {
  if (format === 'json') return `json_elements(${ident(source)})`;
  return `${isNumber(field) ? 'number' : 'csv'}_elements(${ident(source)})`;
}

/** Types without invalid values: no value is infinite, NaN or not UTF-8. */
const WHOLLY_SOUND = /^(VARCHAR|BIGINT|BOOLEAN|DECIMAL\(\d+,\d+\))(\[\])?$/;
/** Types with values that have no text form. */
const WITHOUT_TEXT = /^(BLOB|FLOAT|DOUBLE|DATE|TIMESTAMP.*)$/;

/** Returns SQL of the typed value of a Parquet column; NULL if the value does not survive the conversion. */
function parquetValueSql(conversion: Conversion): string {
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

/** Returns SQL that is true where a Parquet value did not survive the conversion; null if that is impossible. */
function parquetBrokenSql(conversion: Conversion): string | null {
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

/**
 * Returns SQL of a value's elements, for a field of arity many, and their type. A text may contain an array, as in a
 * CSV.
 */
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
    // A column of the package contains microseconds.
    return type === 'TIMESTAMP_NS' ? `CASE WHEN epoch_ns(${source}) % 1000 = 0 THEN ${instant} END` : instant;
  }
  const value = textSql(source, type);
  if (family === 'json')
    return type === 'JSON'
      ? `CASE WHEN is_json(${source}) THEN ${source} END`
      : `CASE WHEN ${value} IS NOT NULL THEN csv_json(${value}) END`;
  // A whole number beyond 2^53 in a double may have been rounded earlier.
  const wasDouble = type === 'DOUBLE' || type === 'FLOAT';
  return convertText(family, value, wasDouble ? { ...conversion, format: 'json' } : conversion);
}

/** Returns SQL of a value's text, as in CSV; NULL if the value has none. */
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

/** Returns JSON of a nested value. JSON cannot represent infinite times or bytes. */
function nestedTextSql(source: string, type: string): string {
  if (/\bBLOB\b/.test(type)) return 'CAST(NULL AS VARCHAR)';
  const json = `CAST(to_json(${source}) AS VARCHAR)`;
  const infinite = /\b(DATE|TIMESTAMP)/.test(type) ? ` AND NOT regexp_matches(${json}, '"-?infinity"')` : '';
  return `CASE WHEN is_json(${json})${infinite} THEN ${json} END`;
}

function isNested(type: string): boolean {
  return type.endsWith(']') || /^(STRUCT|MAP|UNION)/.test(type);
}
