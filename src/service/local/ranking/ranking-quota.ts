import type { Document, Resources } from '../resources/resources.ts';
import { WORKSPACE_ID } from '../resources/seed.ts';

const HOUR = 3_600_000;

/** The default quota of a project in an hour. */
const DEFAULT_RANKING_QUOTA = 2_000_000_000;

/** The use in one hour, counted from the epoch. */
export interface Usage {
  readonly hour: number;
  readonly used: number;
}

/** The cost of a query: the rows of its days, times the number of these days. */
export function costOf({ rows, days }: { readonly rows: number; readonly days: number }): number {
  return rows * days;
}

/** The use after a query, or the seconds until the next hour if the rest of this hour's quota is too small. */
export function usageAfter(
  usage: Usage | undefined,
  cost: number,
  quota: number,
  now: number,
): { readonly usage: Usage } | { readonly retryAfter: number } {
  const hour = Math.floor(now / HOUR);
  const used = (usage?.hour === hour ? usage.used : 0) + cost;
  if (used <= quota) return { usage: { hour, used } };
  return { retryAfter: Math.ceil(((hour + 1) * HOUR - now) / 1000) };
}

/** Takes what a query costs from its project's quota; the seconds to wait when there is not enough, and nothing taken. */
export function spend(
  resources: Resources,
  projectId: string,
  cost: number,
  now: number,
): number | undefined {
  const project = resources.get('projects', projectId);
  if (project === undefined) return undefined;
  const after = usageAfter(project._ranking_usage as Usage | undefined, cost, quotaOf(project), now);
  if ('retryAfter' in after) return after.retryAfter;
  resources.put('projects', WORKSPACE_ID, { ...project, _ranking_usage: after.usage });
  return undefined;
}

function quotaOf(project: Document): number {
  const own = project._ranking_performance_quota;
  return typeof own === 'number' ? own : DEFAULT_RANKING_QUOTA;
}
