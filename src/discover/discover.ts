import type { WholeList } from '../api/base-client.ts';
import type { ServiceClient } from '../api/client.ts';
import type { CrawlOverCrawl } from '../api/crawl-over-crawls.ts';
import type { Crawl } from '../api/crawls.ts';
import type { Project } from '../api/projects.ts';
import { CrawlhouseError } from '../core/errors.ts';
import type { Pipeline } from '../model/pipeline.ts';
import { discoverDates, type ProjectDates } from './discover-dates.ts';

/** What the service holds: one read of all the lists that the pipelines need. */
export interface Landscape {
  readonly workspaces: readonly WorkspaceView[];
  /** Of the projects with dated sources, by project and kind of source. */
  readonly dates: ProjectDates;
}

export interface WorkspaceView {
  readonly id: string;
  readonly name: string;
  readonly projects: WholeList<Project>;
  readonly crawls: WholeList<Crawl>;
  /** Null where no pipeline asks for them. */
  readonly crawlOverCrawls: WholeList<CrawlOverCrawl> | null;
}

/** What a discovery reads. */
export interface DiscoveryScope {
  /** Ids of workspaces, or `all`. */
  readonly workspaces: 'all' | readonly string[];
  /** Ids or names of projects, or `all`; only theirs are the dated sources that are looked at. */
  readonly projects: 'all' | readonly string[];
  readonly pipelines: readonly Pipeline[];
}

/**
 * Reads the lists of every selected workspace.
 *
 * @throws CrawlhouseError `bad_settings` for a workspace that the token does not see
 */
export async function discover(
  client: ServiceClient,
  scope: DiscoveryScope,
  signal: AbortSignal,
): Promise<Landscape> {
  const selected = scope.workspaces;
  const seen = await Array.fromAsync(client.workspaces({}, signal));
  const missing = selected === 'all' ? undefined : selected.find((id) => !seen.some((one) => one.id === id));
  if (missing !== undefined) {
    throw new CrawlhouseError('bad_settings', `workspaces: the token does not see a workspace ${missing}`, {
      hint: `it sees ${seen.map((one) => `${one.id} (${one.name})`).join(', ') || 'none'}`,
    });
  }
  const compares = scope.pipelines.some(
    ({ source }) => source.kind === 'crawl_over_crawl' || source.data_type === 'crawl_over_crawls',
  );
  const workspaces: WorkspaceView[] = [];
  for (const { id, name } of seen) {
    if (selected !== 'all' && !selected.includes(id)) continue;
    const projects = await client.allProjects(id, signal);
    const crawls = await client.allCrawls(id, signal);
    const crawlOverCrawls = compares ? await client.allCrawlOverCrawls(id, signal) : null;
    workspaces.push({ id, name, projects, crawls, crawlOverCrawls });
  }
  const projects = workspaces
    .flatMap((workspace) => workspace.projects.items)
    .filter(
      ({ id, name }) =>
        scope.projects === 'all' || scope.projects.includes(id) || scope.projects.includes(name),
    );
  return { workspaces, dates: await discoverDates(client, projects, scope.pipelines, signal) };
}
