import { type Connection, ident, relationTable } from '../../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import type { ModelPlace, ModelQueries } from '../../../engines/model-engine.ts';
import type { TestReport } from '../../../project/model/runs/unit-report.ts';
import type { DataTest, SharedRule } from '../../../project/sql/models/data-tests.ts';
import type { Model } from '../../../project/sql/models/model.ts';
import { inPartitions, partitionedModel } from '../../../project/sql/plan/partitions.ts';
import type { PlannedModel } from '../../../project/sql/plan/plan-models.ts';
import {
  recordPartitionsTested,
  untestedPartitions,
} from '../../../state/catalog/ops/ops-model-partitions.ts';
import { recordTested } from '../../../state/catalog/ops/ops-models.ts';
import { recordTestResults } from '../../../state/catalog/ops/ops-test-results.ts';

/** Number of shown rows that break a rule. */
const SAMPLE_ROWS = 5;

/** Runs the tests of a model, which count the rows that break their rules. */
export async function countFailures(
  queries: ModelQueries,
  { model, tests }: Pick<PlannedModel, 'model' | 'tests'>,
  options: CountOptions = {},
): Promise<TestReport[]> {
  const counts = await countTests(queries, model, tests, options);
  const reports: TestReport[] = [];
  for (const test of tests) {
    const { name, severity, rows } = test;
    const failures = counts.get(test) ?? 0;
    reports.push({
      name,
      model: model.name,
      severity,
      status: failures === 0 ? 'passed' : 'failed',
      failures,
      sample:
        failures === 0
          ? []
          : await queries.jsonRows(
              `SELECT * FROM (${rows}\n) AS broken LIMIT ${SAMPLE_ROWS}`,
              [],
              options.signal,
            ),
      query: rows,
    });
  }
  return reports;
}

/** A model and the results of its tests, before they are recorded. */
export interface TestedModel {
  readonly planned: PlannedModel;
  readonly reports: readonly TestReport[];
}

/** Tests a model. For a partitioned model, tests only partitions that have not passed yet. */
export async function testModel(
  { connection, engine }: ModelPlace,
  planned: PlannedModel,
  signal?: AbortSignal,
): Promise<TestedModel> {
  const partitioned = partitionedModel(planned);
  const untested = partitioned ? await untestedPartitions(connection, partitioned.name) : undefined;
  const where = partitioned && untested ? inPartitions(partitioned, untested) : undefined;
  return { planned, reports: await countFailures(engine.queries, planned, { where, signal }) };
}

export function isFailed({ status }: TestReport): boolean {
  return status === 'failed';
}

/**
 * Writes results to `ops.test_results`, in one transaction. A model stays untested in `ops.models` until all its tests
 * of severity `error` have passed, so the next run tests it again even if nothing changed.
 */
export async function recordTests(
  connection: Connection,
  runId: string,
  tested: readonly TestedModel[],
): Promise<void> {
  if (tested.length === 0) return;
  const results = tested.flatMap(({ planned, reports }) =>
    reports.map(({ model, name, severity, status, failures }, index) => {
      const sql = planned.tests[index]?.sql ?? '';
      return { model, name, severity, status, failures, sql };
    }),
  );
  const names = tested.map(({ planned }) => planned.model.name);
  const passed = tested
    .filter(({ reports }) => !reports.some((report) => report.severity === 'error' && isFailed(report)))
    .map(({ planned }) => planned.model.name);
  await connection.transaction(async () => {
    await recordTestResults(connection, runId, results);
    await recordTested(connection, names, passed);
    await recordPartitionsTested(connection, passed);
  });
}

interface CountOptions {
  /** A condition on the rows to test, if only some rows are new. Rules about all rows ignore it. */
  readonly where?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A SELECT of one row with a count for each of some tests. */
interface Counting {
  readonly tests: readonly DataTest[];
  readonly from: string;
  readonly counts: readonly string[];
}

/**
 * Counts the rows of a model that break each of its tests. Tests of the same columns share one statement. Only a test
 * that needs more, such as an author's own SELECT, runs by itself.
 */
async function countTests(
  queries: ModelQueries,
  { name, kind }: Pick<Model, 'name' | 'kind'>,
  tests: readonly DataTest[],
  { where, signal }: CountOptions,
): Promise<Map<DataTest, number>> {
  const all = relationTable(name);
  const some = where === undefined ? all : `(SELECT * FROM ${all} WHERE ${where}) AS tested`;
  const fromOf = ({ sqlOf }: DataTest): string => (sqlOf ? some : all);
  const together = countTogether(tests, fromOf, kind === 'view');
  const counts = new Map<DataTest, number>();
  if (together.length > 0) {
    const values = await readCounts(queries, together, signal);
    for (const [index, test] of together.flatMap((counting) => counting.tests).entries())
      counts.set(test, Number(values[index]));
  }
  for (const test of tests) {
    // Equal hashes may be of different keys.
    if (counts.has(test) && !(test.shares?.kind === 'unique' && counts.get(test) !== 0)) continue;
    const sql = test.sqlOf?.(fromOf(test)) ?? test.sql;
    counts.set(test, Number(await queries.scalar(sql, [], signal)));
  }
  return counts;
}

async function readCounts(
  queries: ModelQueries,
  together: readonly Counting[],
  signal: AbortSignal | undefined,
): Promise<readonly unknown[]> {
  let place = 0;
  const selects = together.map(({ counts, from }, index) => {
    const named = counts.map((count) => `CAST(${count} AS BIGINT) AS ${ident(`count ${place++}`)}`);
    return `(SELECT ${named.join(', ')} FROM ${from}) AS ${ident(`part ${index}`)}`;
  });
  const [row = {}] = await queries.rows(`SELECT * FROM ${selects.join(', ')}`, [], signal);
  return Object.values(row);
}

/**
 * Returns the tests that one statement counts. A unique key is checked by hashes of 8 bytes, which need a third of the
 * memory and half of the time that the values would need. The same groups count the NULLs of the key's columns. Other
 * NULLs of tables are counted separately, because DuckDB knows without reading which blocks contain none. A view would
 * be computed again for each count.
 */
function countTogether(
  tests: readonly DataTest[],
  fromOf: (test: DataTest) => string,
  isView: boolean,
): Counting[] {
  const made: Counting[] = [];
  const key = tests.find((test) => test.shares?.kind === 'unique');
  const columns = key?.shares?.kind === 'unique' ? key.shares.columns : [];
  const nulls = ofKind(tests, 'not_null');
  const ofKey = nulls.filter(
    ([test, { column }]) => columns.includes(column) && key && fromOf(test) === fromOf(key),
  );
  if (key) {
    const hashed = `hash(${columns.map(ident).join(', ')})`;
    const isNull = columns.map((column) => `${ident(column)} IS NULL`);
    const named = isNull.map((condition, index) => `${condition} AS ${ident(`null ${index}`)}`);
    made.push({
      tests: [key, ...ofKey.map(([test]) => test)],
      from: `(SELECT ${[`${hashed} AS key`, ...named].join(', ')}, count(*) AS n FROM ${fromOf(key)} GROUP BY ${[hashed, ...isNull].join(', ')}) AS keys`,
      counts: [
        'coalesce(sum(n - 1), 0)',
        ...ofKey.map(
          ([, { column }]) =>
            `coalesce(sum(CASE WHEN ${ident(`null ${columns.indexOf(column)}`)} THEN n END), 0)`,
        ),
      ],
    });
  }
  const apart = nulls.filter((one) => !ofKey.includes(one));
  const conditions = [
    ...ofKind(tests, 'never').map(([test, { condition }]) => ({ test, condition })),
    ...(isView ? apart : []).map(([test, { column }]) => ({ test, condition: `${ident(column)} IS NULL` })),
  ];
  // With partitions, a rule about all rows is counted over other rows.
  for (const [from, own] of Map.groupBy(conditions, ({ test }) => fromOf(test)))
    made.push({
      tests: own.map(({ test }) => test),
      from,
      counts: own.map(({ condition }) => `count(*) FILTER (WHERE ${condition})`),
    });
  for (const [test, { column }] of isView ? [] : apart)
    made.push({
      tests: [test],
      from: `(SELECT * FROM ${fromOf(test)} WHERE ${ident(column)} IS NULL) AS missing`,
      counts: ['count(*)'],
    });
  return made;
}

type Shared<Kind extends SharedRule['kind']> = [DataTest, Extract<SharedRule, { kind: Kind }>];

function ofKind<Kind extends SharedRule['kind']>(tests: readonly DataTest[], kind: Kind): Shared<Kind>[] {
  return tests.flatMap((test) => (test.shares?.kind === kind ? [[test, test.shares] as Shared<Kind>] : []));
}

/**
 * Returns an error for each failed data test of severity `error`. Any such error keeps the previous publication in
 * place.
 */
export function failedTests(tests: readonly TestReport[]): CrawlhouseError[] {
  return tests
    .filter((test) => test.status === 'failed' && test.severity === 'error')
    .map(
      (test) =>
        new CrawlhouseError('test_failed', `${test.model}: ${test.name}: ${test.failures} rows break it`),
    );
}
