import { ident, text } from '../core/duckdb.ts';
import { type Field, type TypeFamily, typeFamily } from '../model/field.ts';

/** How one field of a raw part is read and converted. */
export interface Conversion {
  readonly field: Field;
  /** Column of the raw reader that holds the value. */
  readonly source: string;
  readonly format: 'csv' | 'json';
  readonly widened: boolean;
}

const REASONS: Readonly<Record<TypeFamily, string>> = {
  whole: 'is not a whole number that fits',
  real: 'is not a number that a double can hold',
  bool: 'is neither true nor false',
  date: 'is not a date as yyyy-MM-dd',
  datetime: 'is not a date and time as yyyy/MM/dd HH:mm:ss z',
  text: '',
  json: '',
};

/** Type that the raw reader gives the value: JSON keeps an array apart from a text that looks like one. */
export function readerType(field: Field, format: 'csv' | 'json'): 'VARCHAR' | 'JSON' {
  if (format === 'csv') return 'VARCHAR';
  return field.arity === 'many' || typeFamily(field.type) === 'json' ? 'JSON' : 'VARCHAR';
}

/** SQL of the typed value; NULL where the value does not survive its type. */
export function valueSql(conversion: Conversion): string {
  const { field, format } = conversion;
  const source = ident(conversion.source);
  const family = typeFamily(field.type);
  if (family === 'json') {
    const value = format === 'json' ? source : `csv_json(${source})`;
    return field.arity === 'one' ? value : `json_list(${value})`;
  }
  if (field.arity === 'one') return convert(family, source, conversion);
  const elements = `${format}_elements(${source})`;
  return family === 'text'
    ? elements
    : `list_transform(${elements}, lambda e: ${convert(family, 'e', conversion)})`;
}

/** SQL that is true where a value came and did not survive its type; null for types that take any value. */
export function brokenSql(conversion: Conversion): string | null {
  const family = typeFamily(conversion.field.type);
  if (family === 'json' || family === 'text') return null;
  const source = ident(conversion.source);
  const value = valueSql(conversion);
  return conversion.field.arity === 'one'
    ? `(${source} IS NOT NULL AND ${value} IS NULL)`
    : `coalesce(list_count(${value}) <> list_count(${conversion.format}_elements(${source})), false)`;
}

/** SQL of the typed value that stops the query at the first value that does not survive. */
export function strictSql(conversion: Conversion): string {
  const value = valueSql(conversion);
  const broken = brokenSql(conversion);
  if (broken === null) return value;
  const failure = `error(${text(REJECTED)})`;
  return conversion.field.arity === 'one'
    ? `CASE WHEN ${ident(conversion.source)} IS NULL THEN NULL ELSE coalesce(${value}, ${failure}) END`
    : `CASE WHEN ${broken} THEN ${failure} ELSE ${value} END`;
}

/**
 * The same for the spelling that nearly every value has (`12`, `0.5`, `True`, UTC), and stops at any other, broken or
 * not. DuckDB plans it in half the time, which counts with 750 columns a part.
 */
export function usualSql(conversion: Conversion): string {
  const source = ident(conversion.source);
  const family = typeFamily(conversion.field.type);
  if (conversion.field.arity === 'many' || conversion.widened) return strictSql(conversion);
  const failure = `error(${text(REJECTED)})`;
  const native = usualReaderType(conversion) !== readerType(conversion.field, conversion.format);
  const orFails = `WHEN ${source} IS NOT NULL THEN ${failure} END`;
  switch (family) {
    case 'whole': {
      const whole = `CAST(${source} AS BIGINT)`;
      return `CASE WHEN CAST(${whole} AS VARCHAR) <> ${source} THEN ${failure} ELSE ${whole} END`;
    }
    case 'real': {
      const number = `TRY_CAST(${source} AS DOUBLE)`;
      return `CASE WHEN abs(${number}) < ${EXACT} THEN ${number} ${orFails}`;
    }
    case 'bool': {
      // One by one: by IN, DuckDB takes seven times as long to plan 750 of them.
      const is = (word: string, value: boolean): string => `WHEN ${source} = ${text(word)} THEN ${value}`;
      const words = `${is('true', true)} ${is('false', false)}`;
      const capital = conversion.format === 'csv' ? `${is('True', true)} ${is('False', false)} ` : '';
      return `CASE ${capital}${words} ${orFails}`;
    }
    case 'datetime':
      return native
        ? `CASE WHEN ${source} = TIMESTAMP '1900-01-01' THEN ${failure} ELSE ${inUtc(source)} END`
        : `CASE WHEN suffix(${source}, ' UTC') THEN ${inUtc(`strptime(${source}, '%Y/%m/%d %H:%M:%S UTC')`)} ${orFails}`;
    case 'date':
      return native
        ? `CASE WHEN ${source} = DATE '1900-01-01' THEN ${failure} ELSE ${source} END`
        : strictSql(conversion);
    case 'text':
      return source;
    default:
      return strictSql(conversion);
  }
}

/** A TIMESTAMP taken as UTC: the number that it is already. The function for any zone asks ICU, for 90 ns a value. */
function inUtc(timestamp: string): string {
  return `make_timestamptz(epoch_us(${timestamp}))`;
}

/** Whole numbers below this, 2^53, are exact in a double. */
const EXACT = '9007199254740992';

/**
 * Type that the raw reader gives a value in its usual spelling: JSON's dates and times need no way by text, but for the
 * one day that DuckDB also takes `infinity` and `epoch` for. Its numbers do: DuckDB's reader takes `true` for 1.
 */
export function usualReaderType({ field, format, widened }: Omit<Conversion, 'source'>): string {
  const family = typeFamily(field.type);
  if (format === 'json' && field.arity === 'one' && !widened) {
    if (family === 'datetime') return 'TIMESTAMP';
    if (family === 'date') return 'DATE';
  }
  return readerType(field, format);
}

/** What `strictSql` stops the query with. */
export const REJECTED = 'crawlhouse: a value does not survive its type';

/** Why a value is no value of its field's type, for people. */
export function reasonSql(field: Field): string {
  return text(`${REASONS[typeFamily(field.type)]} (${field.type}${field.arity === 'many' ? ', many' : ''})`);
}

function convert(family: TypeFamily, source: string, conversion: Conversion): string {
  if (family !== 'whole') return `to_${family}(${source})`;
  return `${conversion.widened ? 'to_wide' : 'to_whole'}(${source}, ${conversion.format === 'json'})`;
}
