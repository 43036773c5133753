import { nodesOf } from '../../../../core/duckdb/serialize-sql.ts';
import { isCode, type SqlToken, sqlTokens } from '../../../../core/duckdb/sql-tokens.ts';
import { insteadOf, PARSED } from './portable-functions.ts';

export interface PortabilityFault {
  readonly rule: string;
  readonly instead: string;
  readonly offset?: number | undefined;
}

/** Names of types that a CAST may use. DECIMAL alone has another size in each engine. */
export const TYPES =
  'VARCHAR, BIGINT, INTEGER, DOUBLE, BOOLEAN, DATE, DECIMAL(38, 9), TIMESTAMPTZ, or lists of them';
const TYPE =
  /^(?:VARCHAR|TEXT|BIGINT|INTEGER|DOUBLE|BOOLEAN|DATE|DECIMAL\(\d+,\d+\)|TIMESTAMPTZ|TIMESTAMP WITH TIME ZONE)(?:\[\])*$/;

/** All words of SQL that a portable statement may contain, besides its names. */
const KEYWORDS = wordsOf(`
  all and array as asc at between by case cast coalesce count cross cube current day desc distinct else end except exists
  extract false filter first following from full group grouping having hour in inner intersect interval is join last left
  like limit minute month not null nulls offset on or order ordinality outer over partition preceding quarter range right
  rollup row rows second select sets then time true try_cast unbounded union using values week when where window with year zone
`);

/** Names that other engines require in quotes, but DuckDB does not. */
const RESERVED = wordsOf(`
  alter constraint create current_catalog current_date current_path current_role current_schema current_time
  current_timestamp current_user deallocate delete describe drop escape execute for insert into json_array json_exists
  json_object json_query json_table json_value listagg localtime localtimestamp natural normalize prepare recursive skip
  table uescape
`);

const OPERATORS: ReadonlySet<string> = new Set([
  '+',
  '-',
  '*',
  '/',
  '%',
  '=',
  '<>',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  '||',
]);

/** Keys of the tree whose names appear in the SQL. */
const NAME_KEYS = new Set(
  'column_names alias table_name schema_name catalog_name function_name column_name_alias aliases using_columns key'.split(
    ' ',
  ),
);

/**
 * Finds faults that leave no trace in DuckDB's tree, or a trace that several spellings share. `translateSql` passes
 * words on unchanged, so each must be a name of the tree or a word that engines share.
 */
export function tokenFaults(sql: string, tree: unknown): PortabilityFault[] {
  const tokens = sqlTokens(sql).filter(isCode);
  const names = new Set([...namesOf(tree), ...windowNames(tokens)]);
  const { types, faults } = castTypes(tokens);
  const add = (rule: string, instead: string, { offset }: SqlToken): number =>
    faults.push({ rule, instead, offset });
  for (const [at, token] of tokens.entries()) {
    // The type after :: belongs to a cast that is already a finding.
    if (types.has(at) || /^[$:]$/.test(tokens[at - 1]?.text ?? '')) continue;
    const { kind, text } = token;
    if (kind === 'foreign')
      add(
        `no text like ${/^(?:\$[^$]*\$|[^']*')/.exec(text)?.[0] ?? text}…`,
        "'…', with '' for a quote",
        token,
      );
    if (kind === 'number' && /_|^0\d/.test(text)) add(`no ${text}`, 'the digits alone', token);
    if (kind === 'word') wordFault(tokens, at, names, add);
    if (kind === 'sign') signFault(tokens, at, add);
  }
  return [...faults, ...orderFaults(tokens)];
}

type Add = (rule: string, instead: string, token: SqlToken) => number;

function wordFault(tokens: readonly SqlToken[], at: number, names: ReadonlySet<string>, add: Add): void {
  const token = tokens[at] as SqlToken;
  const word = token.text.toLowerCase();
  const next = tokens[at + 1];
  if (word === 'date' || word === 'timestamptz') {
    if (next?.kind !== 'text') {
      if (!names.has(word)) add(`no ${token.text}`, 'a name, or a literal of this type', token);
    } else if (word === 'timestamptz' && !/(?:[+-]\d\d(?::?\d\d)?|UTC|Z)'$/.test(next.text))
      add('a time with its zone', "TIMESTAMPTZ '2026-01-31 12:00:00+00:00'", token);
    return;
  }
  if (RESERVED.has(word) && names.has(word))
    add(`no ${token.text} without quotes`, `"${token.text}" for a name`, token);
  else if (!KEYWORDS.has(word) && !names.has(word))
    add(`no ${token.text}`, insteadOf(word, next?.text === '('), token);
}

const OPERATOR = /[-+*/<>=~!@%^&|`?:#]/;

/** Reads operators like PostgreSQL: adjacent signs are one operator, without a + or - at its end. */
function signFault(tokens: readonly SqlToken[], at: number, add: Add): void {
  const token = tokens[at] as SqlToken;
  if (/^[{};]$/.test(token.text) && token.text !== ';')
    add(`no ${token.text}`, 'columns of their own, or VALUES', token);
  const before = tokens[at - 1];
  const isJoined = (token: SqlToken | undefined, to: SqlToken | undefined): boolean =>
    token?.kind === 'sign' &&
    OPERATOR.test(token.text) &&
    to !== undefined &&
    token.offset + token.text.length === to.offset;
  if (!OPERATOR.test(token.text) || isJoined(before, token)) return;
  let text = token.text;
  for (
    let next = at;
    isJoined(tokens[next], tokens[next + 1]) && OPERATOR.test(tokens[next + 1]?.text ?? '');
    next++
  )
    text += tokens[next + 1]?.text;
  const operator = text.length > 1 && text !== '->' ? text.replace(/[-+]+$/, '') || text.slice(0, 1) : text;
  if (!OPERATORS.has(operator)) add(`no ${operator}`, insteadOf(operator), token);
}

/** Returns faults that only the order of words shows. */
function orderFaults(tokens: readonly SqlToken[]): PortabilityFault[] {
  const faults: PortabilityFault[] = [];
  const wordAt = (at: number): string =>
    tokens[at]?.kind === 'word' && tokens[at - 1]?.text !== '$' ? (tokens[at]?.text.toLowerCase() ?? '') : '';
  /** For each open bracket: whether it contains SELECT, and whether it belongs to a call such as EXTRACT. */
  const open: { selects: boolean; calls: boolean }[] = [{ selects: false, calls: false }];
  for (const [at, { kind, text, offset }] of tokens.entries()) {
    const add = (rule: string, instead: string): number => faults.push({ rule, instead, offset });
    const word = wordAt(at);
    const next = wordAt(at + 1);
    if (text === '(') open.push({ selects: false, calls: wordAt(at - 1) === 'extract' });
    if (text === ')' && open.length > 1) open.pop();
    const inner = open.at(-1);
    if (word === 'select' && inner) inner.selects = true;
    if (/^(?:union|except|intersect)$/.test(word) && inner) inner.selects = false;
    if (word === 'from' && inner && !inner.selects && !inner.calls && wordAt(at - 1) !== 'distinct')
      add('SELECT comes first', 'SELECT … FROM …');
    if (word === 'is' && /^(?:true|false|unknown)$/.test(next === 'not' ? wordAt(at + 2) : next))
      add('no IS TRUE', 'coalesce(b, false)');
    if (word === 'offset' && /^(?:\d|\$)/.test(tokens[at + 1]?.text ?? '') && limitsBefore(tokens, at))
      add('OFFSET comes before LIMIT', 'OFFSET m LIMIT n');
    if (word === 'filter' && tokens[at + 1]?.text === '(' && wordAt(at + 2) !== 'where')
      add('FILTER has WHERE', 'FILTER (WHERE …)');
    if (word === 'interval' && !isInterval(tokens[at + 1], wordAt(at + 2)))
      add('INTERVAL of a text', "INTERVAL '28' DAY");
    if (
      kind === 'text' &&
      (wordAt(at - 1) === 'as' || wordAt(at - 1) === 'from' || wordAt(at - 1) === 'join')
    )
      add('a name is no text', '"a" for a name');
    if (kind === 'text' && open.at(-1)?.calls && tokens[at - 1]?.text === '(')
      add('EXTRACT of a word', 'extract(YEAR FROM a)');
    if (text === ',' && (/^[)\];]?$/.test(tokens[at + 1]?.text ?? '') || AFTER_LIST.has(next)))
      add('no comma at the end', 'the list without it');
  }
  return faults;
}

const AFTER_LIST = wordsOf('from where group having order limit offset union except intersect');

function limitsBefore(tokens: readonly SqlToken[], at: number): boolean {
  return [2, 3].some(
    (back) => tokens[at - back]?.kind === 'word' && /^limit$/i.test(tokens[at - back]?.text ?? ''),
  );
}

function isInterval(amount: SqlToken | undefined, unit: string): boolean {
  return (
    amount?.kind === 'text' && /^'-?\d+'$/.test(amount.text) && /^(?:day|hour|minute|second)$/.test(unit)
  );
}

/** Returns the positions of words that are types of CASTs, and their faults. */
function castTypes(tokens: readonly SqlToken[]): { types: ReadonlySet<number>; faults: PortabilityFault[] } {
  const types = new Set<number>();
  const faults: PortabilityFault[] = [];
  const open: { isCast: boolean; as?: number }[] = [];
  for (const [at, { kind, text }] of tokens.entries()) {
    const word = kind === 'word' ? text.toLowerCase() : '';
    if (text === '(' && kind === 'sign')
      open.push({ isCast: /^(?:try_)?cast$/i.test(tokens[at - 1]?.text ?? '') });
    const cast = open.at(-1);
    if (word === 'as' && cast?.isCast) cast.as = at;
    if (text !== ')' || kind !== 'sign') continue;
    open.pop();
    if (!cast?.isCast || cast.as === undefined) continue;
    const written = tokens.slice(cast.as + 1, at);
    for (let one = cast.as + 1; one < at; one++) types.add(one);
    const type = written
      .map((token) => (token.kind === 'word' ? ` ${token.text}` : token.text))
      .join('')
      .trim();
    if (TYPE.test(type.toUpperCase())) continue;
    faults.push({ rule: `no cast to ${type}`, instead: TYPES, offset: written[0]?.offset });
  }
  return { types, faults };
}

function namesOf(tree: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  for (const node of nodesOf(tree))
    for (const [key, value] of Object.entries(node)) {
      if (!NAME_KEYS.has(key)) continue;
      for (const name of [value].flat())
        if (typeof name === 'string' && !(key === 'function_name' && PARSED.has(name)))
          names.add(name.toLowerCase());
    }
  return names;
}

function windowNames(tokens: readonly SqlToken[]): string[] {
  return tokens.flatMap(({ text }, at) =>
    /^over$/i.test(tokens[at - 1]?.text ?? '') ? [text.toLowerCase()] : [],
  );
}

function wordsOf(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
