import type { PostgresAddress } from '../../core/net/postgres-address.ts';
import { holderOf, Lease } from '../../state/ledger/postgres/lease.ts';
import { BRIEF, PostgresDatabase, PostgresPool } from '../../state/ledger/postgres/postgres-pool.ts';
import { migrateSharedLedger, sharedVersion } from '../../state/ledger/postgres/postgres-schema.ts';
import { AlertStore } from './sql-alert-store.ts';

const DELIVERY = 'alerts';

/** Opens the alerts of one project of a shared ledger. */
export function postgresAlertStore(address: PostgresAddress, stateDir: string, folder: string): AlertStore {
  const { project, schema } = address;
  const pool = new PostgresPool(address, BRIEF, new AbortController().signal);
  const database = new PostgresDatabase(pool, address, (work) =>
    pool.transaction(async (statements) => {
      // A run that fails before it opens the ledger has alerts too.
      await migrateSharedLedger(statements, schema);
      await statements.rows('SELECT pg_advisory_xact_lock(hashtext($1), hashtext($2))', [schema, project]);
      return work(statements);
    }),
  );
  return new AlertStore(database, folder, async (deliver) => {
    const holder = holderOf('delivery of alerts', stateDir);
    const lease = await Lease.try(pool, { ...address, name: DELIVERY }, holder);
    if (!(lease instanceof Lease)) return;
    await using _lease = lease;
    await deliver();
  });
}

export async function hasSharedLedger(address: PostgresAddress): Promise<boolean> {
  await using pool = new PostgresPool(address, BRIEF, new AbortController().signal);
  return (await sharedVersion(pool, address.schema)) !== null;
}
