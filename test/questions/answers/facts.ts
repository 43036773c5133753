import type { Project, Row, Sites } from '../sites/sites.ts';
import { byEnd, type CrawlFacts, crawlFacts } from './crawls.ts';
import { type LogFacts, logFacts } from './logs.ts';
import { type Page, segmentsOf } from './pages.ts';
import { type Searches, searchesOf } from './searches.ts';
import { iso } from './values.ts';

/** What a question is asked with. */
export interface Asked {
  readonly project?: string;
  readonly crawl?: string;
  readonly segmentation?: string;
  readonly segment?: string;
  readonly from?: string;
  readonly to?: string;
  /** Separated by white space. */
  readonly urls?: string;
  readonly url?: string;
  readonly folder?: string;
  /** Parameters of one question, as numbers. */
  readonly numbers: Readonly<Record<string, number>>;
}

export interface ProjectFacts {
  readonly id: string;
  readonly name: string | null;
  readonly main: CrawlFacts | null;
  readonly crawls: readonly CrawlFacts[];
  /** Those that tell when a page was first seen, in order. */
  readonly counting: readonly CrawlFacts[];
  readonly logs: LogFacts;
  readonly searches: Searches;
}

/** All that the answers are computed from. */
export interface Facts {
  readonly projects: readonly ProjectFacts[];
  readonly crawls: readonly CrawlFacts[];
}

export function factsOf(sites: Sites): Facts {
  const crawls = crawlFacts(sites);
  return { crawls, projects: sites.projects.map((project) => projectFacts(project, crawls)) };
}

function projectFacts(project: Project, all: readonly CrawlFacts[]): ProjectFacts {
  const crawls = all.filter(({ projectId }) => projectId === project.id);
  const main = crawls.find(({ isMain }) => isMain) ?? null;
  const counting = crawls
    .filter(
      ({ hasPages, endedAt, config, isComplete }) =>
        hasPages &&
        endedAt !== null &&
        (main === null || (config?.id ?? null) === (main.config?.id ?? null)) &&
        (isComplete || main?.isComplete === false),
    )
    .toSorted(byEnd);
  return {
    id: project.id,
    name: project.name,
    main,
    crawls,
    counting,
    logs: logFacts(project),
    searches: searchesOf(project),
  };
}

/** Projects that are asked for: by name or identifier, and by a crawl of theirs that has pages. */
export const projectsAsked = ({ projects }: Facts, { project, crawl }: Asked): ProjectFacts[] =>
  projects.filter(
    ({ id, name, crawls }) =>
      (project === undefined || project === name || project === id) &&
      (crawl === undefined || crawls.some((one) => one.id === crawl && one.hasPages)),
  );

/** The crawl that a question about a project answers for. */
export const crawlAsked = ({ main, crawls }: ProjectFacts, { crawl }: Asked): CrawlFacts | null =>
  crawl === undefined ? main : (crawls.find(({ id }) => id === crawl) ?? null);

/** The main crawls, or the one that is asked for, with their projects. */
export const crawlsAsked = (facts: Facts, asked: Asked): { project: ProjectFacts; crawl: CrawlFacts }[] =>
  projectsAsked(facts, asked).flatMap((project) => {
    const crawl = crawlAsked(project, asked);
    return crawl ? [{ project, crawl }] : [];
  });

/** Every crawl, or the one that is asked for. */
export const allCrawls = (facts: Facts, asked: Asked): { project: ProjectFacts; crawl: CrawlFacts }[] =>
  projectsAsked(facts, asked).flatMap((project) =>
    project.crawls
      .filter(({ id }) => asked.crawl === undefined || id === asked.crawl)
      .map((crawl) => ({ project, crawl })),
  );

/** Whether a segment is asked for, by its name or with its segmentation; without one, all are. */
export const isSegmentAsked = (
  { segment: name }: Asked,
  { segmentation, segment }: { readonly segmentation: string | null; readonly segment: string | null },
): boolean =>
  name === undefined || (segment !== null && [segment, `${segmentation}:${segment}`].includes(name));

/** The segment as a first directory or one of the project's own segmentations. */
export const inSegment = (page: Page | undefined, asked: Asked): boolean =>
  asked.segment === undefined ||
  (page !== undefined &&
    [{ segmentation: '(directory)', segment: page.firstPath }, ...segmentsOf(page)].some((one) =>
      isSegmentAsked(asked, one),
    ));

export const inDays = (day: string, { from, to }: Asked): boolean =>
  (from === undefined || day >= from) && (to === undefined || day < to);

/** The columns that answers over time begin with. */
export const placed = (crawl: CrawlFacts): Row => ({
  ...named(crawl),
  ended_at: iso(crawl.endedAt),
  is_in_trends: crawl.isInTrends,
});

/** The columns that most answers begin with. */
export const named = (crawl: CrawlFacts): Row => ({
  project_name: crawl.project,
  crawl_config_name: crawl.config?.name ?? null,
  crawl_id: crawl.id,
});
