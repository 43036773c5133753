import type { StoreKind } from '../store-kind.ts';
import type { LocalOptions } from './local-store.ts';

/** A folder in place of a bucket. No setting names one. */
export const local = {
  open: async (options) => new (await import('./local-store.ts')).LocalStore(options),
} as const satisfies StoreKind<LocalOptions>;
