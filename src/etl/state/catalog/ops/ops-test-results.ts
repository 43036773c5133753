import { type Connection, given } from '../../../../core/duckdb/duckdb.ts';
import { exactRows } from './ops-rows.ts';

interface TestResult {
  readonly model: string;
  readonly name: string;
  readonly severity: string;
  readonly status: string;
  readonly failures: number;
  readonly sql: string;
}

const RESULT = given('$2', ['model', 'name', 'severity', 'status', 'sql'], { failures: 'BIGINT' });

/** Adds the results of a run. Earlier results stay. */
export async function recordTestResults(
  connection: Connection,
  runId: string,
  results: readonly TestResult[],
): Promise<void> {
  await connection.run(
    `INSERT INTO ops.test_results BY NAME SELECT $1 AS run_id, ${RESULT}, now() AS tested_at`,
    [runId, JSON.stringify(results)],
  );
}

export async function testsOfRun(
  connection: Connection,
  runId: string,
): Promise<{ model: string; name: string; severity: string; status: string; failures: number | bigint }[]> {
  return await exactRows(
    connection,
    `SELECT model, name, severity, status, failures FROM ops.test_results WHERE run_id = ?
     ORDER BY status = 'passed', model, name`,
    [runId],
  );
}

/** Returns the last result of each test, with its time in UTC. */
export async function lastTestResults(
  connection: Connection,
): Promise<(Omit<TestResult, 'sql'> & { readonly testedAt: string })[]> {
  const rows = await connection.jsonRows(
    `SELECT model, name, severity, status, failures, strftime(tested_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%SZ') AS tested_at
     FROM ops.test_results QUALIFY row_number() OVER (PARTITION BY model, name ORDER BY tested_at DESC) = 1`,
  );
  return rows.map((row) => ({
    model: String(row.model),
    name: String(row.name),
    severity: String(row.severity),
    status: String(row.status),
    failures: Number(row.failures),
    testedAt: String(row.tested_at),
  }));
}
