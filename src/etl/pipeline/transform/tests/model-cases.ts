import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import {
  type Connection,
  Database,
  type DuckdbSettings,
  ident,
  relationTable,
  text,
} from '../../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { readText } from '../../../../core/files/read-text.ts';
import { parseYaml } from '../../../../core/text/parse-yaml.ts';
import { createModel } from '../../../engines/duckdb/duckdb-models.ts';
import type { TestReport } from '../../../project/model/runs/unit-report.ts';
import { loadModels } from '../../../project/sql/models/load-models.ts';
import { type SqlSettings, sqlFolders } from '../../../project/sql/models/sql-folders.ts';
import { modelError } from '../../../project/sql/plan/model-error.ts';
import { type PlannedModel, planModels, type StatementFacts } from '../../../project/sql/plan/plan-models.ts';
import { selectModels } from '../../../project/sql/plan/select-models.ts';
import { badModel } from '../../../project/sql/text/bad-model.ts';
import { createSchema } from '../../../state/catalog/create-schema.ts';
import { countFailures } from './test-model.ts';

const Row = z.record(z.string(), z.unknown());
const Input = z.strictObject({ columns: z.record(z.string(), z.string()), rows: z.array(Row).default([]) });

/** Cases of one model: tables in, rows out. Only the columns of the expected rows are compared. */
const ModelCases = z.strictObject({
  model: z.string(),
  cases: z.array(
    z.strictObject({
      name: z.string(),
      input: z.record(z.string(), Input),
      /** Columns to compare, for a case that expects no rows. */
      columns: z.array(z.string()).optional(),
      /** A condition on the compared rows; all by default. */
      where: z.string().min(1).default('true'),
      expect: z.array(Row),
      /** Tests of the model that must fail on this input. All others must pass. */
      failing_tests: z.array(z.string()).default([]),
    }),
  ),
});
export type ModelCases = z.infer<typeof ModelCases>;
export type ModelCase = ModelCases['cases'][number];

/** The result of a case. Everything is empty or equal if the model meets the case. */
export interface CaseResult {
  /** Rows that were expected and are missing. `surplus` is the reverse. */
  readonly missing: readonly Readonly<Record<string, unknown>>[];
  readonly surplus: readonly Readonly<Record<string, unknown>>[];
  readonly failedTests: readonly string[];
}

/**
 * Reads the case files in a folder, sorted by name. Returns an empty list if the folder does not exist.
 *
 * @throws CrawlhouseError `bad_model` naming the file
 */
export async function loadCases(folder: string, shown: string): Promise<ModelCases[]> {
  if (!existsSync(folder)) return [];
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  return Promise.all(
    files.map(async (name) => {
      const place = { file: `${shown}/${name}`, line: 1 };
      try {
        return ModelCases.parse(parseYaml(await readText(join(folder, name)), { bigints: 'all' }).value);
      } catch (error) {
        const issue = error instanceof z.ZodError ? error.issues[0] : undefined;
        const what = issue ? `${issue.path.join('.')}: ${issue.message}` : String((error as Error).message);
        throw badModel(place, what, 'model: mart.…, cases: [{name, input, expect}]', error);
      }
    }),
  );
}

/** What the plans of a plan's cases share: most of their statements are the same. */
const factsOf = new WeakMap<readonly PlannedModel[], StatementFacts>();

/**
 * Builds a model, with its sources, from the rows of a case, on an empty warehouse, and compares. A case omits the
 * comments and records of a run, which take longer than building small tables.
 */
export async function runCase(
  connection: Connection,
  plan: readonly PlannedModel[],
  model: string,
  one: ModelCase,
): Promise<CaseResult & { readonly passed: boolean }> {
  for (const [name, given] of Object.entries(one.input)) {
    const rows = rowsSql(given.columns, given.rows);
    await connection.run(`CREATE OR REPLACE TABLE ${relationTable(name)} AS ${rows}`);
  }
  const models = selectModels(plan, [`+${model}`]).map((planned) => planned.model);
  const facts = factsOf.get(plan) ?? new Map();
  factsOf.set(plan, facts);
  const planned = await planModels({ connection, models, facts });
  for (const each of planned) {
    const isRead = each.model.kind === 'view' && each.model.name !== model;
    // DuckDB would bind a view, and all views under it, for each of its readers.
    if (isRead) await connection.run(`CREATE TABLE ${relationTable(each.model.name)} AS ${each.sql}`);
    else await createModel(connection, each);
  }
  const own = planned.filter((each) => each.model.name === model);
  const tests = await Promise.all(
    own.map((each) =>
      countFailures(connection, each).catch((error: unknown) => {
        throw modelError(each.model, error, 'tested');
      }),
    ),
  );
  return compareCase(connection, model, one, tests.flat());
}

/** Compares a model built from the rows of a case, and the results of its tests, with the expectations. */
export async function compareCase(
  connection: Connection,
  model: string,
  { columns, where, expect, failing_tests }: ModelCase,
  tests: readonly TestReport[],
): Promise<CaseResult & { readonly passed: boolean }> {
  const made = relationTable(model);
  const described = await connection.jsonRows(`DESCRIBE ${made}`);
  const types = new Map(described.map((row) => [String(row.column_name), String(row.column_type)]));
  const names = columns ?? [...new Set(expect.flatMap((row) => Object.keys(row)))];
  const unknown = names.find((name) => !types.has(name));
  if (unknown !== undefined) throw badModel({ file: model, line: 1 }, `a case expects a column ${unknown}`);
  const want = rowsSql(Object.fromEntries(names.map((name) => [name, types.get(name) ?? ''])), expect);
  const got = `SELECT ${names.map(ident).join(', ') || '1'} FROM ${made} WHERE ${where}`;
  const failed = tests.filter((test) => test.model === model && test.status === 'failed');
  const failedTests = failed.map(({ name }) => name);
  const missing = names.length > 0 ? await connection.jsonRows(`(${want}) EXCEPT ALL (${got})`) : [];
  const surplus =
    names.length > 0
      ? await connection.jsonRows(`(${got}) EXCEPT ALL (${want})`)
      : await connection.jsonRows(got);
  const alike = JSON.stringify(failedTests) === JSON.stringify(failing_tests);
  return { missing, surplus, failedTests, passed: missing.length + surplus.length === 0 && alike };
}

/** Returns a SELECT of rows that are given as objects. A missing key is NULL. */
export function rowsSql(columns: Readonly<Record<string, string>>, rows: readonly object[]): string {
  const json = text(
    JSON.stringify(rows, (_key, value) => (typeof value === 'bigint' ? String(value) : value)),
  );
  const structure = text(
    JSON.stringify([Object.fromEntries(Object.keys(columns).map((name) => [name, 'JSON']))]),
  );
  // Each value is cast from its own text, because from_json would convert a wide number to a double.
  const values = Object.entries(columns).map(([name, type]) => {
    const value = `item.${ident(name)}`;
    const scalar = !type.endsWith(']') && type !== 'JSON';
    return `CAST(${scalar ? `${value} ->> '$'` : value} AS ${type}) AS ${ident(name)}`;
  });
  return `SELECT ${values.join(', ')} FROM (SELECT unnest(from_json(${json}, ${structure})) AS item)`;
}

export interface CaseReport extends CaseResult {
  readonly model: string;
  readonly case: string;
  readonly status: 'passed' | 'failed';
}

/**
 * Runs the cases of the project's models (`sql/cases/*.yaml`), each on an empty warehouse in memory. Uses neither the
 * service nor the project's warehouse.
 *
 * @param names of the models whose cases to run; empty for all
 * @throws CrawlhouseError `bad_model`
 */
export async function testCases(
  settings: SqlSettings & Omit<DuckdbSettings, 'state_dir'>,
  names: readonly string[],
  signal: AbortSignal,
): Promise<CaseReport[]> {
  const models = await loadModels(sqlFolders(settings));
  const wanted = names.map((name) => (name.includes('.') ? name : `mart.${name}`));
  const files = await loadCases(join(settings.projectDir, 'sql', 'cases'), 'sql/cases');
  const chosen = files.filter(({ model }) => wanted.length === 0 || wanted.includes(model));
  if (chosen.length === 0) {
    throw new CrawlhouseError('usage', 'there are no cases to run', {
      hint: 'write the cases of a model mart.NAME in sql/cases/mart.NAME.yaml',
    });
  }
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-cases-'));
  try {
    await using database = await Database.openIn({ ...settings, state_dir: folder });
    const connection = await database.connect();
    await createSchema(connection);
    const plan = await planModels({ connection, models });
    const reports: CaseReport[] = [];
    for (const { model, cases } of chosen) {
      for (const one of cases) {
        signal.throwIfAborted();
        // Rolled back, so the warehouse is empty again.
        const { passed, ...result } = await connection.trial(() => runCase(connection, plan, model, one));
        reports.push({ model, case: one.name, status: passed ? 'passed' : 'failed', ...result });
      }
    }
    return reports;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
