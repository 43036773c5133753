import { CrawlhouseError } from '../../core/errors.ts';
import { didYouMean } from '../../core/nearest-name.ts';
import { crawlNamed, type NamedCrawl } from '../../project/model/crawl-name.ts';
import type { Inventory, ListReading } from '../../project/model/inventory.ts';
import type { Listed } from '../../project/model/listed.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import type { Plan, PlannedUnit, Selection } from '../../project/model/planned-unit.ts';
import { isProjectResource } from '../../project/model/resources.ts';
import type { Unit, Window } from '../../project/model/unit.ts';
import type { BrokenItem } from '../../service/api/read-list.ts';
import { datesKey } from './discover-dates.ts';
import { CRAWL_OVER_CRAWLS, leftNoReport } from './list-kinds.ts';
import { unitFilter } from './unit-filter.ts';
import { windowsOf } from './windows.ts';

const DAY = 86_400_000;
const ENDED: readonly string[] = ['done', 'archived', 'cancelled', 'archiving', 'unarchiving'];

/** The inputs of planning. */
export interface PlanRequest {
  readonly pipelines: readonly Pipeline[];
  readonly selection: Selection;
  /** UTC milliseconds, now by default; a window is planned once it has ended. */
  readonly now?: number;
  /** Leaves out the units of crawls and comparisons that nothing is left to do for: there may be very many. */
  readonly isDone?: (unit: string, endedAt: number | null) => boolean;
}

/**
 * The units of work that a selection of the inventory has: lists, then crawls and comparisons, then dated sources, the
 * oldest first.
 *
 * @throws CrawlhouseError `usage` for a project or crawl that is not there
 */
export function planUnits(
  inventory: Inventory,
  { pipelines, selection, now = Date.now(), isDone = () => false }: PlanRequest,
): Plan {
  const projects = inventory.workspaces.flatMap((workspace) => workspace.projects.items);
  const crawls = onceEach(inventory.workspaces.flatMap((workspace) => soundItems(workspace.crawls)));
  const brokenCrawls = onceEach(inventory.workspaces.flatMap((workspace) => workspace.crawls.broken));
  const projectIds = selectProjects(projects, selection.projects, inventory.failures);
  const isSelected = (projectId: string): boolean => projectIds === null || projectIds.has(projectId);
  const wanted = selectCrawls({ crawls, broken: brokenCrawls, isSelected }, selection.crawls, inventory);
  const isWithin = (time: number): boolean => time >= selection.from && time < selection.to;
  const of = (kind: Pipeline['source']['kind']): Pipeline[] =>
    pipelines.filter((pipeline) => pipeline.source.kind === kind);

  const [ofCrawls, ofComparisons] = [of('crawl'), of('crawl_over_crawl')];
  const pending = (kind: 'crawl' | 'crawl_over_crawl', { id, ended_at }: Listed): Pipeline[] =>
    (kind === 'crawl' ? ofCrawls : ofComparisons).filter(
      ({ dataset }) => !isDone(`${dataset}/${id}`, ended_at),
    );

  const chosen = crawls
    .filter((crawl) => isOf(crawl, isSelected))
    .filter((crawl) => wanted === null || wanted.includes(crawl.id))
    .filter((crawl) => isEnded(crawl) && isWithin(endOf(crawl)))
    .sort((a, b) => endOf(a) - endOf(b) || a.id.localeCompare(b.id));
  const crawlUnits = chosen.flatMap((crawl) =>
    pending('crawl', crawl).map((pipeline) => plannedCrawl(pipeline, crawl)),
  );
  const comparisonLists = inventory.workspaces.flatMap(({ crawlOverCrawls }) => crawlOverCrawls ?? []);
  const allComparisons = onceEach(comparisonLists.flatMap(soundItems));
  const openComparisons = allComparisons.filter((one) => !CRAWL_OVER_CRAWLS.isFinal(one));
  const comparisons = allComparisons
    .filter((one) => isOf(one, isSelected) && selection.crawls === null)
    .filter((one) => CRAWL_OVER_CRAWLS.isFinal(one) && isWithin(endOf(one)))
    .sort((a, b) => endOf(a) - endOf(b) || a.id.localeCompare(b.id));
  const comparisonUnits = comparisons.flatMap((one) => {
    const skip = one.status === 'done' ? null : `the crawl over crawl is ${one.status}`;
    return pending('crawl_over_crawl', one).map((pipeline) => ({
      ...planned(pipeline, one.id, one.project_id, skip),
      ended_at: one.ended_at,
    }));
  });

  // Its end is unknown: whatever the span, unless the warehouse holds it.
  const brokenUnits = (broken: readonly BrokenItem[], kind: 'crawl' | 'crawl_over_crawl'): PlannedUnit[] =>
    broken
      .filter(({ projectId }) => projectIds === null || (projectId !== null && projectIds.has(projectId)))
      .filter(({ id }) => wanted === null || (kind === 'crawl' && wanted.includes(id)))
      .flatMap(({ id, projectId, error }) =>
        (kind === 'crawl' ? ofCrawls : ofComparisons)
          .filter(({ dataset }) => !isDone(`${dataset}/${id}`, null))
          .map((pipeline) => ({ ...planned(pipeline, id, projectId, null), failure: error })),
      );
  const broken = [
    ...brokenUnits(brokenCrawls, 'crawl'),
    ...brokenUnits(onceEach(comparisonLists.flatMap((list) => list.broken)), 'crawl_over_crawl'),
  ];
  const lists = of('resource').flatMap((pipeline) => {
    const { data_type } = pipeline.source;
    if (isProjectResource(data_type))
      return onceEach(projects)
        .filter((project) => isSelected(project.id))
        .map((project) => ({ ...planned(pipeline, project.id, project.id, null), refresh: true }));
    const views = inventory.workspaces.map(({ id, faulty }) => ({
      id,
      failure: faulty.get(data_type) ?? null,
    }));
    const unread = [...inventory.unread].map(([id, failure]) => ({ id, failure }));
    return [...views, ...unread].map(({ id, failure }) => ({
      ...planned(pipeline, id, null, null),
      refresh: true,
      failure,
    }));
  });
  const dated = [...of('log_monitoring'), ...of('ranking_performance')].flatMap((pipeline) =>
    onceEach(projects)
      .filter((project) => isSelected(project.id) && selection.crawls === null)
      .flatMap((project) => planWindows(inventory, pipeline, project.id, now))
      .filter(({ unit: { window } }) => window === null || isWithin(Date.parse(window.from))),
  );
  return {
    units: [...lists, ...broken, ...crawlUnits, ...comparisonUnits, ...dated],
    open: [...crawls.filter((crawl) => !isEnded(crawl)), ...openComparisons].map((one) => one.id).sort(),
  };
}

/** Why a crawl that has ended can't be exported, null when it can (spec-notes.md 23, 24). */
function skipReason(crawl: Listed, dataType: string): string | null {
  if (leftNoReport(crawl)) {
    return `the crawl left no report (${crawl.end_reason ?? crawl.status})`;
  }
  if (crawl.status !== 'done') return `the crawl is ${crawl.status}`;
  if (dataType === 'links' && crawl.link_status === 'archived') return 'the links of the crawl are archived';
  return null;
}

/** An archived crawl is skipped, or brought back first where the pipeline says so. */
function plannedCrawl(pipeline: Pipeline, crawl: Listed): PlannedUnit {
  const { data_type } = pipeline.source;
  const plain = {
    ...planned(pipeline, crawl.id, crawl.project_id, skipReason(crawl, data_type)),
    ended_at: crawl.ended_at,
  };
  const { unarchive } = pipeline;
  if (plain.skip === null || !isArchived(crawl, data_type) || unarchive === 'skip') return plain;
  if (unarchive === 'unarchive-fast' && data_type === 'links')
    return { ...plain, skip: `${plain.skip}; unarchive-fast brings no links` };
  return { ...plain, skip: null, restore: unarchive };
}

function isArchived(crawl: Listed, dataType: string): boolean {
  if (skipReason({ ...crawl, status: 'done', link_status: 'live' }, dataType) !== null) return false;
  return (
    crawl.status === 'archived' ||
    crawl.status === 'unarchiving' ||
    (crawl.status === 'done' && dataType === 'links' && crawl.link_status === 'archived')
  );
}

/** One unit a window that has ended; one without a window, and the reason, where the project has no such source. */
function planWindows(
  { dates }: Inventory,
  pipeline: Pipeline,
  projectId: string,
  now: number,
): PlannedUnit[] {
  const known = dates.get(projectId)?.get(datesKey(pipeline));
  if (known === undefined) return [];
  if ('skip' in known) return [planned(pipeline, projectId, projectId, known.skip)];
  if ('failure' in known)
    return [{ ...planned(pipeline, projectId, projectId, null), failure: known.failure }];
  const finalBefore = now - (pipeline.reload_last ?? 0) * DAY;
  return windowsOf(pipeline.window ?? 'day', known, known.weeks)
    .filter((window) => Date.parse(window.to) <= now)
    .map((window) => {
      const unit = unitOf(pipeline, projectId, projectId, window);
      const oql = unitFilter(pipeline, unit, known.weeks);
      const refresh = Date.parse(window.to) > finalBefore;
      return { unit, pipeline, skip: null, failure: null, oql, refresh, restore: null, ended_at: null };
    });
}

/** What a list holds, less what came broken: what was known of it before may hold no more. */
function soundItems({ items, broken }: ListReading): readonly Listed[] {
  if (broken.length === 0) return items;
  const ids = new Set(broken.map((one) => one.id));
  return items.filter((item) => !ids.has(item.id));
}

/** Two workspaces may list the same: it is one source of rows. */
function onceEach<T extends { readonly id: string }>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}

function isEnded(crawl: Listed): boolean {
  return ENDED.includes(crawl.status) || leftNoReport(crawl);
}

function isOf({ project_id }: Listed, isSelected: (projectId: string) => boolean): boolean {
  return project_id !== null && isSelected(project_id);
}

/** A crawl that never started has no end: its creation stands for it. */
function endOf(crawl: Listed): number {
  return crawl.ended_at ?? crawl.created_at ?? 0;
}

function planned(pipeline: Pipeline, id: string, projectId: string | null, skip: string | null): PlannedUnit {
  const unit = unitOf(pipeline, id, projectId, null);
  const oql = unitFilter(pipeline, unit, 'iso');
  return { unit, pipeline, skip, failure: null, oql, refresh: false, restore: null, ended_at: null };
}

function unitOf(pipeline: Pipeline, id: string, projectId: string | null, window: Window | null): Unit {
  const source = { kind: pipeline.source.kind, id, project_id: projectId };
  return { dataset: pipeline.dataset, source, window };
}

function selectProjects(
  projects: readonly { id: string; name: string }[],
  selected: Selection['projects'],
  failures: readonly CrawlhouseError[],
): ReadonlySet<string> | null {
  if (selected === 'all') return null;
  return new Set(
    selected.map((wanted) => {
      const found = projects.find((project) => project.id === wanted || project.name === wanted);
      if (found) return found.id;
      // It may be among what could not be read.
      if (failures[0]) throw failures[0];
      const names = projects.map((project) => `${project.name} (${project.id})`).join(', ');
      throw new CrawlhouseError('usage', `there is no project ${wanted}`, {
        hint: `${didYouMean(
          wanted,
          projects.map((project) => project.name),
        )}projects: ${names || 'none'}`,
      });
    }),
  );
}

interface CrawlsToSelect {
  readonly crawls: readonly Listed[];
  readonly broken: readonly BrokenItem[];
  /** Whether a project is: `latest` and the like name crawls of these. */
  readonly isSelected: (projectId: string) => boolean;
}

/** The identifiers of the crawls that are asked for; null: all. */
function selectCrawls(
  { crawls, broken, isSelected }: CrawlsToSelect,
  selected: readonly string[] | null,
  { failures, workspaces }: Inventory,
): readonly string[] | null {
  if (selected === null) return null;
  const names = new Map(
    workspaces.flatMap(({ projects }) => projects.items.map((one) => [one.id, one.name])),
  );
  const ended = crawls
    .filter((crawl) => isEnded(crawl) && isOf(crawl, isSelected))
    .sort((a, b) => endOf(a) - endOf(b) || a.id.localeCompare(b.id));
  const places = new Map<string | null, number>();
  const placed = ended.toReversed().map((crawl): NamedCrawl => {
    const back = leftNoReport(crawl) ? null : (places.get(crawl.project_id) ?? 0);
    if (back !== null) places.set(crawl.project_id, back + 1);
    return { ...namedCrawl(crawl.id, crawl.project_id, names), day: dayText(endOf(crawl)), back };
  });
  const rest = crawls.filter((one) => !ended.includes(one));
  const others = [...rest, ...broken].map(({ id, ...one }) =>
    namedCrawl(id, 'projectId' in one ? one.projectId : one.project_id, names),
  );
  try {
    return selected.map((name) => crawlNamed([...others, ...placed.toReversed()], name).id);
  } catch (error) {
    // It may be among what could not be read.
    throw failures[0] ?? error;
  }
}

function namedCrawl(id: string, project_id: string | null, names: ReadonlyMap<string, string>): NamedCrawl {
  const project_name = project_id === null ? null : (names.get(project_id) ?? null);
  return { id, project_id, project_name, day: null, back: null };
}

function dayText(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
