import { type Connection, table } from '../core/duckdb.ts';
import type { TestReport } from '../model/report.ts';
import { recordPartitionsTested, untestedPartitions } from '../warehouse/ops-model-partitions.ts';
import { recordTested } from '../warehouse/ops-models.ts';
import { recordTestResults } from '../warehouse/ops-test-results.ts';
import { inPartitions, partitionedModel } from './partitions.ts';
import type { PlannedModel } from './plan-models.ts';

/** So many rows that break a rule are shown. */
const SAMPLE_ROWS = 5;

export interface CountOptions {
  /** A condition on the rows to test, where only some are new: rules about all rows don't heed it. */
  readonly where?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Runs the tests of a model, which count the rows that break their rules. */
export async function countFailures(
  connection: Connection,
  { model, tests }: Pick<PlannedModel, 'model' | 'tests'>,
  { where, signal }: CountOptions = {},
): Promise<TestReport[]> {
  const some = where && `(SELECT * FROM ${table(...model.name.split('.'))} WHERE ${where})`;
  const reports: TestReport[] = [];
  for (const { name, severity, sql, sqlOf, rows } of tests) {
    const failures = Number(await connection.scalar(some && sqlOf ? sqlOf(some) : sql, [], signal));
    reports.push({
      name,
      model: model.name,
      severity,
      status: failures === 0 ? 'passed' : 'failed',
      failures,
      sample:
        failures === 0 ? [] : await connection.jsonRows(`FROM (${rows}\n) LIMIT ${SAMPLE_ROWS}`, [], signal),
      query: rows,
    });
  }
  return reports;
}

/**
 * Tests a model and writes the results to `ops.test_results`. The model stays untested in `ops.models` until all tests of
 * severity `error` have passed, so the next run tests it again though nothing changed. Of a partitioned model only the
 * partitions are tested that have not passed yet.
 */
export async function testModel(
  connection: Connection,
  planned: PlannedModel,
  runId: string,
  signal?: AbortSignal,
): Promise<TestReport[]> {
  const { model, tests } = planned;
  const partitioned = partitionedModel(planned);
  const untested = partitioned ? await untestedPartitions(connection, partitioned.name) : undefined;
  const where = partitioned && untested ? inPartitions(partitioned, untested) : undefined;
  const reports = await countFailures(connection, planned, { where, signal });
  const passed = !reports.some((report) => report.severity === 'error' && report.status === 'failed');
  await connection.transaction(async () => {
    const results = reports.map((report, index) => ({ ...report, sql: tests[index]?.sql ?? '' }));
    await recordTestResults(connection, runId, results);
    await recordTested(connection, model.name, passed);
    if (partitioned && passed) await recordPartitionsTested(connection, partitioned.name);
  });
  return reports;
}
