import type { Crawl } from '../sites/sites.ts';
import type { CrawlFacts } from './crawls.ts';
import type { ProjectFacts } from './facts.ts';
import { type Demand, demandOf, type Search } from './searches.ts';
import { addDays, byBytes, dayOf, once } from './values.ts';

/** The days of log files or search results that belong to a crawl, or to a project without one. */
export interface Span {
  readonly from: string;
  readonly to: string;
  /** Those that have data, in order. */
  readonly days: readonly string[];
}

const LENGTH = 28;

const startOf = ({ createdAt, endedAt }: Crawl): number | null => createdAt ?? endedAt;

/** The day on which the next crawl starts. */
function nextStart({ crawls }: ProjectFacts, crawl: CrawlFacts): string | null {
  if (crawl.isLatest) return null;
  const alike = crawls.filter(
    ({ hasPages, config }) => hasPages && (config?.id ?? '') === (crawl.config?.id ?? ''),
  );
  const start = startOf(crawl) ?? 0;
  const starts = alike
    .filter((one) => one.isComplete || !alike.some(({ isComplete }) => isComplete))
    .flatMap((one) => {
      const other = startOf(one);
      return other !== null && (other > start || (other === start && byBytes(one.id, crawl.id) > 0))
        ? [other]
        : [];
    });
  return starts.length === 0 ? null : dayOf(Math.min(...starts));
}

/** Null where no day with data belongs to the crawl. */
function spanOf(project: ProjectFacts, crawl: CrawlFacts | null, loaded: Iterable<string>): Span | null {
  const days = [...loaded].toSorted();
  const mayBelong = (day: string): boolean => {
    if (crawl === null) return !project.crawls.some(({ hasPages }) => hasPages);
    if (!crawl.hasPages) return false;
    const [start, next] = [startOf(crawl), nextStart(project, crawl)];
    if (start === null) return crawl.isLatest;
    return day >= addDays(dayOf(start), -LENGTH) && (next === null || day < next);
  };
  const to = days.findLast(mayBelong);
  if (to === undefined) return null;
  const from = addDays(to, 1 - LENGTH);
  return { from, to, days: days.filter((day) => day >= from && day <= to) };
}

/** The crawl whose pages show how the site was on a day; null where no crawl of the configuration has pages. */
export function stateOf({ crawls }: ProjectFacts, crawl: CrawlFacts, day: string): CrawlFacts | null {
  const alike = crawls.filter(
    ({ hasPages, config }) => hasPages && (config?.id ?? null) === (crawl.config?.id ?? null),
  );
  const startDay = (one: CrawlFacts): string => {
    const start = startOf(one);
    return start === null ? '' : dayOf(start);
  };
  const counted = alike
    .filter(({ isComplete }) => isComplete || !alike.some((one) => one.isComplete))
    .toSorted((a, b) => (startOf(a) ?? 0) - (startOf(b) ?? 0) || byBytes(a.id, b.id));
  const first = counted.findLast((one) => startDay(one) === startDay(counted[0] ?? one)) ?? null;
  return counted.findLast((one) => startDay(one) <= day) ?? first;
}

/** Every day from the first with search results to the last. */
const searchedDays = once(({ searches: { firstDay, lastDay } }: ProjectFacts) => {
  const days: string[] = [];
  if (firstDay !== null && lastDay !== null)
    for (let day = firstDay; day <= lastDay; day = addDays(day, 1)) days.push(day);
  return days;
});

/** What is made of a project and a crawl of it, or none, once. */
function onceOf<V>(make: (project: ProjectFacts, crawl: CrawlFacts | null) => V) {
  const byCrawl = once((project: ProjectFacts) => once((crawl: CrawlFacts) => make(project, crawl)));
  const ofProject = once((project: ProjectFacts) => make(project, null));
  return (project: ProjectFacts, crawl: CrawlFacts | null): V =>
    crawl === null ? ofProject(project) : byCrawl(project)(crawl);
}

export const logSpan = onceOf((project, crawl) => spanOf(project, crawl, project.logs.days.keys()));

export const searchSpan = onceOf((project, crawl) => spanOf(project, crawl, searchedDays(project)));

/** Search results of the days that belong to a crawl. */
export const searchesOf = onceOf((project, crawl): readonly Search[] => {
  const span = searchSpan(project, crawl);
  return span === null ? [] : project.searches.rows.filter(({ day }) => day >= span.from && day <= span.to);
});

/** The demand of these days, by URL. */
export const demandOfCrawl = onceOf(
  (project, crawl): ReadonlyMap<string, Demand> => demandOf(searchesOf(project, crawl)),
);
