import { ident } from '../../../core/duckdb/duckdb.ts';
import type { ClaimedUnit } from '../ledger.ts';
import type { LedgerStatements } from '../sql-database.ts';
import type { ClaimProgress } from '../unit-queue.ts';
import type { LedgerProject } from './postgres-database.ts';
import type { PostgresPool } from './postgres-pool.ts';

/** A claim without a heartbeat for this time is free again. */
export const CLAIM_MS = 30_000;
/** A unit that this many processes in a row have claimed and lost fails, because it may have crashed them. */
export const MOST_CLAIMS = 5;

/** Claims of one project follow one another, so that limits hold; each takes milliseconds. */
export async function lockQueue(
  statements: LedgerStatements,
  { schema, project }: LedgerProject,
): Promise<void> {
  await statements.rows('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `crawlhouse queue ${schema} ${project}`,
  ]);
}

/** The random id of a project's queue, made when it is first asked for. */
export async function queueId(pool: PostgresPool, { schema, project }: LedgerProject): Promise<string> {
  const facts = `${ident(schema)}.facts`;
  const values = [project, 'queue'];
  const read = () =>
    pool.rows<{ value: string }>(`SELECT value FROM ${facts} WHERE project = $1 AND name = $2`, values);
  const [known] = await read();
  if (known) return known.value;
  await pool.transaction((statements) =>
    statements.rows(
      `INSERT INTO ${facts} (project, name, value) VALUES ($1, $2, gen_random_uuid()::text) ON CONFLICT DO NOTHING`,
      values,
    ),
  );
  const [made] = await read();
  if (!made) throw new Error('the id of the queue is gone');
  return made.value;
}

/** The units that live processes work on, the longest claimed first. */
export async function claimedUnits(
  pool: PostgresPool,
  { schema, project }: LedgerProject,
): Promise<ClaimedUnit[]> {
  const rows = await pool.rows<ClaimRow>(
    `SELECT unit, worker, claimed_at, progress FROM ${ident(schema)}.queue
     WHERE project = $1 AND status = 'claimed' AND until > clock_timestamp() ORDER BY claimed_at, unit`,
    [project],
  );
  return rows.map(({ unit, worker, claimed_at, progress }) => ({
    unit,
    worker,
    claimed_at,
    phase: progress?.phase ?? 'download',
    received: progress?.received ?? 0,
    reported: progress?.reported ?? null,
  }));
}

interface ClaimRow {
  readonly unit: string;
  readonly worker: string;
  readonly claimed_at: string;
  readonly progress: ClaimProgress | null;
}
