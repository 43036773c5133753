import type { SharedLedgerPart } from '../shared-ledger.ts';
import { holderOf, Lease } from './lease.ts';
import { openPostgresLedger, readPostgresLedger } from './postgres-ledger.ts';
import { BRIEF, PostgresDatabase, PostgresPool } from './postgres-pool.ts';
import { takePostgresSchedulerLease } from './postgres-scheduler-lease.ts';
import { migrateSharedLedger, sharedVersion } from './postgres-schema.ts';
import { openPostgresSlots } from './postgres-slots.ts';
import { openPostgresQueue } from './postgres-unit-queue.ts';

export const postgresPart: SharedLedgerPart = {
  openLedger: openPostgresLedger,
  readLedger: readPostgresLedger,
  openQueue: openPostgresQueue,
  openSlots: openPostgresSlots,
  takeSchedulerLease: takePostgresSchedulerLease,
  openTables(address) {
    const { project, schema } = address;
    const pool = new PostgresPool(address, BRIEF, new AbortController().signal);
    const database = new PostgresDatabase(pool, address, (work) =>
      pool.transaction(async (statements) => {
        // A run that fails before it opens the ledger also writes.
        await migrateSharedLedger(statements, schema);
        await statements.rows('SELECT pg_advisory_xact_lock(hashtext($1), hashtext($2))', [schema, project]);
        return work(statements);
      }),
    );
    return {
      database,
      async lease(name, command, stateDir) {
        const lease = await Lease.try(pool, { ...address, name }, holderOf(command, stateDir));
        return lease instanceof Lease ? lease : undefined;
      },
    };
  },
  async hasTables(address) {
    await using pool = new PostgresPool(address, BRIEF, new AbortController().signal);
    return (await sharedVersion(pool, address.schema)) !== null;
  },
};
