import type { SlotSource } from '../../service/api/client/rate-limit.ts';
import { type LedgerSettings, sharedLedger } from './open-ledger.ts';

/**
 * The request slots of an account of the service, where the ledger is shared; undefined where each process has the
 * whole rate. The first request opens the connection.
 */
export function sharedSlots(settings: LedgerSettings, account: string): SlotSource | undefined {
  const address = sharedLedger(settings);
  if (address === undefined) return undefined;
  let opened: Promise<SlotSource> | undefined;
  const open = async (): Promise<SlotSource> => {
    const { openPostgresSlots } = await import('./postgres/postgres-slots.ts');
    return openPostgresSlots(address, account);
  };
  return {
    async reserve(count, intervalMs) {
      opened ??= open();
      return (await opened).reserve(count, intervalMs);
    },
    async [Symbol.asyncDispose]() {
      // The error reaches the caller that asked for a slot.
      await (await opened?.catch(() => undefined))?.[Symbol.asyncDispose]();
    },
  };
}
