import type { Crawl } from '../../src/client/resources/crawls.ts';
import { reading } from '../../src/etl/pipeline/discover/list-incrementally.ts';
import { CRAWLS } from '../../src/etl/pipeline/discover/list-kinds.ts';
import { UNKNOWN_LIST, type WorkspaceView } from '../../src/etl/project/model/inventory.ts';

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
    projects: { items: projects, total: projects.length, broken: [] },
    crawls: reading(
      CRAWLS,
      UNKNOWN_LIST,
      { records, gone: [], broken: [], total: crawls.length, isSwept: true },
      undefined,
    ),
    crawlOverCrawls: null,
    dataExports: null,
    faulty: new Map(),
  };
}
