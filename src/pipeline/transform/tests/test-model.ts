import type { Connection } from '../../../core/duckdb/duckdb.ts';
import type { ModelPlace, ModelQueries } from '../../../engines/model-engine.ts';
import type { TestReport } from '../../../project/model/runs/report.ts';
import { inPartitions, partitionedModel } from '../../../project/sql/plan/partitions.ts';
import type { PlannedModel } from '../../../project/sql/plan/plan-models.ts';
import {
  recordPartitionsTested,
  untestedPartitions,
} from '../../../state/catalogue/ops/ops-model-partitions.ts';
import { recordTested } from '../../../state/catalogue/ops/ops-models.ts';
import { recordTestResults } from '../../../state/catalogue/ops/ops-test-results.ts';
import { type CountOptions, countTests } from './count-tests.ts';

/** So many rows that break a rule are shown. */
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

/** Tests a model. Of a partitioned one only the partitions are tested that have not passed yet. */
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
 * Writes results to `ops.test_results`, in one transaction. A model stays untested in `ops.models` until all its tests of
 * severity `error` have passed, so the next run tests it again though nothing changed.
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
  const passed = tested
    .filter(({ reports }) => !reports.some((one) => one.severity === 'error' && isFailed(one)))
    .map(({ planned }) => planned.model.name);
  await connection.transaction(async () => {
    await recordTestResults(connection, runId, results);
    await recordTested(
      connection,
      tested.map(({ planned }) => planned.model.name),
      passed,
    );
    await recordPartitionsTested(connection, passed);
  });
}
