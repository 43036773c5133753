import { existsSync } from 'node:fs';
import { z } from 'zod';
import { ServiceClient } from '../../../../client/http/service-client.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { DEFAULT_RETRY } from '../../../../core/time/retry.ts';
import { type CrawlFolderSettings, localServiceFolder } from '../../../../etl/project/settings/settings.ts';
import { seenBy } from '../../../operations/doctor/examine-service.ts';
import type { OfferedAccount } from '../../access/offered-accounts.ts';

/** One attempt only, because a person waits. */
const ONCE = { ...DEFAULT_RETRY, attempts: 1 };

/** A workspace of an account, with the projects that the token can read. */
export const OfferedWorkspace = z.strictObject({
  id: z.string(),
  name: z.string(),
  projects: z.array(z.strictObject({ id: z.string(), name: z.string(), start_url: z.string().nullable() })),
  /** Why its projects cannot be read. */
  problem: z.string().nullable(),
});
type OfferedWorkspace = Typed<typeof OfferedWorkspace>;

/**
 * Returns whether an account may be connected: by the owner of the machine, in a folder with neither an account nor
 * crawls.
 */
export function canConnect(
  { isOwners }: { readonly isOwners: boolean },
  settings: CrawlFolderSettings,
): boolean {
  const { base_url, access_token, oauth } = settings;
  const hasAccount = base_url !== undefined || access_token !== undefined || oauth !== undefined;
  return isOwners && !hasAccount && !existsSync(localServiceFolder(settings));
}

/** @throws CrawlhouseError if the service refuses the token, or does not answer */
export async function readOffered(account: OfferedAccount, signal: AbortSignal): Promise<OfferedWorkspace[]> {
  await using client = new ServiceClient({ ...account, retry: ONCE });
  const offered: OfferedWorkspace[] = [];
  for (const { id, name } of await seenBy(client, signal)) {
    try {
      const { items } = await client.all('projects', { workspace_id: id }, signal);
      const projects = items.map((item) => ({
        id: item.id,
        name: item.name,
        start_url: item.start_url == null ? null : String(item.start_url),
      }));
      offered.push({ id, name, projects, problem: null });
    } catch (error) {
      if (!(error instanceof CrawlhouseError)) throw error;
      offered.push({ id, name, projects: [], problem: error.message });
    }
  }
  return offered;
}
