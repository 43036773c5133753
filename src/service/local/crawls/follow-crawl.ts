import type { Document } from '../resources/resources.ts';
import type { LifeContext } from './life-context.ts';

/** Makes the work of a crawl follow its document, which it returns as it is then. */
export async function followCrawl({ resources, sourceOf }: LifeContext, crawl: Document): Promise<Document> {
  const project = resources.get('projects', String(crawl.project_id));
  if (project !== undefined) await sourceOf(project).follow(crawl);
  return resources.get('crawls', crawl.id) ?? crawl;
}
