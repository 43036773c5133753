import type { LedgerUnit } from '../../../project/model/ledger-records.ts';
import type { Unit } from '../../../project/model/unit.ts';
import type { Statements } from './postgres-pool.ts';

type Times = 'started_at' | 'ended_at' | 'failing_since' | 'next_try_at' | 'updated_at' | 'requested_at';
/** As `pg` gives a row: times are dates. */
export type RowOf<T> = {
  readonly [K in keyof T]: K extends Times ? (null extends T[K] ? Date | null : Date) : T[K];
};
type UnitRow = RowOf<Omit<LedgerUnit, keyof Unit>> & { readonly spec: Unit };

/** The table of the units of one project. */
interface UnitTable {
  readonly table: string;
  readonly project: string;
}

export function timeOf(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}

export function jsonOf(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

export async function readUnits(
  statements: Statements,
  { table, project }: UnitTable,
  which: 'all' | 'unpublished',
): Promise<LedgerUnit[]> {
  const rows = await statements.rows<UnitRow>(
    `SELECT unit, spec, status, attempts, error, failures, failing_since, next_try_at, updated_at
     FROM ${table} WHERE project = $1 AND ($2 OR status <> 'published') ORDER BY updated_at, unit`,
    [project, which === 'all'],
  );
  return rows.map(({ spec, ...row }) => ({
    ...row,
    dataset: spec.dataset,
    source: spec.source,
    window: spec.window,
    failing_since: timeOf(row.failing_since),
    next_try_at: timeOf(row.next_try_at),
    updated_at: row.updated_at.toISOString(),
  }));
}

/** Writes entries; `condition` is on `known` and `excluded`, of an entry that is there. */
export async function putUnits(
  statements: Statements,
  { table, project }: UnitTable,
  units: readonly LedgerUnit[],
  condition = 'true',
): Promise<void> {
  await statements.rows(
    `INSERT INTO ${table} AS known
       (project, unit, dataset, spec, status, attempts, error, failures, failing_since, next_try_at, updated_at)
     SELECT $1, unit, spec ->> 'dataset', spec, status, attempts, error, failures, failing_since, next_try_at, updated_at
     FROM unnest($2::text[], $3::json[], $4::text[], $5::integer[], $6::json[], $7::integer[], $8::timestamptz[],
       $9::timestamptz[], $10::timestamptz[])
       AS given (unit, spec, status, attempts, error, failures, failing_since, next_try_at, updated_at)
     ON CONFLICT (project, unit) DO UPDATE SET
       status = excluded.status, attempts = excluded.attempts, error = excluded.error, failures = excluded.failures,
       failing_since = CASE WHEN excluded.failures > 0 THEN coalesce(excluded.failing_since, known.failing_since) END,
       next_try_at = excluded.next_try_at, updated_at = excluded.updated_at
     WHERE ${condition}`,
    [
      project,
      units.map(({ unit }) => unit),
      units.map(({ dataset, source, window }) => JSON.stringify({ dataset, source, window })),
      units.map(({ status }) => status),
      units.map(({ attempts }) => attempts),
      units.map(({ error }) => jsonOf(error)),
      units.map(({ failures }) => failures),
      units.map(({ failing_since }) => failing_since),
      units.map(({ next_try_at }) => next_try_at),
      units.map(({ updated_at }) => updated_at),
    ],
  );
}
