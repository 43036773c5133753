import type { WholeList } from '../api/base-client.ts';
import type { ServiceClient } from '../api/client.ts';
import type { Crawl } from '../api/crawls.ts';
import type { Project } from '../api/projects.ts';
import { CrawlhouseError } from '../core/errors.ts';

/** What the service holds: one read of all its lists. */
export interface Landscape {
  readonly workspaces: readonly {
    readonly id: string;
    readonly name: string;
    readonly projects: WholeList<Project>;
    readonly crawls: WholeList<Crawl>;
  }[];
}

/**
 * Reads the lists of every selected workspace.
 *
 * @param selected ids of workspaces, or `all`
 * @throws CrawlhouseError `bad_settings` for a workspace that the token does not see
 */
export async function discover(
  client: ServiceClient,
  selected: 'all' | readonly string[],
  signal: AbortSignal,
): Promise<Landscape> {
  const seen = await Array.fromAsync(client.workspaces({}, signal));
  const missing = selected === 'all' ? undefined : selected.find((id) => !seen.some((one) => one.id === id));
  if (missing !== undefined) {
    throw new CrawlhouseError('bad_settings', `workspaces: the token does not see a workspace ${missing}`, {
      hint: `it sees ${seen.map((one) => `${one.id} (${one.name})`).join(', ') || 'none'}`,
    });
  }
  const workspaces = [];
  for (const { id, name } of seen) {
    if (selected !== 'all' && !selected.includes(id)) continue;
    const projects = await client.allProjects(id, signal);
    const crawls = await client.allCrawls(id, signal);
    workspaces.push({ id, name, projects, crawls });
  }
  return { workspaces };
}
