import type { Connection } from '../core/duckdb.ts';
import type { TestReport } from '../model/report.ts';
import type { PlannedModel } from './plan-models.ts';

/** Runs the tests of a model, which count the rows that break their rules. */
export async function countFailures(
  connection: Connection,
  { model, tests }: PlannedModel,
  signal?: AbortSignal,
): Promise<TestReport[]> {
  const reports: TestReport[] = [];
  for (const { name, severity, sql } of tests) {
    const failures = Number(await connection.scalar(sql, [], signal));
    reports.push({
      name,
      model: model.name,
      severity,
      status: failures === 0 ? 'passed' : 'failed',
      failures,
    });
  }
  return reports;
}

/**
 * Tests a model and writes what was found to `ops.test_results`. Until all tests of severity `error` have passed, the
 * model stays untested in `ops.models`, so the next run tests it again though nothing changed.
 */
export async function testModel(
  connection: Connection,
  planned: PlannedModel,
  runId: string,
  signal?: AbortSignal,
): Promise<TestReport[]> {
  const { model, tests } = planned;
  const reports = await countFailures(connection, planned, signal);
  const passed = !reports.some((report) => report.severity === 'error' && report.status === 'failed');
  await connection.transaction(async () => {
    for (const [index, { name, severity, status, failures }] of reports.entries()) {
      await connection.run(
        `INSERT INTO ops.test_results BY NAME SELECT $1 AS run_id, $2 AS model, $3 AS name, $4 AS severity,
           $5 AS status, $6::BIGINT AS failures, $7 AS sql, now() AS tested_at`,
        [runId, model.name, name, severity, status, BigInt(failures), tests[index]?.sql ?? ''],
      );
    }
    await connection.run(`UPDATE ops.models SET tested_at = ${passed ? 'now()' : 'NULL'} WHERE name = $1`, [
      model.name,
    ]);
  });
  return reports;
}
