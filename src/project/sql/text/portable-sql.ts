import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { nodesOf, type SqlNode } from '../../../core/duckdb/serialize-sql.ts';
import { plainSpaces } from '../../../core/duckdb/sql-spaces.ts';
import { sqlTokens } from '../../../core/duckdb/sql-tokens.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import type { SqlPlace } from './bad-model.ts';
import { parseSelect } from './sql-tree.ts';

/** A place where SQL leaves the subset that all engines answer alike (docs/models.md, Portable SQL). */
export interface PortabilityFinding extends SqlPlace {
  readonly rule: string;
  readonly instead: string;
}

interface Fault {
  readonly rule: string;
  readonly instead: string;
  readonly offset?: number | undefined;
}

/**
 * Finds where a SELECT leaves the portable subset, in the order of its lines.
 *
 * @throws CrawlhouseError `bad_model` where it is not one SELECT
 */
export async function findNonPortable(
  connection: Connection,
  sql: string,
  start: SqlPlace,
): Promise<PortabilityFinding[]> {
  const tree = await parseSelect(connection, sql, start);
  // DuckDB counts places in it.
  const plain = plainSpaces(sql);
  const faults = [...wordFaults(plain), ...treeFaults(tree)];
  const lines = linesOf(plain, new Set(faults.map(({ offset = 0 }) => offset)));
  const seen = new Set<string>();
  return faults
    .map(({ rule, instead, offset = 0 }) => {
      return { file: start.file, line: start.line + (lines.get(offset) ?? 0), rule, instead };
    })
    .filter(({ line, rule }) => !seen.has(`${line} ${rule}`) && seen.add(`${line} ${rule}`))
    .sort((a, b) => a.line - b.line);
}

/** How many lines end before each offset. DuckDB gives the greatest number of all to a node without a place. */
function linesOf(sql: string, offsets: ReadonlySet<number>): ReadonlyMap<number, number> {
  const bytes = Buffer.from(sql);
  const lines = new Map<number, number>();
  let line = 0;
  for (const [at, byte] of bytes.entries()) {
    if (offsets.has(at)) lines.set(at, line);
    if (byte === 0x0a) line++;
  }
  return lines;
}

/** Words that leave no trace in the tree. Their patterns see neither texts nor comments nor quoted names. */
const WORDS: readonly (readonly [RegExp, rule: string, instead: string])[] = [
  [/(?:^|\()\s*FROM\b/gi, 'SELECT comes first', 'SELECT … FROM …'],
  [/\bAS\s+(?:NOT\s+)?MATERIALIZED\b/gi, 'no MATERIALIZED', 'AS (SELECT …)'],
  [/\bIS\s+(?:NOT\s+)?(?:TRUE|FALSE|UNKNOWN)\b/gi, 'no IS TRUE', 'coalesce(b, false)'],
  [/::/g, 'no ::', 'CAST(… AS …)'],
  [/\bdate_part\s*\(/gi, 'no date_part', 'extract(… FROM …)'],
  [/\bLIMIT\s+[^\s()]+\s+OFFSET\b/gi, 'OFFSET comes before LIMIT', 'OFFSET m LIMIT n'],
  [/\bFILTER\s*\((?!\s*WHERE\b)/gi, 'FILTER has WHERE', 'FILTER (WHERE …)'],
  [/\bINTERVAL\b(?!\s+'\s*'\s+(?:DAY|HOUR|MINUTE|SECOND)\b)/gi, 'INTERVAL of a text', "INTERVAL '28' DAY"],
];

const HIDDEN: ReadonlySet<string> = new Set(['text', 'foreign', 'name', 'comment']);

function wordFaults(sql: string): Fault[] {
  const blank = sqlTokens(sql)
    .map(({ kind, text }) => (HIDDEN.has(kind) ? text.replaceAll(/[^\n'"]/g, ' ') : text))
    .join('');
  return WORDS.flatMap(([pattern, rule, instead]) => {
    let before = 0;
    let offset = 0;
    return [...blank.matchAll(pattern)].map(({ 0: found, index }) => {
      const at = index + (/^\(?\s*/.exec(found)?.[0].length ?? 0);
      offset += Buffer.byteLength(sql.slice(before, at));
      before = at;
      return { rule, instead, offset };
    });
  });
}

interface Held {
  readonly value: unknown;
  readonly parent: SqlNode;
  readonly key: string;
}

function treeFaults(tree: unknown): Fault[] {
  const faults: Fault[] = [];
  // However large the tree, no stack limits the walk.
  const waiting: Held[] = [{ value: tree, parent: {}, key: '' }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, parent, key } = next;
    if (typeof value !== 'object' || value === null) continue;
    const isList = Array.isArray(value);
    const node = value as SqlNode;
    const offset = typeof node.query_location === 'number' ? node.query_location : undefined;
    for (const rule of isList ? [] : NODES) {
      const fault = rule(node, parent, key);
      if (fault !== undefined) faults.push({ offset, ...fault });
    }
    const below = Object.entries(value).map(([name, child]) => {
      if (isList) return { value: child, parent, key };
      // The contents of a node without a place are near it.
      return { value: child, parent: Array.isArray(child) || name !== 'node' ? node : parent, key: name };
    });
    for (let at = below.length - 1; at >= 0; at--) waiting.push(below[at] as Held);
  }
  return faults;
}

type NodeRule = (node: SqlNode, parent: SqlNode, key: string) => Fault | undefined;

const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

const NODES: readonly NodeRule[] = [
  function starAsItIs({ type, columns, exclude_list, replace_list, rename_list, qualified_exclude_list }) {
    if (type !== 'STAR') return undefined;
    const lists = [exclude_list, replace_list, rename_list, qualified_exclude_list];
    if (columns !== true && !lists.some(isFilled)) return undefined;
    return { rule: 'no EXCLUDE, REPLACE, COLUMNS or ALL', instead: 'the columns, written out' };
  },
  function groupByColumns({ aggregate_handling }) {
    if (aggregate_handling !== 'FORCE_AGGREGATES') return undefined;
    return { rule: 'no GROUP BY ALL', instead: 'GROUP BY the columns, written out' };
  },
  function noAliases({ select_list, group_expressions, where_clause, having }) {
    const aliases = new Set(
      ((select_list ?? []) as SqlNode[])
        .filter(({ type }) => type !== 'COLUMN_REF')
        .map(({ alias }) => alias),
    );
    const grouped = ((group_expressions ?? []) as SqlNode[]).filter(({ type }) => type === 'COLUMN_REF');
    const used = [grouped, where_clause, having]
      .flatMap((tree) => loneColumns(tree))
      .find(({ column_names }) => aliases.has((column_names as string[])[0]));
    if (!used) return undefined;
    return {
      ...placeOf(used),
      rule: 'no alias in GROUP BY, WHERE, HAVING',
      instead: 'the expression, or a subquery',
    };
  },
  function noQualify({ qualify }) {
    if (!qualify) return undefined;
    return { ...placeOf(qualify), rule: 'no QUALIFY', instead: 'WHERE around a subquery with the window' };
  },
  function noPivot({ type }) {
    if (type !== 'PIVOT') return undefined;
    return { rule: 'no PIVOT or UNPIVOT', instead: 'CASE for each column, or each: in the header' };
  },
  function noSample({ sample }) {
    return sample ? { rule: 'no sample', instead: 'a condition under WHERE' } : undefined;
  },
  function noDistinctOn({ type, distinct_on_targets }) {
    if (type !== 'DISTINCT_MODIFIER' || !isFilled(distinct_on_targets)) return undefined;
    return { rule: 'no DISTINCT ON', instead: 'row_number() = 1 around a subquery' };
  },
  function plainJoins({ type, join_type, ref_type }) {
    if (type !== 'JOIN') return undefined;
    const kind = [join_type, ref_type].find((one) => FOREIGN_JOINS.has(String(one)));
    // Standard SQL reads `a ANTI JOIN b` as `a AS anti JOIN b`: wrong rows without an error.
    return kind === undefined ? undefined : { rule: `no ${kind} JOIN`, instead: 'EXISTS or NOT EXISTS' };
  },
  function noSubscript({ type }) {
    if (type !== 'ARRAY_EXTRACT' && type !== 'ARRAY_SLICE') return undefined;
    return { rule: 'no l[n]', instead: 'list_extract(l, n)' };
  },
  function unnestInFrom({ type, function_name }, _parent, key) {
    if (type !== 'FUNCTION' || function_name !== 'unnest' || key === 'function') return undefined;
    return { rule: 'UNNEST stands in FROM', instead: 'CROSS JOIN UNNEST(l) AS a(x)' };
  },
  function portableCasts({ type, cast_type }) {
    if (type !== 'OPERATOR_CAST' || isPortableType(cast_type)) return undefined;
    return { rule: `no cast to ${typeName(cast_type)}`, instead: [...TYPES].join(', ') };
  },
  function knownFunctions(node) {
    if (typeof node.function_name !== 'string' || node.type === 'TABLE_FUNCTION') return undefined;
    return portableFunction(node);
  },
  function noBareFilter({ filter, filter_expr }) {
    const bare = [filter, filter_expr].find((one) => (one as SqlNode | null)?.type === 'COLUMN_REF');
    // With count(b) next to it, an engine may make one aggregate of both.
    if (!bare) return undefined;
    return { rule: 'no FILTER of a lone column', instead: 'count(CASE WHEN b THEN 1 END)' };
  },
  function pickedValues({ function_name, filter, children }) {
    if (function_name !== 'max_by' && function_name !== 'min_by') return undefined;
    const [picked] = children as SqlNode[];
    const [tested] = ((filter as SqlNode | null)?.children ?? []) as SqlNode[];
    const isSame = String(tested?.column_names) === String(picked?.column_names);
    if ((filter as SqlNode | null)?.type === 'OPERATOR_IS_NOT_NULL' && tested && isSame) return undefined;
    return {
      rule: `${function_name} leaves out NULLs`,
      instead: `${function_name}(x, y) FILTER (WHERE x IS NOT NULL)`,
    };
  },
];

const FOREIGN_JOINS: ReadonlySet<string> = new Set(['SEMI', 'ANTI', 'ASOF', 'POSITIONAL']);

const TYPES: ReadonlySet<string> = new Set([
  'VARCHAR',
  'BIGINT',
  'INTEGER',
  'DOUBLE',
  'BOOLEAN',
  'DATE',
  'DECIMAL',
  'TIMESTAMP WITH TIME ZONE',
]);

function isPortableType(type: unknown): boolean {
  const { id, type_info } = type as SqlNode;
  return id === 'LIST' ? isPortableType((type_info as SqlNode).child_type) : TYPES.has(typeName(type));
}

/** A type that DuckDB's parser does not know by itself, as JSON, is there with its name alone. */
const typeName = (type: unknown): string => {
  const { id, type_info } = type as SqlNode;
  return String((type_info as SqlNode | null)?.name ?? id);
};

/** The columns named without a table, but not those of subqueries. */
function loneColumns(tree: unknown): SqlNode[] {
  return nodesOf(tree, ({ type }) => type !== 'SUBQUERY')
    .filter(({ type, column_names: names }) => type === 'COLUMN_REF' && (names as string[]).length === 1)
    .toArray();
}

function placeOf(node: unknown): { offset?: number } {
  const { query_location } = node as SqlNode;
  return typeof query_location === 'number' ? { offset: query_location } : {};
}

interface Use {
  readonly holds: (args: readonly SqlNode[]) => boolean;
  readonly instead: string;
}

const constant = (node: SqlNode | undefined): unknown => {
  const value = node?.type === 'VALUE_CONSTANT' ? (node.value as SqlNode) : undefined;
  return value?.is_null === true ? null : value?.value;
};

const firstIsOneOf = (...allowed: readonly string[]): Use => ({
  holds: ([part]) => allowed.includes(String(constant(part)).toLowerCase()),
  instead: `one of ${allowed.join(', ')}`,
});

const isNeverNull = (node: SqlNode): boolean =>
  (constant(node) ?? null) !== null || node.type === 'OPERATOR_COALESCE';
const withoutNulls: Use = {
  holds: (args) => args.every(isNeverNull),
  instead: 'coalesce(…, …) for each value',
};

/** DuckDB divides whole numbers as DOUBLE, others as whole numbers. */
const isDouble = (node: SqlNode | undefined): boolean => {
  if (node?.type === 'OPERATOR_CAST') return (node.cast_type as SqlNode).id === 'DOUBLE';
  const args = (node?.children ?? []) as SqlNode[];
  if (['+', '-', '*', '/'].includes(String(node?.function_name))) return args.some(isDouble);
  return node?.type === 'VALUE_CONSTANT' && ((node.value as SqlNode).type as SqlNode).id === 'DOUBLE';
};

/**
 * Functions that mean the same in both engines, by their names in DuckDB, some under a condition. `translateSql` writes
 * those that other engines name or bound otherwise.
 */
const FUNCTIONS: ReadonlyMap<string, Use | null> = new Map<string, Use | null>([
  ...[
    ...['+', '-', '*', '%', '||', '~~', '!~~'],
    ...['count', 'count_star', 'sum', 'min', 'max', 'avg'],
    ...['bool_and', 'bool_or', 'array_agg', 'max_by', 'min_by'],
    ...['row_number', 'rank', 'dense_rank', 'percent_rank', 'lag', 'lead', 'first_value', 'last_value'],
    ...['abs', 'ceil', 'floor', 'ln', 'round', 'trunc', 'nullif', 'hash', 'row', 'unnest'],
    ...[
      'chr',
      'concat_ws',
      'length',
      'lower',
      'upper',
      'nfc_normalize',
      'replace',
      'split',
      'split_part',
      'starts_with',
    ],
    ...['strpos', 'trim'],
    ...['array_distinct', 'array_length', 'array_to_string', 'list_extract', 'json_extract_string'],
    // An INTERVAL, and AT TIME ZONE.
    ...['to_days', 'to_hours', 'to_minutes', 'to_seconds', 'to_timestamp', 'now', 'timezone'],
  ].map((name) => [name, null] as const),
  ['/', { holds: ([dividend]) => isDouble(dividend), instead: 'CAST(a AS DOUBLE) / b' }],
  ['greatest', withoutNulls],
  ['least', withoutNulls],
  // Others count whole months, DuckDB their boundaries.
  ['date_diff', firstIsOneOf('day', 'millisecond')],
  // Sunday is 0 or 7.
  ['date_part', firstIsOneOf('year', 'quarter', 'month', 'week', 'day')],
  ['date_trunc', firstIsOneOf('year', 'quarter', 'month', 'week', 'day')],
  // Others have no third argument.
  ['regexp_matches', { holds: (args) => args.length === 2, instead: "regexp_matches(s, '(?i)(…)')" }],
  // DuckDB replaces the first match, others all.
  [
    'regexp_replace',
    {
      holds: ([, pattern, , flags]) =>
        flags === undefined ? /^\^|\$$/.test(String(constant(pattern))) : constant(flags) === 'g',
      instead: "a pattern with ^ or $, the option 'g', or replace()",
    },
  ],
  ['substr', { holds: ([, from]) => constant(from) !== 0, instead: 'substr(s, 1, n)' }],
]);

/** Functions that DuckDB alone has, or that differ, with what to write. */
const INSTEAD: Readonly<Record<string, string>> = {
  arg_max: 'max_by(x, y) FILTER (WHERE x IS NOT NULL)',
  arg_min: 'min_by(x, y) FILTER (WHERE x IS NOT NULL)',
  concat: 'a || b',
  contains: 'strpos(s, part) > 0',
  epoch_ms: "date_diff('millisecond', TIMESTAMPTZ '1970-01-01 00:00:00+00:00', t)",
  epoch_us: "date_diff('millisecond', TIMESTAMPTZ '1970-01-01 00:00:00+00:00', t)",
  make_timestamptz: 'to_timestamp(CAST(ms AS DOUBLE) / 1000)',
  len: 'length(s) of a text, array_length(l) of a list',
  list: 'array_agg(x ORDER BY x)',
  list_apply: 'UNNEST and array_agg',
  list_contains: 'EXISTS with UNNEST',
  list_value: 'ARRAY[…]',
  median: 'avg of the middle rows by row_number()',
  quantile_cont: 'rows by row_number() and count() OVER',
  string_agg: "array_to_string(array_agg(x ORDER BY x), ',')",
  struct_pack: 'columns of their own, or VALUES',
  '//': 'floor(CAST(a AS DOUBLE) / b)',
  '~~*': 'lower(s) LIKE …',
};

function portableFunction(node: SqlNode): { rule: string; instead: string } | undefined {
  const name = String(node.function_name);
  const use = FUNCTIONS.get(name);
  if (use === undefined) {
    const instead =
      lookUp(INSTEAD, name) ??
      `one of ${[...FUNCTIONS.keys()].filter((one) => /^[a-z]/.test(one)).join(', ')}`;
    return { rule: `no ${name}`, instead };
  }
  if (use === null || use.holds(node.children as SqlNode[])) return undefined;
  return {
    rule: name === '/' ? 'a division is of DOUBLE' : `${name} as both engines have it`,
    instead: use.instead,
  };
}
