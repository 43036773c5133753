import type { Connection } from '../../../../core/duckdb/duckdb.ts';
import { nodesOf, type SqlNode } from '../../../../core/duckdb/serialize-sql.ts';
import { plainSpaces } from '../../../../core/duckdb/sql-spaces.ts';
import type { SqlPlace } from './bad-model.ts';
import { portableFunction } from './portable-functions.ts';
import { type PortabilityFault, TYPES, tokenFaults } from './portable-tokens.ts';
import { parseSelect } from './sql-tree.ts';

/** A place where SQL leaves the subset that all engines answer alike (docs/models.md, Portable SQL). */
export interface PortabilityFinding extends SqlPlace {
  readonly rule: string;
  readonly instead: string;
}

/**
 * Finds the places where a SELECT leaves the portable SQL subset, in line order.
 *
 * @throws CrawlhouseError `bad_model` if it is not one SELECT
 */
export async function findNonPortable(
  connection: Connection,
  sql: string,
  start: SqlPlace,
): Promise<PortabilityFinding[]> {
  const tree = await parseSelect(connection, sql, start);
  // DuckDB's positions refer to this text.
  const plain = plainSpaces(sql);
  const faults = [...treeFaults(tree), ...tokenFaults(plain, tree)];
  const lines = linesOf(plain, new Set(faults.map(({ offset = 0 }) => offset)));
  const seen = new Set<string>();
  return faults
    .map(({ rule, instead, offset = 0 }) => {
      return { file: start.file, line: start.line + (lines.get(offset) ?? 0), rule, instead };
    })
    .filter(({ line, rule }) => !seen.has(`${line} ${rule}`) && seen.add(`${line} ${rule}`))
    .sort((a, b) => a.line - b.line);
}

/** Returns how many lines end before each offset. DuckDB gives the greatest number to a node without a position. */
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

interface Held {
  readonly value: unknown;
  readonly parent: SqlNode;
  readonly key: string;
}

function treeFaults(tree: unknown): PortabilityFault[] {
  const faults: PortabilityFault[] = [];
  // Iterative, so that no tree is too deep for the stack.
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
      // The contents of a node without a position are near it.
      return { value: child, parent: Array.isArray(child) || name !== 'node' ? node : parent, key: name };
    });
    for (let at = below.length - 1; at >= 0; at--) waiting.push(below[at] as Held);
  }
  return faults;
}

type NodeRule = (node: SqlNode, parent: SqlNode, key: string) => PortabilityFault | undefined;

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
  function plainLimit({ type, limit, offset }) {
    if (type === 'LIMIT_PERCENT_MODIFIER') return { rule: 'no LIMIT of a share', instead: 'LIMIT n' };
    if (type !== 'LIMIT_MODIFIER') return undefined;
    const other = [limit, offset].find((one) => one && !LIMITS.has(String((one as SqlNode).type)));
    return other
      ? { ...placeOf(other), rule: 'LIMIT and OFFSET of a number', instead: 'LIMIT n' }
      : undefined;
  },
  function plainSets({ type, setop_type }) {
    if (type !== 'SET_OPERATION_NODE' || setop_type !== 'UNION_BY_NAME') return undefined;
    return { rule: 'no UNION BY NAME', instead: 'the columns in one order' };
  },
  function noIgnoredNulls({ ignore_nulls, exclude_clause }) {
    if (ignore_nulls === true) return { rule: 'no IGNORE NULLS', instead: 'a condition in a subquery' };
    if (exclude_clause === undefined || exclude_clause === 'NO_OTHER') return undefined;
    return { rule: 'no EXCLUDE in a window', instead: 'a frame of ROWS' };
  },
  function noRowsCompared({ type, left, right, child, query_location }) {
    const isCompared = String(type).startsWith('COMPARE_') || type === 'SUBQUERY';
    const row = isCompared && [left, right, child].find((one) => LISTS.has(kindOf(one)));
    // Depending on the engine, NULL equals NULL, or the answer is NULL.
    return row
      ? {
          offset: query_location as number,
          rule: 'no comparison of rows or lists',
          instead: 'a = c AND b = d',
        }
      : undefined;
  },
  function noDistinctOn({ type, distinct_on_targets }) {
    if (type !== 'DISTINCT_MODIFIER' || !isFilled(distinct_on_targets)) return undefined;
    return { rule: 'no DISTINCT ON', instead: 'row_number() = 1 around a subquery' };
  },
  function plainJoins({ type, join_type, ref_type }) {
    if (type !== 'JOIN') return undefined;
    const kind = [join_type, ref_type].find((one) => FOREIGN_JOINS.has(String(one)));
    // Standard SQL reads `a ANTI JOIN b` as `a AS anti JOIN b`: wrong rows without an error.
    if (kind === undefined) return undefined;
    return { rule: `no ${kind} JOIN`, instead: kind === 'NATURAL' ? 'USING (a)' : 'EXISTS or NOT EXISTS' };
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
    return { rule: `no cast to ${typeName(cast_type)}`, instead: TYPES };
  },
  function knownFunctions(node, parent) {
    if (typeof node.function_name !== 'string' || node.type === 'TABLE_FUNCTION') return undefined;
    return portableFunction(node, parent);
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

const LIMITS: ReadonlySet<string> = new Set(['VALUE_CONSTANT', 'VALUE_PARAMETER']);
const LISTS: ReadonlySet<string> = new Set(['row', 'ARRAY_CONSTRUCTOR']);
const kindOf = (node: unknown): string => {
  const { type, function_name } = (node ?? {}) as SqlNode;
  return String(type === 'FUNCTION' ? function_name : type);
};

const FOREIGN_JOINS: ReadonlySet<string> = new Set(['SEMI', 'ANTI', 'ASOF', 'POSITIONAL', 'NATURAL']);

/** DuckDB's names. Token checks cover the spelling in the SQL. */
const CASTS: ReadonlySet<string> = new Set([
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
  return id === 'LIST' ? isPortableType((type_info as SqlNode).child_type) : CASTS.has(typeName(type));
}

/** A type that DuckDB's parser does not know, such as JSON, appears only by its name. */
const typeName = (type: unknown): string => {
  const { id, type_info } = type as SqlNode;
  return String((type_info as SqlNode | null)?.name ?? id);
};

/** Returns the columns named without a table, except for those in subqueries. */
function loneColumns(tree: unknown): SqlNode[] {
  return nodesOf(tree, ({ type }) => type !== 'SUBQUERY')
    .filter(({ type, column_names: names }) => type === 'COLUMN_REF' && (names as string[]).length === 1)
    .toArray();
}

function placeOf(node: unknown): { offset?: number } {
  const { query_location } = node as SqlNode;
  return typeof query_location === 'number' ? { offset: query_location } : {};
}
