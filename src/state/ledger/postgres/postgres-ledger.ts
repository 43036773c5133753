import type { LedgerWrite } from '../sql-database.ts';
import { SqlLedger } from '../sql-ledger.ts';
import type { Lease } from './lease.ts';
import { type LedgerProject, PostgresDatabase } from './postgres-database.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { SHARED_LEDGER_VERSION, sharedVersion } from './postgres-schema.ts';
import { PostgresUnitOffers } from './postgres-unit-offers.ts';
import { claimedUnits } from './queue-table.ts';

/** The lease of the one process that writes. */
export const WRITER = 'writer';

/**
 * One project of a ledger in PostgreSQL. Every write checks the lease of its process in the same transaction.
 *
 * @param lease null for a reader
 */
export function postgresLedger(pool: PostgresPool, of: LedgerProject, lease: Lease | null): SqlLedger {
  const write: LedgerWrite = async (work) => {
    if (lease === null) throw new Error('a reader of the ledger does not write');
    return pool.transaction(async (statements) => {
      await lease.fence(statements);
      return work(statements);
    });
  };
  const database = new PostgresDatabase(pool, of, write);
  return new SqlLedger({
    database,
    version: SHARED_LEDGER_VERSION,
    offers: lease && new PostgresUnitOffers(pool, of, write),
    // Without the server no unit can end, so none goes on.
    lost: AbortSignal.any([...(lease ? [lease.lost] : []), pool.gone]),
    check: async () => {
      await pool.transaction((statements) => sharedVersion(statements, of.schema));
    },
    claimed: () => claimedUnits(pool, of),
    dataset: 'dataset',
    unitColumns: ({ dataset }) => ({ dataset }),
    runColumns: { token: lease?.token },
    // A run is under way while the lease is held that it began under.
    runStatus: `CASE WHEN status <> 'running' OR EXISTS (
        SELECT FROM ${database.table('leases')} AS lease
        WHERE lease.project = run.project AND name = '${WRITER}' AND lease.token = run.token
          AND until > clock_timestamp()
      ) THEN status ELSE 'killed' END`,
    markDead: (runs) => runs,
    async [Symbol.asyncDispose]() {
      await lease?.[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  });
}
