import type { CrawlDataType } from '../../api/fields.ts';
import { CrawlhouseError } from '../../core/errors.ts';
import type { Logger } from '../../core/logger.ts';
import { catalogueOf } from '../catalogue/catalogue-of.ts';
import { MORE_PAGE_FIELDS } from '../catalogue/more-page-fields.ts';
import { PAGE_CATALOGUE } from '../catalogue/page-catalogue.ts';
import { ensureProject, putCrawl } from '../estate.ts';
import { resourceId } from '../ids.ts';
import { describeData } from '../import/describe-data.ts';
import type { Dataset, Resources } from '../resources.ts';
import type { RowStore } from '../rows/row-store.ts';
import { type Content, createTable } from './create-table.ts';
import { linkFacts, linkValues } from './link-values.ts';
import { clusterFacts, clusterValues, itemFacts, itemValues } from './other-values.ts';
import { pageFacts } from './page-facts.ts';
import { pageFields } from './page-fields.ts';
import { pageValues } from './page-values.ts';
import type { GenerateSpec } from './parse-spec.ts';
import type { Site } from './site.ts';
import { ADJECTIVES, NOUNS } from './words.ts';

const HOUR = 3600;
const WEEK = 7 * 24 * HOUR;
/** The end of each project's first crawl, in seconds. */
const FIRST_END = Date.parse('2025-01-06T21:00:00Z') / 1000;

export interface GenerateContext {
  readonly resources: Resources;
  readonly rows: RowStore;
  readonly logger: Logger;
}

/** Generates projects with their crawls; ids, dates and rows depend on the spec alone. */
export async function generate(context: GenerateContext, spec: GenerateSpec): Promise<void> {
  const { resources, logger } = context;
  for (let project = 0; project < spec.projects; project++) {
    for (let crawl = 0; crawl < spec.crawls; crawl++) {
      await generateCrawl(context, spec, siteOf(spec, project, crawl));
    }
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

function siteOf(spec: GenerateSpec, project: number, crawl: number): Site {
  const at = spec.seed * 7 + project;
  const name = `${ADJECTIVES[at % ADJECTIVES.length]}-${NOUNS[at % NOUNS.length]}-${spec.seed}${project === 0 ? '' : `-${project + 1}`}`;
  const endedAt = FIRST_END + crawl * WEEK + (at % 90) * 60;
  const slots = Math.max(spec.pages, Math.ceil(spec.links / 20), 1);
  return {
    seed: spec.seed,
    project,
    host: `www.${name}.example`,
    brand: `${ADJECTIVES[at % ADJECTIVES.length]} ${NOUNS[at % NOUNS.length]}`.replace(/^./, (letter) =>
      letter.toUpperCase(),
    ),
    slots,
    crawl,
    links: spec.links > 0 ? spec.links : slots * 20,
    startedAt: endedAt - 5 * HOUR,
    endedAt,
  };
}

async function generateCrawl(context: GenerateContext, spec: GenerateSpec, site: Site): Promise<void> {
  const { resources, rows } = context;
  const projectName = site.host.replace(/^www\./, '').replace(/\.example$/, '');
  const crawlId = resourceId('generated', spec.seed, site.project, site.crawl);
  refuseTwins(resources, crawlId, spec);

  const datasets = new Map<CrawlDataType, Dataset>();
  for (const [dataType, content] of await contents(spec, site)) {
    datasets.set(dataType, await createTable(rows, site, `${dataType}_${crawlId}`, content));
  }
  const { fetchedUrls, lastDepth } = await describeData(rows, datasets);
  resources.transaction(() => {
    const project = ensureProject(resources, { name: projectName, startUrl: `https://${site.host}/` });
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

async function contents(spec: GenerateSpec, site: Site): Promise<[CrawlDataType, Content][]> {
  const made: [CrawlDataType, Content][] = [];
  if (spec.pages > 0 || spec.fields !== undefined) {
    const facts = `SELECT * FROM (${pageFacts(site)}) WHERE slot < ${spec.pages}`;
    const fields = await pageFields(spec);
    made.push([
      'pages',
      {
        fields,
        facts,
        values: pageValues(site),
        known: [...PAGE_CATALOGUE, ...MORE_PAGE_FIELDS],
        key: 'page',
        isBare: 'status IS DISTINCT FROM 200',
      },
    ]);
  }
  const others = {
    links: { facts: linkFacts(site), values: linkValues(site) },
    clusters: { facts: clusterFacts(spec.clusters), values: clusterValues(site) },
    structured_data: { facts: itemFacts(site, spec.structured_data), values: itemValues(site) },
  };
  for (const dataType of ['links', 'clusters', 'structured_data'] as const) {
    if (spec[dataType] === 0) continue;
    const fields = catalogueOf(dataType);
    made.push([dataType, { fields, known: fields, key: 'n', ...others[dataType] }]);
  }
  return made;
}

function refuseTwins(resources: Resources, crawlId: string, spec: GenerateSpec): void {
  const other = resources.fingerprint(`crawl ${crawlId}`);
  if (other === undefined || other === nameOf(spec)) return;
  throw new CrawlhouseError('usage', `two specs of --generate have the seed ${spec.seed}`, {
    hint: 'ids depend on the seed: give each spec its own, and another state directory where the spec of one changed',
  });
}
