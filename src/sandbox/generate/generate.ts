import type { CrawlDataType } from '../../api/fields.ts';
import { CrawlhouseError } from '../../core/errors.ts';
import type { Logger } from '../../core/logger.ts';
import { ensureProject, putCrawl } from '../estate.ts';
import { resourceId } from '../ids.ts';
import { describeData } from '../import/describe-data.ts';
import type { Dataset, Resources } from '../resources.ts';
import type { RowStore } from '../rows/row-store.ts';
import { crawlContents } from './crawl-contents.ts';
import { createTable } from './create-table.ts';
import { generateComparisons } from './generate-comparisons.ts';
import { generateProjectData } from './generate-project-data.ts';
import { pageFields } from './page-fields.ts';
import type { GenerateSpec } from './parse-spec.ts';
import { type SiteShape, shapeOf, siteAt, weekly } from './site-shape.ts';

export interface GenerateContext {
  readonly resources: Resources;
  readonly rows: RowStore;
  readonly logger: Logger;
}

/** Generates projects with their crawls; ids, dates and rows depend on the spec alone. */
export async function generate(context: GenerateContext, spec: GenerateSpec): Promise<void> {
  const { resources, logger } = context;
  for (let project = 0; project < spec.projects; project++) {
    const shape = shapeOf(spec, project);
    for (let crawl = 0; crawl < spec.crawls; crawl++) await generateCrawl(context, spec, shape, crawl);
    await generateComparisons(context, spec, project);
    const last = Math.max(0, spec.crawls - 1);
    await generateProjectData(context, spec, nameOf(spec), siteAt(shape, last, weekly(shape, last)));
  }
  resources.putFingerprint(nameOf(spec), 'done');
  logger.info('generated', { projects: spec.projects, crawls: spec.crawls, seed: spec.seed });
}

/** Whether this spec has been generated into this state already. */
export function isGenerated(resources: Resources, spec: GenerateSpec): boolean {
  return resources.fingerprint(nameOf(spec)) !== undefined;
}

function nameOf(spec: GenerateSpec): string {
  return `generate ${JSON.stringify(Object.entries(spec).sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}

async function generateCrawl(
  context: GenerateContext,
  spec: GenerateSpec,
  shape: SiteShape,
  crawl: number,
): Promise<void> {
  const { resources, rows } = context;
  const site = siteAt(shape, crawl, weekly(shape, crawl));
  const projectName = site.host.replace(/^www\./, '').replace(/\.example$/, '');
  const crawlId = resourceId('generated', spec.seed, site.project, crawl);
  refuseTwins(resources, crawlId, spec);

  const datasets = new Map<CrawlDataType, Dataset>();
  const hasPages = spec.pages > 0 || spec.fields !== undefined;
  const wanted = { site, rows: shape, pageFields: hasPages ? await pageFields(spec) : undefined };
  for (const [dataType, content] of crawlContents(wanted)) {
    datasets.set(dataType, await createTable(rows, site, `${dataType}_${crawlId}`, content));
  }
  const { fetchedUrls, lastDepth } = await describeData(rows, datasets);
  resources.transaction(() => {
    const project = ensureProject(resources, {
      name: projectName,
      startUrl: `https://${site.host}/`,
      extra: { _site: shape, _crawl_count: crawl + 1 },
    });
    putCrawl(resources, {
      project,
      id: crawlId,
      createdAt: site.startedAt * 1000,
      endedAt: site.endedAt * 1000,
      fetchedUrls,
      lastDepth,
    });
    for (const [dataType, dataset] of datasets) resources.putDataset(crawlId, dataType, dataset);
    resources.putFingerprint(`crawl ${crawlId}`, nameOf(spec));
  });
}

function refuseTwins(resources: Resources, crawlId: string, spec: GenerateSpec): void {
  const other = resources.fingerprint(`crawl ${crawlId}`);
  if (other === undefined || other === nameOf(spec)) return;
  throw new CrawlhouseError('usage', `two specs of --generate have the seed ${spec.seed}`, {
    hint: 'ids depend on the seed: give each spec its own, and another state directory where the spec of one changed',
  });
}
