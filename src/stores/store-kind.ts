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

/**
 * A kind of store. Its folder holds one, which must not import its SDK before it opens: SDKs are large.
 *
 * @typeParam Options the options of `open`
 */
export interface StoreKind<Options> {
  /** Opens a store; whether its bucket exists and grants access shows at the first request. */
  open(options: Options): Promise<ObjectStore>;
}

interface BucketSettings {
  readonly bucket: string;
  /** The prefix of the keys, without slashes at its ends; may be empty. */
  readonly prefix: string;
}

/** A store that `crawlhouse.yaml` configures under the store's name. */
export interface BucketKind<Settings extends BucketSettings>
  extends StoreKind<Omit<Settings, 'prefix'> & NetworkOptions> {
  readonly settings: z.ZodOptional<z.ZodType<Settings>>;
}

/** The further part of a store that the service writes data exports to. */
export interface TargetOf<Settings> {
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
