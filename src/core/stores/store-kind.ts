import type { z } from 'zod';
import { CrawlhouseError } from '../errors/errors.ts';
import type { RetryPolicy } from '../time/retry.ts';
import type { ObjectStore } from './object-store.ts';

/** The options of every network store, in addition to its settings. */
export interface NetworkOptions {
  /** For everything but `read`. */
  readonly retry?: RetryPolicy;
  /** Milliseconds without a byte after which a request fails; default: a minute. */
  readonly idleMs?: number;
}

interface BucketSettings {
  readonly bucket: string;
  /** The prefix of the keys, without leading and trailing slashes; may be empty. */
  readonly prefix: string;
}

/**
 * A kind of store, which `crawlhouse.yaml` configures under the store's name. The folder of a kind exports it. The kind
 * must import its SDK only when it opens a store, because SDKs are large.
 */
export interface StoreKind<Settings extends BucketSettings> {
  readonly settings: z.ZodOptional<z.ZodType<Settings>>;
  /** Opens a store; the first request shows whether its bucket exists and grants access. */
  open(options: Omit<Settings, 'prefix'> & NetworkOptions): Promise<ObjectStore>;
  /**
   * Returns the parameters of a data export under a prefix (api-spec.md §4.9).
   *
   * @throws CrawlhouseError `bad_settings` for a missing setting that only exports need
   */
  exportParameters(settings: Settings, workspaceId: string, prefix: string): object;
}

/** @param setting such as `store_b.region` */
export function missingSetting(setting: string): CrawlhouseError {
  return new CrawlhouseError('bad_settings', `the setting ${setting} is missing`, {
    hint: 'docs/settings.md#stores describes what a data export to a store requires',
  });
}
