import type { Logger } from '../../../core/logs/logger.ts';
import type { Clock } from '../resources/clock.ts';
import type { Document, Resources } from '../resources/resources.ts';
import type { ServiceRows } from '../rows/row-store.ts';
import type { CrawlSource } from './crawl-source.ts';

export interface CrawlContext {
  readonly resources: Resources;
  readonly rows: ServiceRows;
  readonly clock: Clock;
  readonly sourceOf: (project: Document) => CrawlSource;
  readonly logger: Logger;
  /** Tells whom a crawl's configuration names that it ended, or did not start. */
  readonly notify: (crawl: Document) => void;
}

/** Makes the work of a crawl follow its document, which it returns as it is then. */
export async function followCrawl({ resources, sourceOf }: CrawlContext, crawl: Document): Promise<Document> {
  const project = resources.get('projects', String(crawl.project_id));
  if (project !== undefined) await sourceOf(project).follow(crawl);
  return resources.get('crawls', crawl.id) ?? crawl;
}
