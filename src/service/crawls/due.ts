import type { Recurrence } from '../../client/resources/scheduled-crawls.ts';
import type { ResourceKind, Resources, StoredResource } from '../resources/resources.ts';
import { WORKSPACE_ID } from '../resources/seed.ts';
import { workEndOf } from './launched-crawl.ts';

const DAY = 86_400_000;
const DAYS: Readonly<Record<Exclude<Recurrence, 'month'>, number>> = { day: 1, week: 7, '2weeks': 14 };

/** An event, with its time in UTC milliseconds. */
export interface Due {
  readonly at: number;
  readonly what: 'finish' | 'turn' | 'compare' | 'archive' | 'fire';
  /** The crawl, the comparison or the scheduled crawl that it changes. */
  readonly doc: StoredResource;
}

/** The order of events at the same time: a crawl ends before a scheduled one starts. */
const ORDER: readonly Due['what'][] = ['finish', 'turn', 'compare', 'archive', 'fire'];

/** Returns the next event, at any time. */
export function nextDue(resources: Resources): Due | undefined {
  const holding = (
    kind: ResourceKind,
    key: string,
    what: Due['what'],
    at: (doc: StoredResource) => number | undefined,
  ) => resources.listHolding(kind, key).map((doc) => ({ at: at(doc), what, doc }));
  return [
    ...holding('crawls', '_work', 'finish', workEndOf),
    ...holding('crawls', '_turn', 'turn', ({ _turn }) => (_turn as { at: number }).at),
    ...holding('crawl_over_crawls', '_end', 'compare', ({ _end }) => Number(_end)),
    ...archivings(resources),
    ...holding('scheduled_crawls', '_next', 'fire', ({ _next }) => (_next as { at: number }).at),
  ]
    .filter((due): due is Due => due.at !== undefined)
    .sort((a, b) => a.at - b.at || orderOf(a) - orderOf(b) || (a.doc.id < b.doc.id ? -1 : 1))
    .at(0);
}

function orderOf({ what }: Due): number {
  return ORDER.indexOf(what);
}

/** Archivings by the workspace's setting: a number of days after a crawl ended or was restored. */
function archivings(resources: Resources): Due[] {
  const workspace = resources.get('workspaces', WORKSPACE_ID);
  const days = workspace?._archive_after_days;
  if (typeof days !== 'number') return [];
  const since = Number(workspace?._archive_since ?? 0);
  return resources
    .list('crawls')
    .filter((doc) => doc.status === 'done')
    .map((doc) => {
      const ended = Math.max(Number(doc.ended_at ?? 0), Number(doc._unarchived_at ?? 0));
      return { at: Math.max(since, ended + days * DAY), what: 'archive', doc };
    });
}

/**
 * When a scheduled crawl fires for the nth time, from 0, in UTC milliseconds; undefined after the only firing of one
 * without a recurrence. Months are counted from the first firing: one on the 31st falls on the last day of shorter
 * months and comes back to the 31st.
 */
export function firing(start: number, recurrence: Recurrence | null, n: number): number | undefined {
  if (recurrence === null) return n === 0 ? start : undefined;
  if (recurrence !== 'month') return start + n * DAYS[recurrence] * DAY;
  const first = new Date(start);
  const month = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + n, 1));
  const lastDay = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).getUTCDate();
  const midnight = Date.UTC(
    month.getUTCFullYear(),
    month.getUTCMonth(),
    Math.min(first.getUTCDate(), lastDay),
  );
  return midnight + (((start % DAY) + DAY) % DAY);
}

/** Returns the number of the first firing at or after a time; undefined if there is none. */
export function firingFrom(start: number, recurrence: Recurrence | null, from: number): number | undefined {
  if (recurrence === null) return start >= from ? 0 : undefined;
  if (start >= from) return 0;
  const longest = recurrence === 'month' ? 31 : DAYS[recurrence];
  let n = Math.floor((from - start) / (longest * DAY));
  while ((firing(start, recurrence, n) ?? Number.POSITIVE_INFINITY) < from) n += 1;
  return n;
}
