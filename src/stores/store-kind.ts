import type { z } from 'zod';
import { CrawlhouseError } from '../core/errors/errors.ts';
import type { RetryPolicy } from '../core/time/retry.ts';
import type { ObjectStore } from './object-store.ts';

/** The options of every store on a network, besides its settings. */
export interface NetworkOptions {
  /** Of everything but `read`. */
  readonly retry?: RetryPolicy;
  /** Milliseconds without a byte after which a request fails; default: a minute. */
  readonly idleMs?: number;
}

interface BucketSettings {
  readonly bucket: string;
  /** The prefix of the keys, without slashes at its ends; may be empty. */
  readonly prefix: string;
}

/**
 * A kind of store, which `crawlhouse.yaml` configures under the store's name. Its folder holds one, which must not import
 * its SDK before it opens: SDKs are large.
 */
export interface StoreKind<Settings extends BucketSettings> {
  readonly settings: z.ZodOptional<z.ZodType<Settings>>;
  /** Opens a store; whether its bucket exists and grants access shows at the first request. */
  open(options: Omit<Settings, 'prefix'> & NetworkOptions): Promise<ObjectStore>;
  /**
   * The parameters of a data export under a prefix (api-spec.md §4.9).
   *
   * @throws CrawlhouseError `bad_settings` for a setting that reading alone does not need
   */
  exportParameters(settings: Settings, workspaceId: string, prefix: string): object;
}

/** @param setting such as `store_b.region` */
export function missingSetting(setting: string): CrawlhouseError {
  return new CrawlhouseError('bad_settings', `the setting ${setting} is missing`, {
    hint: 'docs/settings.md#stores says what a data export to a store needs',
  });
}
