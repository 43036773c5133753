import { packageVersion } from '../../src/core/host/package-version.ts';
import '../../src/etl/pipeline/workers/part.ts';
import '../../src/etl/state/ledger/postgres/postgres-part.ts';
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
