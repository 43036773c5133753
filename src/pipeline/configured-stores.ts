import type { Settings } from '../config/settings.ts';
import { CrawlhouseError } from '../core/errors.ts';
import type { ObjectStore } from '../stores/object-store.ts';
import { openStore } from '../stores/open-store.ts';
import { STORES, type Store } from './choose-route.ts';

/** The stores that the settings name a bucket of. */
export function configuredStores(settings: Settings): readonly Store[] {
  return STORES.filter((store) => settings[store]?.bucket !== undefined);
}

/**
 * Opens a store by its settings.
 *
 * @throws CrawlhouseError `bad_settings` for one that is not whole
 */
export function openConfiguredStore(settings: Settings, store: Store): Promise<ObjectStore> {
  if (store === 'store_a') {
    const { bucket, endpoint } = settings.store_a ?? {};
    if (bucket === undefined) throw missing('store_a.bucket');
    return openStore('store_a', { bucket, ...(endpoint ? { endpoint } : {}) });
  }
  const { bucket, region, endpoint } = settings.store_b ?? {};
  if (bucket === undefined) throw missing('store_b.bucket');
  if (region === undefined) throw missing('store_b.region');
  return openStore('store_b', { bucket, region, ...(endpoint ? { endpoint } : {}) });
}

export function missing(setting: string): CrawlhouseError {
  return new CrawlhouseError('bad_settings', `the setting ${setting} is missing`, {
    hint: 'docs/settings.md says what a data export to a store needs',
  });
}
