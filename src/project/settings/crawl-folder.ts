import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountSettings } from './settings.ts';

/** What tells a folder with an account from one that crawls by itself. */
export type CrawlFolderSettings = AccountSettings & { readonly state_dir: string };

/** Where the local service of a project folder keeps its crawls. */
export function localServiceFolder({ state_dir }: { readonly state_dir: string }): string {
  return join(state_dir, 'service');
}

/** Whether a project folder has no account and has crawled websites itself: it needs none. */
export function isCrawlFolder(settings: CrawlFolderSettings): boolean {
  const { base_url, access_token, oauth } = settings;
  if (base_url !== undefined || access_token !== undefined || oauth !== undefined) return false;
  return existsSync(localServiceFolder(settings));
}
