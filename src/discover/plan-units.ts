import { type Crawl, END_REASONS_WITHOUT_REPORT } from '../api/crawls.ts';
import { CrawlhouseError } from '../core/errors.ts';
import type { Pipeline } from '../model/pipeline.ts';
import type { Unit } from '../model/unit.ts';
import type { Landscape } from './discover.ts';

export interface Selection {
  /** Ids or names of projects, or `all`. */
  readonly projects: 'all' | readonly string[];
  /** Ids of crawls; null: every one. */
  readonly crawls: readonly string[] | null;
  /** Held against a crawl's `ended_at`, in UTC milliseconds: from inclusive, to exclusive. */
  readonly from: number;
  readonly to: number;
}

/** A unit with what stands in its way, if anything does. */
export interface PlannedUnit {
  readonly unit: Unit;
  readonly pipeline: Pipeline;
  /** Why nothing can be loaded; null when it can. */
  readonly skip: string | null;
}

export interface Plan {
  readonly units: readonly PlannedUnit[];
  /** Ids of the crawls that have not ended, whatever the selection. */
  readonly open: readonly string[];
}

const ENDED: readonly string[] = ['done', 'archived', 'cancelled', 'archiving', 'unarchiving'];

/**
 * The units of work that a selection of the landscape has, oldest crawl first.
 *
 * @throws CrawlhouseError `usage` for a project or crawl that is not there
 */
export function planUnits(landscape: Landscape, pipelines: readonly Pipeline[], selection: Selection): Plan {
  const projects = landscape.workspaces.flatMap((workspace) => workspace.projects.items);
  const crawls = landscape.workspaces.flatMap((workspace) => workspace.crawls.items);
  const projectIds = selectProjects(projects, selection.projects);
  refuseUnknownCrawls(crawls, selection.crawls);
  const chosen = crawls
    .filter((crawl) => projectIds === null || projectIds.has(crawl.project_id))
    .filter((crawl) => selection.crawls === null || selection.crawls.includes(crawl.id))
    .filter((crawl) => isEnded(crawl))
    .filter((crawl) => endOf(crawl) >= selection.from && endOf(crawl) < selection.to)
    .sort((a, b) => endOf(a) - endOf(b) || a.id.localeCompare(b.id));
  const units: PlannedUnit[] = [];
  for (const pipeline of pipelines) {
    if (pipeline.source.kind !== 'resource') continue;
    for (const workspace of landscape.workspaces) {
      units.push({ unit: unitOf(pipeline, workspace.id, null), pipeline, skip: null });
    }
  }
  for (const crawl of chosen) {
    for (const pipeline of pipelines) {
      if (pipeline.source.kind !== 'crawl') continue;
      units.push({
        unit: unitOf(pipeline, crawl.id, crawl.project_id),
        pipeline,
        skip: skipReason(crawl, pipeline.source.data_type),
      });
    }
  }
  return {
    units,
    open: crawls
      .filter((crawl) => !isEnded(crawl))
      .map((crawl) => crawl.id)
      .sort(),
  };
}

/** Why a crawl that has ended can't be exported, null when it can (spec-notes.md 23, 24). */
export function skipReason(crawl: Crawl, dataType: string): string | null {
  if (crawl.status === 'cancelled' || END_REASONS_WITHOUT_REPORT.includes(crawl.end_reason ?? '')) {
    return `the crawl left no report (${crawl.end_reason ?? crawl.status})`;
  }
  if (crawl.status !== 'done') return `the crawl is ${crawl.status}`;
  if (dataType === 'links' && crawl.link_status === 'archived') return 'the links of the crawl are archived';
  return null;
}

function isEnded(crawl: Crawl): boolean {
  return ENDED.includes(crawl.status) || END_REASONS_WITHOUT_REPORT.includes(crawl.end_reason ?? '');
}

/** A crawl that never started has no end: its creation stands for it. */
function endOf(crawl: Crawl): number {
  return crawl.ended_at ?? crawl.created_at ?? 0;
}

function unitOf(pipeline: Pipeline, id: string, projectId: string | null): Unit {
  return {
    dataset: pipeline.dataset,
    source: { kind: pipeline.source.kind, id, project_id: projectId },
    window: null,
  };
}

function selectProjects(
  projects: readonly { id: string; name: string }[],
  selected: Selection['projects'],
): ReadonlySet<string> | null {
  if (selected === 'all') return null;
  return new Set(
    selected.map((wanted) => {
      const found = projects.find((project) => project.id === wanted || project.name === wanted);
      if (found) return found.id;
      const names = projects.map((project) => `${project.name} (${project.id})`).join(', ');
      throw new CrawlhouseError('usage', `there is no project ${wanted}`, {
        hint: `projects: ${names || 'none'}`,
      });
    }),
  );
}

function refuseUnknownCrawls(crawls: readonly Crawl[], selected: readonly string[] | null): void {
  const unknown = selected?.find((id) => !crawls.some((crawl) => crawl.id === id));
  if (unknown === undefined) return;
  throw new CrawlhouseError('usage', `there is no crawl ${unknown}`, {
    hint: 'crawlhouse discover lists the crawls of your workspaces',
  });
}
