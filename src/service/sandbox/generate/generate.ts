import { urlsOf } from '../../../client/resources/crawl-progress.ts';
import type { CrawlDataType, FieldRecord } from '../../../client/resources/fields.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { countsOf, FETCH_STEPS } from '../../crawls/crawl-plan.ts';
import { finishComparison } from '../../crawls/finish-comparison.ts';
import { FETCH_END, reached, WORK_END } from '../../crawls/launched-crawl.ts';
import { COMPARING, startComparison } from '../../crawls/start-comparison.ts';
import { MORE_PAGE_FIELDS, PAGE_FIELD_RECORDS, syntheticField } from '../../fields/specified-page-fields.ts';
import {
  type Resources,
  resourceId,
  type StoredDataset,
  type StoredResource,
} from '../../resources/resources.ts';
import { ensureProject, putCrawl, workspaceId } from '../../resources/seed.ts';
import type { ServiceRows } from '../../rows/service-rows.ts';
import type { ServiceData, ServiceState } from '../../rows/service-state.ts';
import { describeData } from '../import/describe-data.ts';
import { readFields } from '../import/read-fields.ts';
import { createCrawlTables } from './create-crawl-tables.ts';
import { generateProjectData } from './generate-project-data.ts';
import { CRAWL_STATES, type GeneratedState, type GenerateSpec } from './parse-spec.ts';
import { planFetch, reachOf } from './plan-fetch.ts';
import { type GeneratedSite, type SiteShape, shapeOf, siteAt, weekly } from './site.ts';

/** Generates projects with their crawls; ids, dates and rows depend only on the spec. */
export async function generate(context: ServiceState, spec: GenerateSpec): Promise<void> {
  const { resources, logger } = context;
  for (let project = 0; project < spec.projects; project++) {
    const shape = shapeOf(spec, project);
    for (const [crawl, state] of crawlsOf(spec).entries())
      await generateCrawl(context, spec, shape, { number: crawl, state });
    await generateComparisons(context, spec, project);
    const last = Math.max(0, spec.crawls - 1);
    await generateProjectData(context, spec, nameOf(spec), siteAt(shape, last, weekly(shape, last)));
  }
  resources.putFingerprint(nameOf(spec), 'done');
  logger.info('generated', { projects: spec.projects, crawls: spec.crawls, seed: spec.seed });
}

/** Returns the crawls of a project by time: done crawls first, then those in other states. */
function crawlsOf({ crawls, states = {} }: GenerateSpec): (GeneratedState | undefined)[] {
  const others = CRAWL_STATES.flatMap((state) => Array.from({ length: states[state] ?? 0 }, () => state));
  return [...Array.from({ length: crawls }, () => undefined), ...others];
}

/** Returns whether this spec has been generated into this state already. */
export function isGenerated(resources: Resources, spec: GenerateSpec): boolean {
  return resources.fingerprint(nameOf(spec)) !== undefined;
}

function nameOf(spec: GenerateSpec): string {
  return `generate ${JSON.stringify(Object.entries(spec).sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}

async function generateCrawl(
  context: ServiceData,
  spec: GenerateSpec,
  shape: SiteShape,
  { number: crawl, state }: { readonly number: number; readonly state: GeneratedState | undefined },
): Promise<void> {
  const { resources, rows } = context;
  const site = siteAt(shape, crawl, weekly(shape, crawl));
  const projectName = site.host.replace(/^www\./, '').replace(/\.example$/, '');
  const crawlId = resourceId('generated', spec.seed, site.project, crawl);
  refuseTwins(resources, crawlId, spec);

  const hasPages = spec.pages > 0 || spec.fields !== undefined;
  const outcome = state && (await crawlOutcome(rows, site, shape.pages, state));
  const reach = outcome === undefined ? site.slots : outcome.reach;
  const pages = hasPages ? await pageFields(spec) : undefined;
  const datasets =
    reach === undefined
      ? new Map<CrawlDataType, StoredDataset>()
      : await createCrawlTables(rows, crawlId, { site, rows: shape, pageFields: pages, reach });
  const { fetchedUrls, lastDepth } = await describeData(rows, datasets);
  resources.transaction(() => {
    const project = ensureProject(resources, {
      name: projectName,
      startUrl: `https://${site.host}/`,
      workspaceId: workspaceId(shape.project % (spec.workspaces ?? 1)),
      extra: { _site: shape, _crawl_count: crawl + 1 },
    });
    putCrawl(resources, {
      project,
      id: crawlId,
      createdAt: site.startedAt * 1000,
      endedAt: site.endedAt * 1000,
      fetchedUrls,
      lastDepth,
      extra: { ...outcome?.extra, ...limitedConfig(resources, project, outcome?.maxUrl) },
    });
    for (const [dataType, dataset] of datasets) resources.putDataset(crawlId, dataType, dataset);
    resources.putFingerprint(`crawl ${crawlId}`, nameOf(spec));
  });
}

/** Returns the configuration of a crawl that reached its limit. */
function limitedConfig(resources: Resources, project: StoredResource, maxUrl: number | undefined): object {
  if (maxUrl === undefined) return {};
  return { crawl_config: { ...resources.list('crawl_configs', project.id).at(-1), max_url: maxUrl } };
}

function refuseTwins(resources: Resources, crawlId: string, spec: GenerateSpec): void {
  const other = resources.fingerprint(`crawl ${crawlId}`);
  if (other === undefined || other === nameOf(spec)) return;
  throw new CrawlhouseError('usage', `two --generate specs have the seed ${spec.seed}`, {
    hint: 'ids depend on the seed: give each spec its own seed; if you changed a spec, use another state directory',
  });
}

/**
 * Returns the page fields to generate: those of the given file or the specification, then more fields up to `columns`.
 */
async function pageFields({ fields, columns }: GenerateSpec): Promise<readonly FieldRecord[]> {
  const records = fields === undefined ? PAGE_FIELD_RECORDS : await readFields(fields);
  if (columns === undefined) return records;
  const known = new Set(records.map((field) => field.name));
  const all = [...records, ...MORE_PAGE_FIELDS.filter((field) => !known.has(field.name))];
  const missing = Math.max(0, columns - all.length);
  return [...all, ...Array.from({ length: missing }, (_, n) => syntheticField(n))].slice(0, columns);
}

/**
 * Compares consecutive generated crawls of a project, as if each comparison had been launched when the later one ended.
 */
async function generateComparisons(
  stores: ServiceData,
  spec: GenerateSpec,
  projectNumber: number,
): Promise<void> {
  const { resources } = stores;
  const crawlOf = (number: number): StoredResource | undefined =>
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

function isThere(resources: Resources, crawl1: StoredResource, crawl2: StoredResource): boolean {
  return resources
    .list('crawl_over_crawls')
    .some((known) => known.crawl1_id === crawl1.id && known.crawl2_id === crawl2.id);
}

const STEP = FETCH_END / FETCH_STEPS;
/** Steps that an ended crawl had fetched, and steps that a running crawl has fetched. */
const TERMINATED_AT = 24;
const CANCELLED_AT = 8;
const RUNNING_AT = 20;
/** A time that the sandbox's clock never reaches: the crawl stays in its state until a command. */
const NEVER = Date.parse('9999-01-01T00:00:00Z');

interface CrawlOutcome {
  /** Slots that are in its report; undefined if there is no report. */
  readonly reach: number | undefined;
  /** Fields of the crawl, in addition to those derived from its rows. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** The limit of its configuration, if it was reached. */
  readonly maxUrl?: number;
}

/** Returns a crawl of `pages` in a state, with its progress and a sample of its URLs. */
async function crawlOutcome(
  rows: ServiceRows,
  site: GeneratedSite,
  pages: number,
  state: GeneratedState,
): Promise<CrawlOutcome> {
  const maxUrl = state === 'max_url_reached' ? Math.floor(pages / 2) : Number.POSITIVE_INFINITY;
  const limits = { pages, maxDepth: Number.POSITIVE_INFINITY, maxUrl, quota: Number.POSITIVE_INFINITY };
  const _plan = await rows.use((connection) => planFetch(connection, site, limits));
  switch (state) {
    case 'archived':
      return {
        reach: site.slots,
        extra: { status: 'archived', link_status: 'archived', _plan, _worked: WORK_END },
      };
    case 'max_url_reached':
      return {
        reach: reachOf(site, limits).slots,
        extra: { end_reason: _plan.end_reason, _plan, _worked: WORK_END },
        maxUrl,
      };
    case 'user_requested':
      return {
        reach: Math.ceil((urlsOf(countsOf(_plan.steps)) * TERMINATED_AT) / FETCH_STEPS),
        extra: { end_reason: state, _plan, _stop: TERMINATED_AT, _worked: WORK_END },
      };
    case 'cancelled':
      return {
        reach: undefined,
        extra: {
          status: 'cancelled',
          end_reason: 'user_cancelled',
          _plan,
          _stop: CANCELLED_AT,
          _worked: CANCELLED_AT * STEP,
          ...reached(_plan, CANCELLED_AT),
        },
      };
    case 'running':
      return {
        reach: undefined,
        extra: {
          status: 'running',
          ended_at: null,
          end_reason: undefined,
          _plan,
          _number: site.crawl,
          _work: { elapsed: RUNNING_AT * STEP, since: NEVER },
          ...reached(_plan, RUNNING_AT),
        },
      };
  }
}
