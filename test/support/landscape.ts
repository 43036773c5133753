import type { Crawl } from '../../src/api/crawls.ts';
import type { WorkspaceView } from '../../src/discover/discover.ts';
import { CRAWLS } from '../../src/discover/list-kinds.ts';
import { reading } from '../../src/discover/read-news.ts';
import { UNKNOWN_LIST } from '../../src/model/listed.ts';

/** A workspace whose crawls have been read to their end. */
export function workspaceView(
  id: string,
  projects: WorkspaceView['projects']['items'],
  crawls: readonly Crawl[],
): WorkspaceView {
  const records = new Map(crawls.map((crawl) => [crawl.id, crawl]));
  return {
    id,
    name: id,
    record: { id, name: id },
    projects: { items: projects, total: projects.length },
    crawls: reading(CRAWLS, UNKNOWN_LIST, records, [], crawls.length, true, undefined),
    crawlOverCrawls: null,
    dataExports: null,
  };
}
