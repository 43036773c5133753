import { reading } from '../../src/pipeline/discover/list-incrementally.ts';
import { CRAWLS } from '../../src/pipeline/discover/list-kinds.ts';
import { UNKNOWN_LIST, type WorkspaceView } from '../../src/project/model/inventory.ts';
import type { Crawl } from '../../src/service/api/resources/crawls.ts';

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
