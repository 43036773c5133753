import { packageVersion } from '../../src/core/host/package-version.ts';
import '../../src/operations/alert/postgres-alert-store.ts';
import '../../src/state/ledger/postgres/postgres-ledger.ts';
import '../../src/state/ledger/postgres/postgres-scheduler-lease.ts';
import '../../src/state/ledger/postgres/postgres-unit-queue.ts';
import { live } from './life.ts';

/** Lives with a ledger of their own and with a shared one. */
const SEEDS = [0, 18, 4];

let isWarm: Promise<unknown> | undefined;

/** What the product reads once a process is there before the first life, so that no life waits for a real file. */
export function warmUp(): Promise<unknown> {
  isWarm ??= (async () => {
    await packageVersion();
    for (const seed of SEEDS) await live(seed, { decisions: [] });
  })();
  return isWarm;
}
