import { ownUrl } from '../../core/web-url.ts';
import { askedUrl, declaresSnapshot, snapshotUrl } from './ajax-crawling.ts';
import type { Answer, Fetcher, Room } from './fetcher.ts';
import type { QueuedUrl } from './frontier.ts';
import type { Pace } from './pace.ts';
import { passDoor, redirectTarget } from './pass-door.ts';
import type { RobotsCache } from './robots-cache.ts';

export interface VisitTools {
  readonly fetcher: Fetcher;
  readonly robots: RobotsCache;
  readonly pace: Pace;
  readonly signal: AbortSignal;
  /** Whether pages are asked for by the scheme of `_escaped_fragment_`. */
  readonly isAjax: boolean;
}

/**
 * Fetches a page: behind a door that cookies open, the page behind it; of one that declares a snapshot, the snapshot. The
 * answer has the URL of the page.
 */
export async function visitPage(item: QueuedUrl, tools: VisitTools, room: Room): Promise<Answer> {
  const { url } = item;
  const { host } = ownUrl(url);
  /** Asks for a further URL of the host, if it may be asked for. */
  const ask = async (next: string): Promise<Answer | null> => {
    const to = ownUrl(next);
    if (to.host !== host) return null;
    const rules = await tools.robots.rulesOf(to);
    if (rules.isUnavailable || !rules.isAllowed(next)) return null;
    await tools.pace.turn(to.host, rules.delayMs, tools.signal);
    return tools.fetcher.fetchPage(next, room);
  };
  const answer = await behindDoor(item, tools, { room, ask });
  if (!tools.isAjax || askedUrl(url) !== url || !declaresSnapshot(answer)) return answer;
  const snapshot = await ask(snapshotUrl(url));
  // Denied, or the server has none and leads back to the page.
  return snapshot === null || redirectTarget(snapshot) === url ? answer : { ...snapshot, url };
}

interface Asking {
  readonly room: Room;
  readonly ask: (url: string) => Promise<Answer | null>;
}

async function behindDoor(
  { url: text, depth }: QueuedUrl,
  { fetcher }: VisitTools,
  { room, ask }: Asking,
): Promise<Answer> {
  const url = ownUrl(text);
  const before = fetcher.cookiesFor(url);
  const answer = { ...(await fetcher.fetchPage(askedUrl(text), room)), url: text };
  const after = fetcher.cookiesFor(url);
  // A cookie may come only on the way; that of the start page opens the doors of the others.
  if (after === null || redirectTarget(answer) === null || (before === after && depth !== 0)) return answer;
  return passDoor(answer, ask);
}
