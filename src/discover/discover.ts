import type { ServiceClient } from '../api/client.ts';
import type { CrawlOverCrawl } from '../api/crawl-over-crawls.ts';
import type { Crawl } from '../api/crawls.ts';
import type { DataExport } from '../api/data-exports.ts';
import type { Project } from '../api/projects.ts';
import type { WholeList } from '../api/read-list.ts';
import type { Workspace } from '../api/workspaces.ts';
import { CrawlhouseError } from '../core/errors.ts';
import type { ListName } from '../model/listed.ts';
import type { Pipeline } from '../model/pipeline.ts';
import type { KnownLists } from '../warehouse/known-lists.ts';
import { discoverDates, type ProjectDates } from './discover-dates.ts';
import { CRAWL_OVER_CRAWLS, CRAWLS, DATA_EXPORTS, type ListKind } from './list-kinds.ts';
import { listPipeline } from './list-pipeline.ts';
import { needsSweep } from './needs-sweep.ts';
import { type ListReading, readNews } from './read-news.ts';

/** What the service holds, as far as the pipelines need it: what is new of the long lists, the whole of the others. */
export interface Landscape {
  readonly workspaces: readonly WorkspaceView[];
  /** Of the projects with dated sources, by project and kind of source. */
  readonly dates: ProjectDates;
}

export interface WorkspaceView {
  readonly id: string;
  readonly name: string;
  readonly record: Workspace;
  readonly projects: WholeList<Project>;
  readonly crawls: ListReading<Crawl>;
  /** Null where no pipeline asks for them. */
  readonly crawlOverCrawls: ListReading<CrawlOverCrawl> | null;
  readonly dataExports: ListReading<DataExport> | null;
}

/** What a discovery reads, and what is known already. */
export interface DiscoveryScope {
  /** Ids of workspaces, or `all`. */
  readonly workspaces: 'all' | readonly string[];
  /** Ids or names of projects, or `all`; only theirs are the dated sources that are looked at. */
  readonly projects: 'all' | readonly string[];
  readonly pipelines: readonly Pipeline[];
  readonly known: KnownLists;
  /** Units that the warehouse holds, by name. */
  readonly held: { has(unit: string): boolean };
  /** Days after which a list is read to its end again. */
  readonly sweepDays: number;
  /** Read every list to its end, whatever is known. */
  readonly sweep: boolean;
  /** UTC milliseconds. */
  readonly now: number;
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
  const reads = (kind: string, list: ListName): boolean =>
    scope.pipelines.some(({ source }) => source.kind === kind || source.data_type === list);
  const workspaces: WorkspaceView[] = [];
  for (const record of seen) {
    const { id, name } = record;
    if (selected !== 'all' && !selected.includes(id)) continue;
    const read = <T extends { readonly id: string }>(kind: ListKind<T>): Promise<ListReading<T>> => {
      const pipeline = listPipeline(scope.pipelines, kind.name);
      const known = scope.known.of(kind.name, id);
      const options = { sweep: needsSweep(known, pipeline, id, scope), pipeline };
      return readNews(client, kind, id, known, options, signal);
    };
    workspaces.push({
      id,
      name,
      record,
      projects: await client.allProjects(id, signal),
      crawls: await read(CRAWLS),
      crawlOverCrawls: reads('crawl_over_crawl', 'crawl_over_crawls') ? await read(CRAWL_OVER_CRAWLS) : null,
      dataExports: reads('data_export', 'data_exports') ? await read(DATA_EXPORTS) : null,
    });
  }
  const projects = workspaces
    .flatMap((workspace) => workspace.projects.items)
    .filter(
      ({ id, name }) =>
        scope.projects === 'all' || scope.projects.includes(id) || scope.projects.includes(name),
    );
  return { workspaces, dates: await discoverDates(client, projects, scope.pipelines, scope.now, signal) };
}

/** The lists of a workspace of which only the news were read, by name. */
export function listReadings({
  crawls,
  crawlOverCrawls,
  dataExports,
}: WorkspaceView): [ListName, ListReading][] {
  const readings = { crawls, crawl_over_crawls: crawlOverCrawls, data_exports: dataExports };
  return (Object.entries(readings) as [ListName, ListReading | null][]).flatMap(([name, found]) =>
    found ? [[name, found]] : [],
  );
}
