import type { Document, Resources } from '../resources/resources.ts';
import { WORKSPACE_ID } from '../resources/seed.ts';
import type { ServiceRows } from '../rows/row-store.ts';
import { comparePages, type UrlTransformation } from './compare-pages.ts';

/** Compares the pages of two crawls and ends the comparison. */
export async function finishComparison(
  { resources, rows }: { readonly resources: Resources; readonly rows: ServiceRows },
  comparison: Document,
  at: number,
): Promise<Document> {
  const configuration = comparison.configuration as { url_transformations: UrlTransformation[] };
  const dataset = await comparePages(rows, {
    id: comparison.id,
    crawl1: resources.dataset(String(comparison.crawl1_id), 'pages'),
    crawl2: resources.dataset(String(comparison.crawl2_id), 'pages'),
    transformations: configuration.url_transformations,
  });
  const { _end, ...rest } = comparison;
  const ended: Document = {
    ...rest,
    end_date: at,
    ...(dataset === 'conflicting_urls'
      ? { status: 'cancelled', end_reason: 'conflicting_urls' }
      : { status: 'done', end_reason: 'ok' }),
  };
  resources.transaction(() => {
    resources.put('crawl_over_crawls', WORKSPACE_ID, ended);
    if (dataset !== 'conflicting_urls')
      resources.putDataset(comparison.id, 'crawl_over_crawl_pages', dataset);
  });
  return ended;
}
