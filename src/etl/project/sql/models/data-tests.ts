import { ident, relationTable, text } from '../../../../core/duckdb/duckdb.ts';
import { withoutEnd } from '../../../../core/duckdb/sql-tokens.ts';
import type { TestSeverity } from '../../model/runs/unit-report.ts';
import type { ModelHeader, ModelTest } from './model-header.ts';

/** A rule that the rows of a model must keep. */
export interface DataTest {
  readonly name: string;
  /** The declaration in the header. */
  readonly declared: ModelTest;
  readonly severity: TestSeverity;
  /** Counts the rows that break the rule. */
  readonly sql: string;
  /** Selects the rows that break it. */
  readonly rows: string;
  /** Those rows with every column of the model, where `rows` selects only some columns; else null. */
  readonly wholeRows: string | null;
  /** Counts those rows among some rows of the model, given as a subquery; null if the rule is about all rows. */
  readonly sqlOf: ((rows: string) => string) | null;
  /** The SELECT inside `sql`, if it reads more than the model or was written by the author. It must be bound. */
  readonly query: string | null;
  /** Columns of the model that the test names. */
  readonly columns: readonly string[];
  /** Its place in the header. */
  readonly path: readonly PropertyKey[];
  /** Whether the test can fail because of time alone. Such a test runs even if nothing has changed. */
  readonly dependsOnTime: boolean;
  /** The part that one statement can count together with other tests of the model; null if it runs by itself. */
  readonly shares: SharedRule | null;
}

/**
 * A rule that one statement checks together with others: a column without NULL, a condition on each row, or a unique
 * key.
 */
export type SharedRule =
  | { readonly kind: 'not_null'; readonly column: string }
  | { readonly kind: 'never'; readonly condition: string }
  | { readonly kind: 'unique'; readonly columns: readonly string[] };

/** Returns every test of a model: those implied by its grain, those of its columns, and those under `tests`. */
export function dataTests(header: ModelHeader): DataTest[] {
  const by = header.incremental?.by ?? [];
  const make = (test: ModelTest, path: readonly PropertyKey[]): DataTest =>
    build(header.name, by, test, path);
  const { columns: grain, severity } = header.grain ?? { columns: [], severity: 'error' };
  const required = grain.filter((column) => header.columns[column]?.nullable !== true);
  const tests = required.map((column) => make({ not_null: column, severity }, ['grain']));
  if (grain.length > 0) tests.push(make({ unique: grain, severity }, ['grain']));

  for (const [column, { tests: columnTests }] of Object.entries(header.columns)) {
    for (const [index, { not_null, unique, accepted_values, severity, name }] of columnTests.entries()) {
      const test: ModelTest = {
        severity,
        ...(name ? { name } : {}),
        ...(not_null ? { not_null: column } : {}),
        ...(unique ? { unique: [column] } : {}),
        ...(accepted_values ? { accepted_values: { column, values: accepted_values } } : {}),
      };
      tests.push(make(test, ['columns', column, 'tests', index]));
    }
  }
  for (const [index, test] of header.tests.entries()) tests.push(make(test, ['tests', index]));
  return tests;
}

/** The parts of one kind of test, beyond those of all. */
interface Rule {
  readonly name: string;
  readonly columns: readonly string[];
  /** Selects the rows of a relation that break the rule. */
  readonly rows: (from: string) => string;
  readonly wholeRows?: (from: string) => string;
  readonly count?: (from: string) => string;
  /** Whether the rule is about each row, or each partition, by itself. */
  readonly local?: boolean;
  readonly bind?: boolean;
  readonly dependsOnTime?: boolean;
  readonly shares?: SharedRule;
}

function build(
  model: string,
  by: readonly string[],
  test: ModelTest,
  path: readonly PropertyKey[],
): DataTest {
  const from = relationTable(model);
  const rule = ruleOf(test, by, path);
  const count = rule.count ?? ((rows: string) => countRows(rule.rows(rows)));
  return {
    name: test.name ?? rule.name,
    declared: test,
    severity: test.severity,
    sql: count(from),
    rows: rule.rows(from),
    wholeRows: rule.wholeRows?.(from) ?? null,
    sqlOf: rule.local ? count : null,
    query: rule.bind ? rule.rows(model) : null,
    columns: rule.columns,
    path,
    dependsOnTime: rule.dependsOnTime ?? false,
    shares: rule.shares ?? null,
  };
}

function ruleOf(test: ModelTest, by: readonly string[], path: readonly PropertyKey[]): Rule {
  if (test.not_null !== undefined) {
    const column = test.not_null;
    return {
      name: `not_null(${column})`,
      columns: [column],
      rows: (from) => `SELECT * FROM ${from} WHERE ${ident(column)} IS NULL`,
      local: true,
      shares: { kind: 'not_null', column },
    };
  }
  if (test.unique !== undefined) return uniqueRule(test.unique, by);
  if (test.accepted_values !== undefined) {
    const { column, values } = test.accepted_values;
    const list = values.map((value) => text(String(value))).join(', ');
    const condition = `CAST(${ident(column)} AS VARCHAR) NOT IN (${list})`;
    return {
      name: `accepted_values(${column})`,
      columns: [column],
      rows: (from) => `SELECT * FROM ${from} WHERE ${condition}`,
      local: true,
      shares: { kind: 'never', condition },
    };
  }
  if (test.relationships !== undefined) {
    const { column, to, field } = test.relationships;
    const own = `own.${ident(column)}`;
    return {
      name: `relationships(${column}, ${to}.${field})`,
      columns: [column],
      rows: (from) =>
        `SELECT own.* FROM ${from} AS own WHERE ${own} IS NOT NULL AND ${own} NOT IN (SELECT other.${ident(field)} FROM ${to} AS other WHERE other.${ident(field)} IS NOT NULL)`,
      bind: true,
    };
  }
  if (test.row_count !== undefined) {
    const [least, most] = test.row_count.between;
    return {
      name: `row_count between ${least} and ${most}`,
      columns: [],
      rows: (from) =>
        `SELECT count(*) AS "rows" FROM ${from} HAVING count(*) NOT BETWEEN ${least} AND ${most}`,
    };
  }
  if (test.freshness !== undefined) {
    const { column, within } = test.freshness;
    const [count = '', unit = ''] = within.split(' ');
    const span = `INTERVAL ${text(count)} ${unit.replace(/s$/, '').toUpperCase()}`;
    const newest = `CAST(max(${ident(column)}) AS TIMESTAMPTZ)`;
    return {
      name: `freshness(${column}) within ${within}`,
      columns: [column],
      rows: (from) => `SELECT ${newest} AS newest FROM ${from} HAVING ${newest} < now() - ${span}`,
      bind: true,
      dependsOnTime: true,
    };
  }
  const query = withoutEnd(test.query ?? '');
  return { name: `query ${Number(path.at(-1)) + 1}`, columns: [], rows: () => query, bind: true };
}

function uniqueRule(columns: readonly string[], by: readonly string[]): Rule {
  const key = columns.map(ident).join(', ');
  const groups = (from: string): string =>
    `SELECT ${key}, count(*) AS n FROM ${from} GROUP BY ${key} HAVING count(*) > 1`;
  return {
    name: `unique(${columns.join(', ')})`,
    columns,
    rows: groups,
    wholeRows: (from) => {
      const same = columns.map(
        (column) => `own.${ident(column)} IS NOT DISTINCT FROM twice.${ident(column)}`,
      );
      return `SELECT own.* FROM ${from} AS own JOIN (${groups(from)}) AS twice ON ${same.join(' AND ')}`;
    },
    // Of the rows that share a key, all but one are too many.
    count: (from) => `SELECT CAST(coalesce(sum(n - 1), 0) AS BIGINT) FROM (${groups(from)})`,
    // Rows of different partitions can only be equal where the key omits a partition column.
    local: by.length > 0 && by.every((column) => columns.includes(column)),
    shares: { kind: 'unique', columns },
  };
}

/** Counts the rows of a SELECT. The newline ends a comment on its last line. */
export function countRows(query: string): string {
  return `SELECT count(*) FROM (${withoutEnd(query)}\n)`;
}
