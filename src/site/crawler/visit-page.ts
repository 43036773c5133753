import { ownUrl } from '../../core/net/web-url.ts';
import { askedUrl, declaresSnapshot, snapshotUrl } from './ajax-crawling.ts';
import type { FetchedAnswer, Room } from './fetch/fetcher.ts';
import { type Doors, redirectTarget } from './fetch/pass-door.ts';
import { isPermanent } from './fetch/redirect-status.ts';
import type { QueuedUrl } from './frontier/frontier.ts';
import type { Scope } from './frontier/scope.ts';
import type { ResourceTools } from './render/resource-fetcher.ts';

export interface VisitTools extends ResourceTools {
  readonly scope: Scope;
  readonly doors: Doors;
}

/**
 * Fetches a page: after a door that cookies open, the page itself; if it declares a snapshot, the snapshot. The
 * response has the URL of the page.
 */
export async function visitPage(item: QueuedUrl, tools: VisitTools, room: Room): Promise<FetchedAnswer> {
  const { url } = item;
  /** Requests a further URL of the crawl's hosts, if allowed. */
  const ask = async (next: string): Promise<FetchedAnswer | null> => {
    const to = ownUrl(next);
    if (!tools.scope.isInternal(to)) return null;
    const rules = await tools.robots.rulesOf(to);
    if (rules.isUnavailable || !rules.isAllowed(next)) return null;
    await tools.pace.turn(to.host, rules.delayMs, tools.signal);
    return tools.fetcher.fetchPage(next, room);
  };
  const answer = await behindDoor(item, tools, room, ask);
  if (!tools.scope.isAjax || askedUrl(url) !== url || !declaresSnapshot(answer)) return answer;
  const snapshot = await ask(snapshotUrl(url));
  // Blocked, or the server has no snapshot and redirects back to the page.
  return snapshot === null || redirectTarget(snapshot) === url ? answer : { ...snapshot, url };
}

async function behindDoor(
  { url: text, depth }: QueuedUrl,
  { fetcher, doors }: VisitTools,
  room: Room,
  ask: (url: string) => Promise<FetchedAnswer | null>,
): Promise<FetchedAnswer> {
  const url = ownUrl(text);
  const before = fetcher.cookiesFor(url);
  const answer = { ...(await fetcher.fetchPage(askedUrl(text), room)), url: text };
  const hasNewCookie = fetcher.cookiesFor(url) !== before;
  // A cookie may only arrive on the way; the cookie of the start page opens the doors of the others.
  const mayOpen = hasNewCookie || depth === 0 || !isPermanent(answer.statusCode);
  if (before === null || !mayOpen) return answer;
  // With the same cookies, a URL has the same response.
  const asked = new Set([`${before} ${text}`]);
  return doors.pass(answer, hasNewCookie, async (next) => {
    const request = `${fetcher.cookiesFor(ownUrl(next))} ${next}`;
    if (asked.has(request)) return null;
    asked.add(request);
    return ask(next);
  });
}
