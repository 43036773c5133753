import type { Oracle } from './oracle.ts';
import type { SimPostgres } from './sim-postgres.ts';
import type { SimProcess } from './sim-process.ts';

const OF_THE_WRITER = /^\s*(?:INSERT INTO|UPDATE|DELETE FROM) "crawlhouse"\."(units|runs|open_crawls)"/;
const BY_A_CLAIM =
  /^\s*UPDATE "crawlhouse"\.queue SET status = '(staged|failed|done)', (?:progress = NULL, )?until = NULL/;

/** Looks at each change of a shared ledger: only the holder of the writer's lease, or of the unit's claim, may make it. */
export function watchFences(oracle: Oracle, server: () => SimPostgres) {
  return (sql: string, values: readonly unknown[], process: SimProcess): void => {
    const table = OF_THE_WRITER.exec(sql)?.[1];
    if (table !== undefined) {
      const [lease] = server().present<{ holder: { pid: number; host: string } }>(
        `SELECT holder FROM "crawlhouse".leases WHERE name = 'writer'`,
      );
      const isIts = lease?.holder.pid === process.pid && lease.holder.host === process.hostname;
      oracle.hold('no late writer', isIts, `${process.name} writes ${table} without the lease`);
    }
    const isState = /INSERT INTO "crawlhouse".facts/.test(sql) && values[1] === 'schedules';
    if (isState) {
      const [lease] = server().present<{ holder: { pid: number; host: string } }>(
        `SELECT holder FROM "crawlhouse".leases WHERE name = 'scheduler'`,
      );
      const isIts = lease?.holder.pid === process.pid && lease.holder.host === process.hostname;
      oracle.hold(
        'no late writer',
        isIts,
        `${process.name} writes the state of the schedules without the lease`,
      );
    }
    const end = BY_A_CLAIM.exec(sql)?.[1];
    if (end === undefined) return;
    const [row] = server().present<{ worker: string }>(
      `SELECT worker FROM "crawlhouse".queue WHERE unit = $1`,
      [values[1]],
    );
    const isIts = row?.worker.includes(`(process ${process.pid} on ${process.hostname})`) ?? false;
    oracle.hold(
      'no late writer',
      isIts,
      `${process.name} ends ${values[1]} as ${end}, which ${row?.worker} has`,
    );
  };
}
