import type { Connection } from '../../../core/duckdb/duckdb.ts';
import type { LedgerRun } from '../../../project/model/runs/ledger-records.ts';

const RUN_JSON = `[{"run_id":"VARCHAR","command":"VARCHAR","status":"VARCHAR",
  "started_at":"TIMESTAMPTZ","ended_at":"TIMESTAMPTZ"}]`;

/** Writes runs, each in the place of its former row; earlier ones stay. */
export async function recordRuns(connection: Connection, runs: readonly LedgerRun[]): Promise<void> {
  await connection.run(
    'DELETE FROM ops.runs WHERE run_id IN (SELECT unnest(from_json(?, \'["VARCHAR"]\')))',
    [JSON.stringify(runs.map((run) => run.run_id))],
  );
  await connection.run(`INSERT INTO ops.runs SELECT unnest(from_json(?, '${RUN_JSON}'), recursive := true)`, [
    JSON.stringify(runs),
  ]);
}

export async function readRuns(connection: Connection): Promise<LedgerRun[]> {
  const iso = (column: string): string => `strftime(${column}, '%Y-%m-%dT%H:%M:%S.%gZ')`;
  const runs = await connection.jsonRows(
    `SELECT * REPLACE (${iso('started_at')} AS started_at, ${iso('ended_at')} AS ended_at) FROM ops.runs`,
  );
  return runs.map((run) => ({ ...(run as unknown as LedgerRun), summary: null }));
}
