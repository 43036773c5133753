import type { SlotSource } from '../../../client/http/rate-limit.ts';
import { type LedgerSettings, sharedLedger, sharedLedgerPart } from './open-ledger.ts';

/**
 * Returns the request slots of an account of the service, where the ledger is shared; undefined if each process has
 * the whole rate. The first request opens the connection.
 */
export function sharedSlots(settings: LedgerSettings, account: string): SlotSource | undefined {
  const address = sharedLedger(settings);
  if (address === undefined) return undefined;
  let opened: Promise<SlotSource> | undefined;
  const open = async (): Promise<SlotSource> => (await sharedLedgerPart()).openSlots(address, account);
  return {
    async reserve(count, intervalMs) {
      opened ??= open();
      return (await opened).reserve(count, intervalMs);
    },
    async [Symbol.asyncDispose]() {
      // The caller that requested a slot gets the error.
      await (await opened?.catch(() => undefined))?.[Symbol.asyncDispose]();
    },
  };
}
