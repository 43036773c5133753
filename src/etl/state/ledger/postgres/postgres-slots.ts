import { z } from 'zod';
import type { SlotSource } from '../../../../client/http/rate-limit.ts';
import { ident } from '../../../../core/duckdb/duckdb.ts';
import type { PostgresAddress } from '../../../../core/net/postgres-address.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';
import { BRIEF } from './postgres-pool.ts';
import { openShared } from './postgres-schema.ts';

const SlotDelay = z.strictObject({ delay: z.number() });

/** If the next slot is further ahead than this, it comes from a clock that was wrong. */
const FURTHEST = '10 minutes';

/** Opens the request slots of one account of the service, in a row of a shared ledger. */
export function openPostgresSlots(address: PostgresAddress, account: string): Promise<SlotSource> {
  const table = `${ident(address.schema)}.request_slots`;
  return openShared(address, BRIEF, new AbortController().signal, (pool) => ({
    async reserve(count, intervalMs) {
      const [row] = await pool.transaction(async (statements) =>
        typedRows(
          SlotDelay,
          await statements.rows(
            `INSERT INTO ${table} AS known (account, next_at)
             VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond')
             ON CONFLICT (account) DO UPDATE SET next_at = $2 * interval '1 millisecond' +
               CASE WHEN known.next_at BETWEEN clock_timestamp() AND clock_timestamp() + interval '${FURTHEST}'
                 THEN known.next_at ELSE clock_timestamp() END
             RETURNING (extract(epoch FROM next_at - clock_timestamp()) * 1000 - $2)::double precision AS delay`,
            [account, count * intervalMs],
          ),
        ),
      );
      return Math.max(0, row?.delay ?? 0);
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }));
}
