import type { z } from 'zod';
import { host } from '../host/host.ts';
import { gcs } from './gcs/gcs.ts';
import type { ObjectStore } from './object-store.ts';
import { s3 } from './s3/s3.ts';
import { missingSetting } from './store-kind.ts';

/**
 * Every kind of store, by the name of its setting. Messages use this name too. A new kind needs a folder and a line
 * here.
 */
const KINDS = { store_a: gcs, store_b: s3 } as const;

type Kinds = typeof KINDS;
export type StoreName = keyof Kinds;

type Configured<K extends StoreName> = NonNullable<z.output<Kinds[K]['settings']>>;
type ExportParameters = ReturnType<Kinds[StoreName]['exportParameters']>;
/** The settings of the stores in `crawlhouse.yaml`. */
export type StoreSettings = { readonly [K in StoreName]?: Configured<K> | undefined };

export interface StorePrefix {
  readonly store: StoreName;
  readonly prefix: string;
}

export const STORE_NAMES = Object.keys(KINDS) as readonly StoreName[];

export const STORE_SETTINGS = Object.fromEntries(STORE_NAMES.map((name) => [name, KINDS[name].settings])) as {
  readonly [K in StoreName]: Kinds[K]['settings'];
};

const OF_SETTINGS: {
  readonly [K in StoreName]: {
    open(settings: Configured<K>): Promise<ObjectStore>;
    exportParameters(settings: Configured<K>, workspaceId: string, prefix: string): ExportParameters;
  };
} = KINDS;

export function configuredStores(settings: StoreSettings): readonly StoreName[] {
  return STORE_NAMES.filter((name) => settings[name] !== undefined);
}

/**
 * Opens a store by its settings.
 *
 * @throws CrawlhouseError `bad_settings` if they name no bucket
 */
export function openConfiguredStore<K extends StoreName>(
  settings: StoreSettings,
  name: K,
): Promise<ObjectStore> {
  const own = configured(settings, name);
  return host().bucket?.<ObjectStore>(own) ?? OF_SETTINGS[name].open(own);
}

/**
 * Returns the parameters of a data export to a store under a prefix (api-spec.md §4.9).
 *
 * @throws CrawlhouseError `bad_settings` when a setting is missing
 */
export function exportParameters<K extends StoreName>(
  settings: StoreSettings,
  name: K,
  workspaceId: string,
  prefix: string,
): ExportParameters {
  return OF_SETTINGS[name].exportParameters(configured(settings, name), workspaceId, prefix);
}

function configured<K extends StoreName>(settings: StoreSettings, name: K): Configured<K> {
  const own = settings[name];
  if (own === undefined) throw missingSetting(`${name}.bucket`);
  return own as Configured<K>;
}
