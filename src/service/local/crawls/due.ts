import type { Document, Resources } from '../resources/resources.ts';
import { WORKSPACE_ID } from '../resources/seed.ts';
import { workEndOf } from './crawl-life.ts';

const DAY = 86_400_000;

/** An event, with its time in UTC milliseconds. */
export interface Due {
  readonly at: number;
  readonly what: 'finish' | 'turn' | 'compare' | 'archive' | 'fire';
  /** The crawl, the comparison or the scheduled crawl that it changes. */
  readonly doc: Document;
}

/** The order of events at the same time: a crawl ends before a scheduled one starts. */
const ORDER: readonly Due['what'][] = ['finish', 'turn', 'compare', 'archive', 'fire'];

/** The next event, at any time. */
export function nextDue(resources: Resources): Due | undefined {
  return [
    ...finishes(resources),
    ...turns(resources),
    ...comparisons(resources),
    ...archivings(resources),
    ...firings(resources),
  ].reduce<Due | undefined>(
    (first, due) => (first === undefined || comesBefore(due, first) ? due : first),
    undefined,
  );
}

function comesBefore(a: Due, b: Due): boolean {
  if (a.at !== b.at) return a.at < b.at;
  if (a.what !== b.what) return ORDER.indexOf(a.what) < ORDER.indexOf(b.what);
  return a.doc.id < b.doc.id;
}

function finishes(resources: Resources): Due[] {
  return resources.listHolding('crawls', '_work').flatMap((doc) => {
    const at = workEndOf(doc);
    return at === undefined ? [] : [{ at, what: 'finish' as const, doc }];
  });
}

function turns(resources: Resources): Due[] {
  return resources
    .listHolding('crawls', '_turn')
    .map((doc) => ({ at: (doc._turn as { at: number }).at, what: 'turn', doc }));
}

function comparisons(resources: Resources): Due[] {
  return resources
    .listHolding('crawl_over_crawls', '_end')
    .map((doc) => ({ at: Number(doc._end), what: 'compare', doc }));
}

/** By the workspace's setting, so many days after a crawl ended, or was brought back. */
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

function firings(resources: Resources): Due[] {
  return resources
    .listHolding('scheduled_crawls', '_next')
    .map((doc) => ({ at: (doc._next as { at: number }).at, what: 'fire', doc }));
}
