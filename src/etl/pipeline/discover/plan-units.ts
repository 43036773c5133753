import type { BrokenItem } from '../../../client/http/read-list.ts';
import type { Oql } from '../../../client/oql/oql.ts';
import type { ChangedDay } from '../../../client/resources/changed-day.ts';
import { LOCAL_DATA_TYPES } from '../../../client/resources/fields.ts';
import type { WeekDefinition } from '../../../client/resources/log-monitoring.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { didYouMean } from '../../../core/text/nearest-name.ts';
import { crawlNamed, type NamedCrawl, nearestNote } from '../../project/model/crawl-name.ts';
import type { Inventory, Listed, ListReading, SourceDates } from '../../project/model/inventory.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import { isProjectResource } from '../../project/model/resource-names.ts';
import type { Plan, Selection, Task } from '../../project/model/task.ts';
import { isBeforeEnd, type Unit, unitName, type Window } from '../../project/model/unit.ts';
import { pipelineFilter } from '../../project/model/unit-source.ts';
import { datesKey } from './discover-dates.ts';
import { CRAWL_OVER_CRAWLS, leftNoReport } from './list-kinds.ts';
import { DAY, formatDay, windowFilter, windowsOf } from './windows.ts';

const ENDED: readonly string[] = ['done', 'archived', 'cancelled', 'archiving', 'unarchiving'];

export interface PlanRequest {
  readonly pipelines: readonly Pipeline[];
  readonly selection: Selection;
  /** UTC milliseconds, now by default. A window is planned once it has ended, or if it was loaded too early. */
  readonly now?: number;
  /** When the warehouse's units were loaded, by name. */
  readonly loaded?: ReadonlyMap<string, { readonly loaded_at: number }>;
  /** Days that have changed since they were loaded. Their windows are requested again. */
  readonly changed?: readonly ChangedDay[];
  /** Excludes finished units of crawls and comparisons, because there may be very many. */
  readonly isDone?: (unit: string, endedAt: number | null) => boolean;
}

/**
 * Returns the units of a selection of the inventory: lists, then crawls and comparisons, then dated sources, the oldest
 * first.
 *
 * @throws CrawlhouseError `usage` for an unknown project or crawl
 */
export function planUnits(inventory: Inventory, request: PlanRequest): Plan {
  const {
    pipelines,
    selection,
    now = Date.now(),
    loaded = new Map(),
    changed = [],
    isDone = () => false,
  } = request;
  const projects = onceEach(inventory.workspaces.flatMap((workspace) => workspace.projects.items));
  const crawls = onceEach(inventory.workspaces.flatMap((workspace) => soundItems(workspace.crawls)));
  const broken = onceEach(inventory.workspaces.flatMap((workspace) => workspace.crawls.broken));
  const projectIds = selectProjects(projects, selection.projects, inventory.failures);
  const isSelected = (id: string | null): boolean =>
    projectIds === null || (id !== null && projectIds.has(id));
  const selected = selectCrawls({ crawls, broken, isSelected, now }, selection.crawls, inventory);
  const scope: Scope = {
    projects: projects.filter(({ id }) => isSelected(id)),
    isSelected,
    crawlIds: selected?.map(({ id }) => id) ?? null,
    isWithin: (time) => time >= selection.from && time < selection.to,
    of: (kind) => pipelines.filter((pipeline) => pipeline.source.kind === kind),
    isDone,
    now,
    loaded,
    changed: Map.groupBy(changed, changeKey),
  };
  const lists = inventory.workspaces.flatMap(({ crawlOverCrawls }) => crawlOverCrawls ?? []);
  const comparisons = onceEach(lists.flatMap(soundItems));
  const brokenComparisons = onceEach(lists.flatMap((list) => list.broken));
  const open = [
    ...crawls.filter((crawl) => !isEnded(crawl)),
    ...comparisons.filter((comparison) => !CRAWL_OVER_CRAWLS.isFinal(comparison)),
  ];
  return {
    tasks: [
      ...planLists(scope, inventory),
      ...planBroken(scope, broken, 'crawl'),
      ...planBroken(scope, brokenComparisons, 'crawl_over_crawl'),
      ...planCrawls(scope, crawls),
      ...planComparisons(scope, comparisons),
      ...planDated(scope, inventory),
    ],
    open: open.map(({ id }) => id).sort(),
    notes: selected?.flatMap(({ note }) => note ?? []) ?? [],
  };
}

interface Scope {
  readonly projects: readonly { readonly id: string }[];
  /** Returns whether a project is selected. An unknown project is selected with `all`. */
  readonly isSelected: (projectId: string | null) => boolean;
  /** Null for all. */
  readonly crawlIds: readonly string[] | null;
  readonly isWithin: (time: number) => boolean;
  readonly of: (kind: Pipeline['source']['kind']) => Pipeline[];
  readonly isDone: (unit: string, endedAt: number | null) => boolean;
  readonly now: number;
  readonly loaded: NonNullable<PlanRequest['loaded']>;
  /** By `changeKey`. */
  readonly changed: ReadonlyMap<string, readonly ChangedDay[]>;
}

function planLists({ of, projects }: Scope, { workspaces, unread }: Inventory): Task[] {
  return of('resource').flatMap((pipeline) => {
    const { data_type } = pipeline.source;
    if (isProjectResource(data_type))
      return projects.map(({ id }) => ({ ...taskOf(pipeline, id, id, null), refresh: true }));
    const read = workspaces.map(({ id, faulty }) => ({ id, failure: faulty.get(data_type) ?? null }));
    const failed = [...unread].map(([id, failure]) => ({ id, failure }));
    return [...read, ...failed].map(({ id, failure }) => {
      return { ...taskOf(pipeline, id, null, null), refresh: true, failure };
    });
  });
}

/** Plans a broken record, whose end is unknown, regardless of the time span, unless it is loaded. */
function planBroken(
  { of, isSelected, crawlIds, isDone }: Scope,
  broken: readonly BrokenItem[],
  kind: 'crawl' | 'crawl_over_crawl',
): Task[] {
  return broken
    .filter(({ projectId }) => isSelected(projectId))
    .filter(({ id }) => crawlIds === null || (kind === 'crawl' && crawlIds.includes(id)))
    .flatMap(({ id, projectId, error }) =>
      of(kind)
        .filter(({ dataset, source }) => !isLocal(source) && !isDone(`${dataset}/${id}`, null))
        .map((pipeline) => ({ ...taskOf(pipeline, id, projectId, null), failure: error })),
    );
}

function planCrawls(scope: Scope, crawls: readonly Listed[]): Task[] {
  const { crawlIds, isSelected, isWithin } = scope;
  return crawls
    .filter(({ project_id }) => project_id !== null && isSelected(project_id))
    .filter((crawl) => crawlIds === null || crawlIds.includes(crawl.id))
    .filter((crawl) => isEnded(crawl) && isWithin(endOf(crawl)))
    .sort(byEnd)
    .flatMap((crawl) =>
      pending(scope, 'crawl', crawl)
        .filter(({ source }) => crawl.has_requests === true || !isLocal(source))
        .map((pipeline) => plannedCrawl(pipeline, crawl)),
    );
}

function planComparisons(scope: Scope, comparisons: readonly Listed[]): Task[] {
  if (scope.crawlIds !== null) return [];
  return comparisons
    .filter(({ project_id }) => project_id !== null && scope.isSelected(project_id))
    .filter((comparison) => CRAWL_OVER_CRAWLS.isFinal(comparison) && scope.isWithin(endOf(comparison)))
    .sort(byEnd)
    .flatMap((comparison) => {
      const { id, project_id, status, ended_at } = comparison;
      const skip = status === 'done' ? null : `the crawl over crawl is ${status}`;
      return pending(scope, 'crawl_over_crawl', comparison).map((pipeline) => {
        return { ...taskOf(pipeline, id, project_id, skip), ended_at };
      });
    });
}

function planDated(scope: Scope, inventory: Inventory): Task[] {
  const { of, projects, crawlIds, isWithin } = scope;
  if (crawlIds !== null) return [];
  return [...of('log_monitoring'), ...of('ranking_performance')].flatMap((pipeline) =>
    projects
      .flatMap(({ id }) => planWindows(inventory, pipeline, id, scope))
      .filter(({ unit: { window } }) => window === null || isWithin(Date.parse(window.from))),
  );
}

function pending(
  { of, isDone }: Scope,
  kind: 'crawl' | 'crawl_over_crawl',
  { id, ended_at }: Listed,
): Pipeline[] {
  return of(kind).filter(({ dataset }) => !isDone(`${dataset}/${id}`, ended_at));
}

/** Returns whether only local crawls have a data type. Such data is not requested from the specification's service. */
function isLocal({ kind, data_type }: Pipeline['source']): boolean {
  return kind === 'crawl' && LOCAL_DATA_TYPES.some((local) => local === data_type);
}

/** Returns why an ended crawl cannot be exported, null if it can (spec-notes.md 23, 24). */
function skipReason(crawl: Listed, dataType: string): string | null {
  if (leftNoReport(crawl)) {
    return `the crawl left no report (${crawl.end_reason ?? crawl.status})`;
  }
  if (crawl.status !== 'done') return `the crawl is ${crawl.status}`;
  if (dataType === 'links' && crawl.link_status === 'archived') return 'the links of the crawl are archived';
  return null;
}

/** Skips an archived crawl, or restores it first if the pipeline requires this. */
function plannedCrawl(pipeline: Pipeline, crawl: Listed): Task {
  const { data_type } = pipeline.source;
  const plain = {
    ...taskOf(pipeline, crawl.id, crawl.project_id, skipReason(crawl, data_type)),
    ended_at: crawl.ended_at,
  };
  const { unarchive } = pipeline;
  if (plain.skip === null || !isArchived(crawl, data_type) || unarchive === 'skip') return plain;
  if (unarchive === 'unarchive-fast' && data_type === 'links')
    return { ...plain, skip: `${plain.skip}; unarchive-fast restores no links` };
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

/**
 * Returns a unit for each window that has ended, or that was loaded by a clock that was ahead. For a project without
 * such a source, returns one unit without a window, and the reason.
 */
function planWindows(
  { dates }: Inventory,
  pipeline: Pipeline,
  projectId: string,
  { now, loaded, changed }: Scope,
): Task[] {
  const listed = dates.get(projectId)?.get(datesKey(pipeline));
  if (listed === undefined) return [];
  const plain = taskOf(pipeline, projectId, projectId, null);
  if ('failure' in listed) return [{ ...plain, failure: listed.failure }];
  const { dataset, source } = pipeline;
  const noted = changed.get(changeKey({ kind: source.kind, project_id: projectId })) ?? [];
  const days = noted.filter(({ loaded_by }) => !loaded_by.includes(dataset)).map(({ day }) => day);
  const span = withNoted(listed, days);
  if ('skip' in span) return [{ ...plain, skip: span.skip }];
  const finalBefore = now - (pipeline.reload_last ?? 0) * DAY;
  // A service that records its days has no rows of other days; one old row would make a unit of each day since.
  const isSparse = noted.length > 0;
  const has = (list: readonly { readonly day: string }[], { from, to }: Window): boolean =>
    list.some(({ day }) => day >= from && day < to);
  const windows = windowsOf(pipeline.window ?? 'day', span, span.weeks).filter(
    (window) => !isSparse || has(noted, window),
  );
  const units = windows.flatMap((window) => {
    const unit = unitOf(pipeline, projectId, projectId, window);
    const name = unitName(unit);
    const loadedAt = loaded.get(name)?.loaded_at;
    if (loadedAt === undefined && isBeforeEnd(now, unit)) return [];
    const refresh =
      isBeforeEnd(Math.min(finalBefore, loadedAt ?? now), unit) ||
      days.some((day) => day >= window.from && day < window.to);
    return [{ ...plain, unit, name, oql: unitFilter(pipeline, unit, span.weeks), refresh }];
  });
  return 'skip' in listed && units.length === 0 ? [{ ...plain, skip: listed.skip }] : units;
}

/** Returns the days of a source plus changed days. After rows are deleted, the source no longer lists their days. */
function withNoted(
  listed: Exclude<SourceDates, { readonly failure: unknown }>,
  changed: readonly string[],
): Exclude<SourceDates, { readonly failure: unknown }> {
  const bounds = 'skip' in listed ? [] : [listed.from.slice(0, 10), listed.to.slice(0, 10)];
  const days = [...bounds, ...changed].sort();
  const [from, to] = [days[0], days.at(-1)];
  if (changed.length === 0 || from === undefined || to === undefined) return listed;
  return { from, to, weeks: 'skip' in listed ? 'iso' : listed.weeks };
}

function changeKey({ kind, project_id }: { readonly kind: string; readonly project_id: string }): string {
  return `${kind} ${project_id}`;
}

/** Returns the records of a list without the broken ones, whose former state may be out of date. */
function soundItems({ items, broken }: ListReading): readonly Listed[] {
  if (broken.length === 0) return items;
  const ids = new Set(broken.map(({ id }) => id));
  return items.filter((item) => !ids.has(item.id));
}

/** Removes duplicates, because two workspaces may list the same source. */
function onceEach<T extends { readonly id: string }>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}

function isEnded(crawl: Listed): boolean {
  return ENDED.includes(crawl.status) || leftNoReport(crawl);
}

const byEnd = (a: Listed, b: Listed): number => endOf(a) - endOf(b) || a.id.localeCompare(b.id);

/** Returns the end of a crawl, or the creation of one that never started. */
function endOf(crawl: Listed): number {
  return crawl.ended_at ?? crawl.created_at ?? 0;
}

function taskOf(pipeline: Pipeline, id: string, projectId: string | null, skip: string | null): Task {
  const unit = unitOf(pipeline, id, projectId, null);
  const oql = unitFilter(pipeline, unit, 'iso');
  return {
    unit,
    name: unitName(unit),
    pipeline,
    skip,
    failure: null,
    oql,
    refresh: false,
    restore: null,
    ended_at: null,
  };
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
    selected.flatMap((wanted) => {
      const match = projects.find((project) => project.id === wanted || project.name === wanted);
      if (match) return [match.id];
      // It may be among the unreadable ones, which have their own error. The others are loaded.
      if (failures[0]) return [];
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
  /** Returns whether a project is selected. `latest` and similar names refer to its crawls. */
  readonly isSelected: (projectId: string) => boolean;
  readonly now: number;
}

/** Returns the identifiers of the requested crawls, with notes for the user about the choice; null for all. */
function selectCrawls(
  { crawls, broken, isSelected, now }: CrawlsToSelect,
  selected: readonly string[] | null,
  { failures, workspaces }: Inventory,
): readonly { readonly id: string; readonly note: string | null }[] | null {
  if (selected === null) return null;
  const names = new Map(
    workspaces.flatMap(({ projects }) => projects.items.map(({ id, name }) => [id, name])),
  );
  const ended = crawls
    .filter((crawl) => isEnded(crawl) && crawl.project_id !== null && isSelected(crawl.project_id))
    .sort(byEnd);
  const places = new Map<string | null, number>();
  const placed = ended.toReversed().map((crawl): NamedCrawl => {
    const back = leftNoReport(crawl) ? null : (places.get(crawl.project_id) ?? 0);
    if (back !== null) places.set(crawl.project_id, back + 1);
    return { ...namedCrawl(crawl.id, crawl.project_id, names), day: formatDay(endOf(crawl)), back };
  });
  const rest = crawls.filter((crawl) => !ended.includes(crawl));
  const others = [...rest, ...broken].map(({ id, ...crawl }) =>
    namedCrawl(id, 'projectId' in crawl ? crawl.projectId : crawl.project_id, names),
  );
  return selected.flatMap((name) => {
    try {
      const crawl = crawlNamed([...others, ...placed.toReversed()], name, now);
      return [{ id: crawl.id, note: nearestNote(name, crawl, now) }];
    } catch (error) {
      // It may be among the unreadable ones, which have their own error. The others are loaded.
      if (failures[0] === undefined) throw error;
      return [];
    }
  });
}

function namedCrawl(id: string, project_id: string | null, names: ReadonlyMap<string, string>): NamedCrawl {
  const project_name = project_id === null ? null : (names.get(project_id) ?? null);
  return { id, project_id, project_name, day: null, back: null };
}

/** Returns the OQL of a unit: the pipeline's filter and, for dated sources, its window. */
export function unitFilter(pipeline: Pipeline, unit: Unit, weeks: WeekDefinition): Oql | null {
  const filter = pipelineFilter(pipeline);
  if (unit.window === null || pipeline.window === null) return filter;
  const field = pipeline.source.kind === 'ranking_performance' ? 'date' : pipeline.window;
  const window = windowFilter(field, pipeline.window, unit.window, weeks);
  return filter === null ? window : { and: [window, filter] };
}
