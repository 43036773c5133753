import { ident, table, text } from '../core/duckdb.ts';
import type { Severity } from '../model/report.ts';
import type { ModelHeader, ModelTest } from './model-header.ts';

/** A rule that the rows of a model must keep. */
export interface DataTest {
  readonly name: string;
  readonly severity: Severity;
  /** Counts the rows that break the rule. */
  readonly sql: string;
  /** The author's own SELECT, for a test of the kind `query`. */
  readonly query: string | null;
  /** Columns that the test names. */
  readonly columns: readonly string[];
  /** Where it stands in the header. */
  readonly path: readonly PropertyKey[];
}

/** Every test of a model: what its grain implies, what stands with its columns, what stands under `tests`. */
export function dataTests(header: ModelHeader): DataTest[] {
  const model = header.name;
  const { columns: grain, severity } = header.grain ?? { columns: [], severity: 'error' };
  const required = grain.filter((column) => header.columns[column]?.nullable !== true);
  const tests = required.map((column) => build(model, { not_null: column, severity }, ['grain']));
  if (grain.length > 0) tests.push(build(model, { unique: grain, severity }, ['grain']));

  for (const [column, { tests: columnTests }] of Object.entries(header.columns)) {
    for (const [index, { not_null, unique, accepted_values, severity, name }] of columnTests.entries()) {
      const test: ModelTest = {
        severity,
        ...(name ? { name } : {}),
        ...(not_null ? { not_null: column } : {}),
        ...(unique ? { unique: [column] } : {}),
        ...(accepted_values ? { accepted_values: { column, values: accepted_values } } : {}),
      };
      tests.push(build(model, test, ['columns', column, 'tests', index]));
    }
  }
  for (const [index, test] of header.tests.entries()) tests.push(build(model, test, ['tests', index]));
  return tests;
}

function build(model: string, test: ModelTest, path: readonly PropertyKey[]): DataTest {
  const from = table(...model.split('.'));
  const shared = { severity: test.severity, path, query: null };
  if (test.not_null !== undefined) {
    const column = test.not_null;
    return {
      ...shared,
      name: test.name ?? `not_null(${column})`,
      columns: [column],
      sql: `SELECT count(*) FROM ${from} WHERE ${ident(column)} IS NULL`,
    };
  }
  if (test.unique !== undefined) {
    const key = test.unique.map(ident).join(', ');
    const groups = `SELECT count(*) AS n FROM ${from} GROUP BY ${key} HAVING n > 1`;
    return {
      ...shared,
      name: test.name ?? `unique(${test.unique.join(', ')})`,
      columns: test.unique,
      // Of rows that share a key, all but one are too many.
      sql: `SELECT coalesce(sum(n - 1), 0)::BIGINT FROM (${groups})`,
    };
  }
  if (test.accepted_values !== undefined) {
    const { column, values } = test.accepted_values;
    const list = values.map((value) => text(String(value))).join(', ');
    return {
      ...shared,
      name: test.name ?? `accepted_values(${column})`,
      columns: [column],
      sql: `SELECT count(*) FROM ${from} WHERE ${ident(column)}::VARCHAR NOT IN (${list})`,
    };
  }
  const query = test.query ?? '';
  const name = test.name ?? `query ${Number(path.at(-1)) + 1}`;
  return { ...shared, name, columns: [], query, sql: countRows(query) };
}

/** Counts the rows of a SELECT; the newline ends a comment on its last line. */
export function countRows(query: string): string {
  return `SELECT count(*) FROM (${query.trim().replace(/;$/, '')}\n)`;
}
