import type { PilotCommand } from '../../client/resources/crawls.ts';
import { wrongState } from '../resources/refusal.ts';
import type { StoredResource } from '../resources/resources.ts';
import {
  FETCH_END,
  type LaunchedCrawl,
  PAUSING,
  reached,
  stepsAt,
  UNARCHIVING,
  UNARCHIVING_FAST,
  workedAt,
} from './launched-crawl.ts';

/** States in which each command is allowed (api-spec.md §3.1). */
const ALLOWED: Readonly<Record<PilotCommand, readonly string[]>> = {
  cancel: ['running', 'paused'],
  resume: ['paused'],
  pause: ['running'],
  terminate: ['running', 'paused'],
  unarchive: ['archived'],
  'unarchive-fast': ['archived'],
};

/**
 * Returns the crawl after a command. If a crawl was put into its state by hand, there is no work to continue, and its
 * state changes immediately.
 *
 * @throws Refusal `invalid_state_for_request`
 */
export function pilot(crawl: LaunchedCrawl, command: PilotCommand, now: number): StoredResource {
  const hasArchivedLinks = crawl.status === 'done' && crawl.link_status === 'archived';
  if (!ALLOWED[command].includes(String(crawl.status)) && !(command === 'unarchive' && hasArchivedLinks)) {
    const needed = ALLOWED[command].join(' or ');
    throw wrongState(`${command} needs a crawl that is ${needed}: ${crawl.id} is ${crawl.status}`);
  }
  switch (command) {
    case 'pause':
      return turning({ ...crawl, ...workFrom(crawl, workedAt(crawl, now), now) }, 'pausing', now + PAUSING, {
        status: 'paused',
      });
    case 'resume':
      return { ...crawl, status: 'running', ...workFrom(crawl, workedAt(crawl, now), now) };
    case 'cancel':
      return cancelled(crawl, now);
    case 'terminate':
      return terminated(crawl, now);
    case 'unarchive':
    case 'unarchive-fast': {
      const [takes, link_status] =
        command === 'unarchive' ? [UNARCHIVING, 'live'] : [UNARCHIVING_FAST, 'archived'];
      const at = now + takes;
      return turning(crawl, 'unarchiving', at, { status: 'done', link_status, _unarchived_at: at });
    }
  }
}

/** Puts a crawl into a transitional state, which another one follows automatically. */
export function turning(
  crawl: StoredResource,
  status: string,
  at: number,
  to: Readonly<Record<string, unknown>>,
): StoredResource {
  return { ...crawl, status, _turn: { at, to } };
}

function workFrom(crawl: LaunchedCrawl, elapsed: number, since: number): Pick<LaunchedCrawl, '_work'> {
  return crawl._plan === undefined ? {} : { _work: { elapsed, since } };
}

/** Returns the crawl after its cancellation. A canceled crawl has no report (spec-notes.md 24). */
function cancelled(crawl: LaunchedCrawl, now: number): StoredResource {
  const { _work, ...rest } = crawl;
  const steps = stepsAt(crawl, now);
  return {
    ...rest,
    status: 'cancelled',
    end_reason: 'user_cancelled',
    ended_at: now,
    ...(crawl._plan === undefined ? {} : { ...reached(crawl._plan, steps), _stop: steps }),
    _worked: workedAt(crawl, now),
  };
}

/** Returns the crawl after its termination. The fetched pages are analyzed, or at least the start URL. */
function terminated(crawl: LaunchedCrawl, now: number): StoredResource {
  if (crawl._crawler !== undefined) return { ...crawl, status: 'terminating' };
  if (crawl._plan === undefined)
    return { ...crawl, status: 'done', end_reason: 'user_requested', ended_at: now };
  return {
    ...crawl,
    status: 'terminating',
    end_reason: 'user_requested',
    _stop: Math.max(1, stepsAt(crawl, now)),
    ...workFrom(crawl, Math.max(FETCH_END, workedAt(crawl, now)), now),
  };
}
