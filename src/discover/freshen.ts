import type { ServiceClient } from '../api/client.ts';
import type { DiscoveryScope, Landscape } from './discover.ts';
import { CRAWL_OVER_CRAWLS, CRAWLS, type ListKind } from './list-kinds.ts';
import { listPipeline } from './list-pipeline.ts';
import { type ListReading, readByIds, reading } from './read-news.ts';

/**
 * The landscape with these crawls and comparisons as they are now: one that was known to be done when its load failed
 * may have been archived or deleted since.
 */
export async function freshen(
  client: ServiceClient,
  landscape: Landscape,
  scope: Pick<DiscoveryScope, 'known' | 'pipelines'>,
  ids: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Landscape> {
  if (ids.size === 0) return landscape;
  const again = async <T extends { readonly id: string }, R extends ListReading<T> | null>(
    kind: ListKind<T>,
    workspaceId: string,
    found: R,
  ): Promise<R | ListReading<T>> => {
    const asked = found?.items.filter(({ id }) => ids.has(id) && !found.records.has(id)) ?? [];
    if (found === null || asked.length === 0) return found;
    const records = new Map(found.records);
    const gone = await readByIds(client, kind, workspaceId, asked, records, signal);
    const known = scope.known.of(kind.name, workspaceId);
    // What is gone now was there when the total was given.
    const total = found.total - gone.length;
    const pipeline = listPipeline(scope.pipelines, kind.name);
    return reading(kind, known, records, [...found.gone, ...gone], total, found.isSwept, pipeline);
  };
  const workspaces = [];
  for (const workspace of landscape.workspaces) {
    workspaces.push({
      ...workspace,
      crawls: await again(CRAWLS, workspace.id, workspace.crawls),
      crawlOverCrawls: await again(CRAWL_OVER_CRAWLS, workspace.id, workspace.crawlOverCrawls),
    });
  }
  return { ...landscape, workspaces };
}
