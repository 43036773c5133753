import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Selection } from '../model/task.ts';
import type { OAuthSettings, settingsFile } from './settings-file.ts';

/** Prefix of every environment variable that sets a setting. */
export const PREFIX = 'CRAWLHOUSE_';

/** Where the rows of a warehouse are. Its engine has further keys (`etl/engines/engine.ts`). */
export interface EngineAddress {
  /** The name of the engine: `duckdb`. */
  readonly engine: string;
  /** Prefix of the schema names in the engine; may be empty. */
  readonly schemaPrefix: string;
}

/** The settings of one project folder; paths are absolute. */
export type Settings = Omit<z.output<ReturnType<typeof settingsFile>>, 'warehouse'> & {
  readonly projectDir: string;
  /** A file of DuckDB: the published warehouse, or its catalog if the rows are elsewhere (docs/architecture.md). */
  readonly warehouse: string;
  readonly engine: EngineAddress;
};

export type AccountSettings = Pick<Settings, 'base_url' | 'access_token' | 'oauth'>;

export type ServiceSettings =
  | { readonly baseUrl: string; readonly accessToken: string }
  | { readonly baseUrl: string; readonly oauth: OAuthSettings };

/**
 * Returns the address and token for commands that call the service. `access_token` takes precedence over `oauth`.
 *
 * @throws CrawlhouseError `bad_settings` when either is missing
 */
export function serviceSettings({ base_url, access_token, oauth }: AccountSettings): ServiceSettings {
  if (base_url === undefined) throw missing('base_url');
  const baseUrl = base_url.replace(/\/+$/, '');
  if (access_token !== undefined) return { baseUrl, accessToken: access_token };
  if (oauth !== undefined) return { baseUrl, oauth };
  throw missing('access_token');
}

function missing(key: string): CrawlhouseError {
  return new CrawlhouseError('bad_settings', `the setting ${key} is missing`, {
    hint: `set ${PREFIX}${key.toUpperCase()} in .env or in the environment, or ${key} in crawlhouse.yaml; without an account, use crawlhouse crawl URL`,
  });
}

/** The settings that distinguish a folder with an account from a folder that crawls websites itself. */
export type CrawlFolderSettings = AccountSettings & { readonly state_dir: string };

/** Returns the folder where a project's local service keeps its crawls. */
export function localServiceFolder({ state_dir }: { readonly state_dir: string }): string {
  return join(state_dir, 'service');
}

/** Returns whether a project folder has no account but has crawled websites itself, so that it needs no account. */
export function isCrawlFolder(settings: CrawlFolderSettings): boolean {
  const { base_url, access_token, oauth } = settings;
  if (base_url !== undefined || access_token !== undefined || oauth !== undefined) return false;
  return existsSync(localServiceFolder(settings));
}

/** Returns the selection of a request. The settings supply what it omits. */
export function selectionOf(
  { projects, since }: Pick<Settings, 'projects' | 'since'>,
  chosen: Partial<Selection> = {},
): Selection {
  const from = since === 'all' ? Number.NEGATIVE_INFINITY : Date.parse(since);
  return { projects, crawls: null, from, to: Number.POSITIVE_INFINITY, ...chosen };
}
