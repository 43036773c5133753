import type { GcsOptions } from './gcs-store.ts';
import type { LocalOptions } from './local-store.ts';
import type { ObjectStore } from './object-store.ts';
import type { S3Options } from './s3-store.ts';

/** What each kind of store is opened with. */
export interface StoreOptions {
  readonly store_a: GcsOptions;
  readonly store_b: S3Options;
  readonly local: LocalOptions;
}

export type StoreKind = keyof StoreOptions;

/** The SDKs are large: each is loaded by the first store that needs it. */
const OPENERS: { readonly [K in StoreKind]: (options: StoreOptions[K]) => Promise<ObjectStore> } = {
  store_a: async (options) => new (await import('./gcs-store.ts')).GcsStore(options),
  store_b: async (options) => new (await import('./s3-store.ts')).S3Store(options),
  local: async (options) => new (await import('./local-store.ts')).LocalStore(options),
};

/** Opens a store; whether its bucket is there and lets us in shows at the first request. */
export function openStore<K extends StoreKind>(kind: K, options: StoreOptions[K]): Promise<ObjectStore> {
  return OPENERS[kind](options);
}
