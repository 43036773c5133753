import type { Crawl, Dataset, Sites } from '../sites/sites.ts';
import { type Page, pageOf } from './pages.ts';
import { byBytes, list, once } from './values.ts';

/** A crawl with what docs/definitions.md derives of it. */
export interface CrawlFacts extends Crawl {
  readonly project: string | null;
  readonly startUrl: string | null;
  readonly isComplete: boolean;
  readonly hasPages: boolean;
  readonly allPages: readonly Page[];
  readonly byUrl: ReadonlyMap<string, Page>;
  isLatest: boolean;
  isMain: boolean;
  isInTrends: boolean;
  previous: CrawlFacts | null;
}

const ENDED: readonly (string | null)[] = ['done', 'archiving', 'unarchiving', 'archived', null];
const WHOLE: readonly (string | null)[] = ['ok', 'max_depth_reached', null];

export const hasField = (data: Dataset | undefined, ...names: readonly string[]): boolean =>
  names.some((name) => data?.fields.includes(name));

/** Whether a crawl had a list of URLs: no page has links that lead to it. */
export const isList = once(
  ({ pages, allPages }: Pick<CrawlFacts, 'pages' | 'allPages'>): boolean =>
    allPages.every(({ depth, inlinks }) => (depth ?? 0) <= 0 && inlinks === null) &&
    (hasField(pages, 'depth') ||
      allPages.some(({ row }) => list(row, 'sources')?.includes('ingested_data') === true)),
);

/** By the end, those that nobody knows first, then by identifier. */
export const byEnd = (a: Crawl, b: Crawl): number =>
  (a.endedAt ?? -Infinity) - (b.endedAt ?? -Infinity) || byBytes(a.id, b.id);

export function crawlFacts({ projects, crawls }: Sites): CrawlFacts[] {
  const byId = new Map(projects.map((project) => [project.id, project]));
  const facts = crawls.map((crawl): CrawlFacts => {
    const allPages = (crawl.pages?.rows ?? []).map(pageOf);
    return {
      ...crawl,
      project: byId.get(crawl.projectId)?.name ?? null,
      startUrl: byId.get(crawl.projectId)?.startUrl ?? null,
      isComplete: WHOLE.includes(crawl.endReason) && ENDED.includes(crawl.status),
      hasPages: allPages.length > 0,
      allPages,
      byUrl: new Map(allPages.map((page) => [page.url, page])),
      isLatest: false,
      isMain: false,
      isInTrends: false,
      previous: null,
    };
  });
  const groupOf = ({ projectId, config }: Crawl): string => JSON.stringify([projectId, config?.id ?? null]);
  for (const group of Map.groupBy(facts, groupOf).values()) linkGroup(group.toSorted(byEnd));
  for (const latest of Map.groupBy(
    facts.filter(({ isLatest }) => isLatest),
    ({ projectId }) => projectId,
  ).values()) {
    const [main] = latest.toSorted(
      (a, b) =>
        Number(isList(a)) - Number(isList(b)) ||
        Number(b.isComplete) - Number(a.isComplete) ||
        b.allPages.length - a.allPages.length ||
        byEnd({ ...b, id: '' }, { ...a, id: '' }) ||
        byBytes(b.id, a.id),
    );
    if (main) main.isMain = true;
  }
  return facts;
}

/** Says which crawl of one project and configuration is the latest, which ones charts have, and which one comes before each. */
function linkGroup(group: readonly CrawlFacts[]): void {
  const able = group.filter(({ status, hasPages }) => ENDED.includes(status) && hasPages);
  const whole = able.filter(({ links }, n) => links !== undefined || able[n - 1]?.links === undefined);
  const latest = whole.findLast(({ isComplete }) => isComplete) ?? whole.at(-1);
  if (latest) latest.isLatest = true;
  for (const crawl of group) {
    const isInTime = latest?.endedAt != null && crawl.endedAt !== null && crawl.endedAt <= latest.endedAt;
    crawl.isInTrends = crawl.hasPages && isInTime && (crawl.isComplete || !latest.isComplete);
  }
  const compared = group.filter(
    ({ isComplete, hasPages, endedAt }) => isComplete && hasPages && endedAt !== null,
  );
  for (const [n, crawl] of compared.entries()) crawl.previous = compared[n - 1] ?? null;
}
