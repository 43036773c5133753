import { ident } from '../../../core/duckdb/duckdb.ts';
import { sqlTokens } from '../../../core/duckdb/sql-tokens.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import { portablePattern } from '../../../core/text/portable-pattern.ts';
import type { OutputColumns } from '../../project/sql/plan/check-output.ts';
import type { Dialect } from '../engine.ts';
import { literal } from './client/literal.ts';
import { RelationNames } from './client/relation-names.ts';

export class TrinoDialect implements Dialect {
  readonly translate = translateSql;
  readonly #names: RelationNames;

  constructor(schemaPrefix: string) {
    this.#names = new RelationNames(schemaPrefix);
  }

  reader(relation: string): string {
    return this.#names.reader(relation);
  }

  contains(columns: Parameters<Dialect['contains']>[0], text: string): string {
    const texts = columns.map(({ name, type }) =>
      // Trino has no text of a list, and a different one of a DOUBLE.
      type.endsWith('[]') || type === 'DOUBLE'
        ? `json_format(CAST(${name} AS JSON))`
        : `CAST(${name} AS varchar)`,
    );
    return `strpos(lower(concat_ws(chr(31), ARRAY[${texts.join(', ')}])), lower(${literal(text)})) > 0`;
  }

  slice(offset: number, limit: number): string {
    return `OFFSET ${offset} LIMIT ${limit}`;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  VARCHAR: 'varchar',
  TEXT: 'varchar',
  // As text: Iceberg has no JSON, and Trino cannot read Parquet's JSON type.
  JSON: 'varchar',
  BIGINT: 'bigint',
  INTEGER: 'integer',
  // The sum of whole numbers.
  HUGEINT: 'decimal(38,0)',
  DOUBLE: 'double',
  BOOLEAN: 'boolean',
  DATE: 'date',
  'TIMESTAMP WITH TIME ZONE': 'timestamp(6) with time zone',
  TIMESTAMPTZ: 'timestamp(6) with time zone',
};

/**
 * Writes the portable SQL of a model for Trino, with each column cast to its type in DuckDB.
 *
 * @param sql without findings of `findNonPortable`
 */
export function translateModel(sql: string, outputs: OutputColumns): string {
  const columns = [...outputs].map(
    ([name, type]) => `CAST(${ident(name)} AS ${trinoType(type)}) AS ${ident(name)}`,
  );
  return `SELECT ${columns.join(', ')} FROM (${translateSql(sql)}\n) AS model`;
}

/** Writes portable SQL for Trino, without comments and `;`. Line numbers stay the same, for Trino's errors. */
export function translateSql(sql: string): string {
  return translate(
    sqlTokens(sql)
      .filter(({ text }) => text !== ';')
      .map(({ kind, text }) => (kind === 'comment' ? ` ${text.replaceAll(/[^\n]/g, '')}` : text)),
  );
}

type Call = (args: readonly string[]) => string;

const named =
  (name: string): Call =>
  (args) =>
    `${name}(${args.join(',')})`;

/** Functions of the portable subset that Trino names or bounds differently. */
const CALLS: ReadonlyMap<string, Call> = new Map<string, Call>([
  // Only counted. DuckDB omits NULL.
  ['array_distinct', ([list]) => `array_distinct(filter(${list}, item -> item IS NOT NULL))`],
  ['array_length', named('cardinality')],
  // A list of NULLs has no text in DuckDB, and an empty one in Trino.
  [
    'array_to_string',
    ([list, separator]) =>
      `element_at(transform(ARRAY[${list}], list -> CASE WHEN cardinality(list) = 0 OR any_match(list, item -> item IS NOT NULL) THEN array_join(list, ${separator}) END), 1)`,
  ],
  // DuckDB rounds a whole number as a DOUBLE.
  ['ceil', ([value]) => `ceil(CAST(${value} AS double))`],
  ['floor', ([value]) => `floor(CAST(${value} AS double))`],
  // DuckDB counts the days that begin between two times, Trino 24 hours.
  [
    'date_diff',
    ([unit = '', from, to]) =>
      unit.trim().toLowerCase() === "'day'"
        ? `date_diff('day', date_trunc('day', ${from}), date_trunc('day', ${to}))`
        : named('date_diff')([unit, String(from), String(to)]),
  ],
  // For a list or an object, DuckDB returns the JSON.
  [
    'json_extract_string',
    ([json, path]) =>
      `coalesce(json_extract_scalar(${json},${path}), nullif(json_format(json_extract(${json},${path})), 'null'))`,
  ],
  [
    'list_extract',
    ([list, place = '']) =>
      `element_at(${list},${/^ *[1-9]\d*$/.test(place) ? place : ` nullif(${place}, 0)`})`,
  ],
  [
    'ln',
    ([value]) => `CASE WHEN ${value} <= 0 THEN fail('no logarithm of zero or less') ELSE ln(${value}) END`,
  ],
  ['nfc_normalize', named('normalize')],
  ['regexp_matches', ([text = '', pattern = '']) => `regexp_like(${text},${forJoni(pattern)})`],
  // Trino replaces all matches by default.
  [
    'regexp_replace',
    ([text = '', pattern = '', by = '']) => `regexp_replace(${text},${forJoni(pattern)},${by})`,
  ],
  // To the microsecond, as in DuckDB.
  [
    'to_timestamp',
    ([seconds]) =>
      `CAST(from_unixtime_nanos(CAST(round((${seconds}) * 1e6) AS decimal(38, 0)) * 1000) AS timestamp(6) with time zone)`,
  ],
  // The only letter with a different capital in DuckDB.
  ['upper', ([text]) => `upper(replace(${text}, 'ß', 'ẞ'))`],
  // Compared only within its statement, so any hash of the same values works.
  ['hash', (args) => `xxhash64(to_utf8(json_format(CAST(ROW(${args.join(',')}) AS JSON))))`],
  // Beyond the last part, Trino returns NULL, DuckDB an empty text.
  [
    'split_part',
    ([text = '', delimiter = '', place = '']) => {
      const part = `split_part(${text},${delimiter},${place})`;
      return place.trim() === '1' ? part : `coalesce(${part}, CASE WHEN ${text} IS NOT NULL THEN '' END)`;
    },
  ],
  // Trino removes all white space, DuckDB only spaces.
  ['trim', ([text = '', characters = "' '"]) => `trim(BOTH ${characters.trim()} FROM ${text})`],
]);

/** Returns a pattern for Joni, Trino's engine of regular expressions. */
function forJoni(written: string): string {
  const [, gap, quoted] = /^(\s*)'((?:[^']|'')*)'\s*$/.exec(written) ?? [];
  if (quoted === undefined) return written;
  return gap + literal(portablePattern(quoted.replaceAll("''", "'")).expanded);
}

function translate(tokens: readonly string[]): string {
  let result = '';
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? '';
    const word = token.toLowerCase();
    let next = at + 1;
    while (/^\s/.test(tokens[next] ?? '')) next++;
    const isCall = tokens[next] === '(' && tokens[at - 1] !== '.';
    const call = CALLS.get(word);
    if (isCall && (call || word === 'cast' || word === 'try_cast')) {
      const { args, end } = readArguments(tokens, next);
      result += call ? call(args.map(translate)) : `${token}(${translateCast(args)})`;
      at = end;
    } else {
      result += word === 'timestamptz' && tokens[next]?.startsWith("'") ? 'TIMESTAMP' : token;
    }
  }
  return result;
}

/** Translates `value AS type`. The comma of DECIMAL(38, 9) is in inner brackets. */
function translateCast([tokens = []]: readonly (readonly string[])[]): string {
  const as = tokens.findLastIndex((token) => token.toLowerCase() === 'as');
  return `${translate(tokens.slice(0, as + 1))} ${trinoType(
    tokens
      .slice(as + 1)
      .join('')
      .trim(),
  )}`;
}

/** Returns the arguments of a call, and the position of its closing bracket. */
function readArguments(tokens: readonly string[], open: number): { args: string[][]; end: number } {
  const args: string[][] = [[]];
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    const token = tokens[at] ?? '';
    if (token === '(' || token === '[') depth++;
    if (token === ')' || token === ']') depth--;
    if (depth === 0) return { args, end: at };
    if (depth === 1 && token === ',') args.push([]);
    else if (at > open) args.at(-1)?.push(token);
  }
  return { args, end: tokens.length };
}

/**
 * Returns the Trino type for a DuckDB type.
 *
 * @throws CrawlhouseError `contract_drift` if there is none
 */
export function trinoType(type: string): string {
  if (type.endsWith('[]')) return `array(${trinoType(type.slice(0, -2))})`;
  const own = lookUp(TYPES, type.toUpperCase()) ?? /^decimal\(\d+, ?\d+\)$/.exec(type.toLowerCase())?.[0];
  if (own !== undefined) return own;
  throw new CrawlhouseError('contract_drift', `Trino has no column for the type ${type}`);
}
