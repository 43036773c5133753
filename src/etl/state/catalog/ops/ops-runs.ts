import { type Connection, given, isoTime, listed } from '../../../../core/duckdb/duckdb.ts';
import type { LedgerRun } from '../../../project/model/runs/ledger-records.ts';

const RUN = given('?', ['run_id', 'command', 'status'], {
  started_at: 'TIMESTAMPTZ',
  ended_at: 'TIMESTAMPTZ',
});

/** Writes runs. Each replaces its former row; other runs stay. */
export async function recordRuns(connection: Connection, runs: readonly LedgerRun[]): Promise<void> {
  const ids = JSON.stringify(runs.map((run) => run.run_id));
  await connection.run(`DELETE FROM ops.runs WHERE run_id IN ${listed('?')}`, [ids]);
  await connection.run(`INSERT INTO ops.runs SELECT ${RUN}`, [JSON.stringify(runs)]);
}

export async function readRuns(connection: Connection): Promise<LedgerRun[]> {
  const runs = await connection.jsonRows<LedgerRun>(
    `SELECT * REPLACE (${isoTime('started_at')} AS started_at, ${isoTime('ended_at')} AS ended_at) FROM ops.runs`,
  );
  return runs.map((run) => ({ ...run, summary: null }));
}
