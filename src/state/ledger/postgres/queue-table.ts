import { ident } from '../../../core/duckdb.ts';
import type { ClaimedUnit } from '../ledger.ts';
import type { ClaimProgress } from '../unit-queue.ts';
import type { LedgerProject } from './postgres-exports.ts';
import type { PostgresPool, Statements } from './postgres-pool.ts';

/** A claim whose process says nothing for so long is free again. */
export const CLAIM_MS = 30_000;
/** A unit that so many processes have claimed and lost in a row fails: it may be what ended them. */
export const MOST_CLAIMS = 5;

/** Claims of one project follow one another, so that limits hold; each takes milliseconds. */
export async function lockQueue(statements: Statements, { schema, project }: LedgerProject): Promise<void> {
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

/** The units that living processes are at, the longest claimed first. */
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
    ...{ unit, worker, claimed_at: claimed_at.toISOString() },
    phase: progress?.phase ?? 'download',
    received: progress?.received ?? 0,
    reported: progress?.reported ?? null,
  }));
}

interface ClaimRow {
  readonly unit: string;
  readonly worker: string;
  readonly claimed_at: Date;
  readonly progress: ClaimProgress | null;
}
