import type { Connection } from '../core/duckdb.ts';
import type { LedgerRun, LedgerUnit, UnitState } from '../model/ledger-records.ts';
import type { WorkingCopy } from './working-copy.ts';

const UNIT_JSON = `[{"unit":"VARCHAR","dataset":"VARCHAR","kind":"VARCHAR","id":"VARCHAR","project_id":"VARCHAR",
  "from":"VARCHAR","to":"VARCHAR","status":"VARCHAR","attempts":"BIGINT",
  "code":"VARCHAR","message":"VARCHAR","hint":"VARCHAR","updated_at":"TIMESTAMPTZ",
  "failures":"BIGINT","next_try_at":"TIMESTAMPTZ"}]`;

const RUN_JSON = `[{"run_id":"VARCHAR","command":"VARCHAR","status":"VARCHAR",
  "started_at":"TIMESTAMPTZ","ended_at":"TIMESTAMPTZ"}]`;

/** The part of the ledger that is written to `ops`. */
interface LedgerReader {
  units(): readonly LedgerUnit[];
  runs(most: number): readonly LedgerRun[];
}

/** Writes units and runs of the ledger to `ops`, as they will stand once this publication is in place. */
export async function recordRun(
  ledger: LedgerReader,
  working: WorkingCopy,
  current: { readonly runId: string; readonly status: string },
): Promise<void> {
  const { connection } = working;
  const units = ledger.units().map((unit) => ({
    unit: unit.unit,
    dataset: unit.dataset,
    ...unit.source,
    from: unit.window?.from ?? null,
    to: unit.window?.to ?? null,
    status: unit.status,
    attempts: unit.attempts,
    ...(unit.error ?? { code: null, message: null, hint: null }),
    updated_at: unit.updated_at,
    failures: unit.failures,
    next_try_at: unit.next_try_at,
    ...(unit.status === 'loaded' ? { status: 'published', failures: 0, next_try_at: null } : {}),
  }));
  const runs = ledger
    .runs(1000)
    .map((run) =>
      run.run_id === current.runId
        ? { ...run, status: current.status, ended_at: new Date().toISOString() }
        : run,
    );
  await connection.transaction(async () => {
    await connection.run('DELETE FROM ops.units');
    await connection.run(
      `INSERT INTO ops.units SELECT unnest(from_json(?, '${UNIT_JSON}'), recursive := true)`,
      [JSON.stringify(units)],
    );
    await connection.run(
      'DELETE FROM ops.runs WHERE run_id IN (SELECT unnest(from_json(?, \'["VARCHAR"]\')))',
      [JSON.stringify(runs.map((run) => run.run_id))],
    );
    await connection.run(
      `INSERT INTO ops.runs SELECT unnest(from_json(?, '${RUN_JSON}'), recursive := true)`,
      [JSON.stringify(runs)],
    );
    await working.markDirty();
  });
}

/** Units and runs as `ops` has them. */
export async function ledgerTables(
  connection: Connection,
  only = '',
): Promise<{ units: LedgerUnit[]; runs: LedgerRun[] }> {
  const iso = (column: string): string => `strftime(${column}, '%Y-%m-%dT%H:%M:%S.%gZ')`;
  const units = await connection.jsonRows(
    `SELECT * REPLACE (${iso('updated_at')} AS updated_at, CAST(attempts AS INTEGER) AS attempts,
       ${iso('next_try_at')} AS next_try_at) FROM ops.units ${only}`,
  );
  const runs = await connection.jsonRows(
    `SELECT * REPLACE (${iso('started_at')} AS started_at, ${iso('ended_at')} AS ended_at) FROM ops.runs`,
  );
  return {
    units: units.map((row) => ({
      unit: String(row.unit),
      dataset: String(row.dataset),
      source: {
        kind: row.source_kind,
        id: row.source_id,
        project_id: row.project_id,
      } as LedgerUnit['source'],
      window: row.window_from === null ? null : { from: String(row.window_from), to: String(row.window_to) },
      status: row.status as UnitState,
      attempts: Number(row.attempts),
      error:
        row.error_code === null
          ? null
          : ({
              code: row.error_code,
              message: row.error_message,
              hint: row.error_hint,
            } as LedgerUnit['error']),
      failures: Number(row.failures ?? 0),
      failing_since: null,
      next_try_at: row.next_try_at === null ? null : String(row.next_try_at),
      updated_at: String(row.updated_at),
    })),
    runs: runs.map((run) => ({ ...(run as unknown as LedgerRun), summary: null })),
  };
}
