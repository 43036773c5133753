import { finishComparison } from '../life/finish-comparison.ts';
import { COMPARING, startComparison } from '../life/start-comparison.ts';
import { resourceId } from '../resources/ids.ts';
import type { Document, Resources } from '../resources/resources.ts';
import type { ServiceRows } from '../rows/row-store.ts';
import type { GenerateSpec } from './parse-spec.ts';

/** Compares consecutive generated crawls of a project, as if each comparison had been launched when the later one ended. */
export async function generateComparisons(
  stores: { readonly resources: Resources; readonly rows: ServiceRows },
  spec: GenerateSpec,
  projectNumber: number,
): Promise<void> {
  const { resources } = stores;
  const crawlOf = (number: number): Document | undefined =>
    resources.get('crawls', resourceId('generated', spec.seed, projectNumber, number));
  for (let number = 0; number < spec.comparisons; number++) {
    const [crawl1, crawl2] = [crawlOf(number), crawlOf(number + 1)];
    const project = crawl2 && resources.get('projects', String(crawl2.project_id));
    if (crawl1 === undefined || crawl2 === undefined || project === undefined) continue;
    // An interrupted generation starts again.
    if (isThere(resources, crawl1, crawl2)) continue;
    const at = Number(crawl2.ended_at);
    const running = startComparison(resources, { project, crawl1, crawl2, at, isAttached: false });
    await finishComparison(stores, running, at + COMPARING);
  }
}

function isThere(resources: Resources, crawl1: Document, crawl2: Document): boolean {
  return resources
    .list('crawl_over_crawls')
    .some((known) => known.crawl1_id === crawl1.id && known.crawl2_id === crawl2.id);
}
