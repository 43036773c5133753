import type { PageRecord } from '../records/records.ts';
import { distinct } from './text/text.ts';

/** Directives whose name is followed by a colon and a value. */
const WITH_VALUE = new Set(['max-snippet', 'max-image-preview', 'max-video-preview', 'unavailable_after']);

/** Robots of search engines that pages address by name. */
export const ROBOTS = [
  'googlebot',
  'googlebot-news',
  'bingbot',
  'yandex',
  'duckduckbot',
  'applebot',
  'baiduspider',
];

/**
 * Returns the combined directives of robots meta tags and X-Robots-Tag headers. Directives are separated by commas and
 * ignore case, and the most restrictive one wins. A header may name a crawler, as in `token: directives`. Such a header
 * counts only if the token is the crawler's own. `none` is `noindex, nofollow`.
 *
 * Source: https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
 *
 * `unavailable_after` with a past day is `noindex`.
 *
 * `noindex_robots`: the robots of search engines other than `robotName` that have noindex, as by `<meta name=googlebot
 * content=noindex>`.
 *
 * @param metas of the page; those for robots and for `robotName` count
 * @param now when the page was fetched
 */
export function robotsDirectives(
  metas: readonly { readonly name: string; readonly content: string }[],
  headers: readonly string[],
  { robotName, now }: { readonly robotName: string; readonly now: Date },
) {
  const named = (robot: string): string[] =>
    metas.filter(({ name }) => name === robot).map(({ content }) => content);
  const isNoindex = (contents: readonly string[]): boolean =>
    contents.flatMap(directives).some((one) => one === 'noindex' || one === 'none') ||
    contents.some((content) => isPast(content, now));
  const own = headers.flatMap((header) => forRobot(header, robotName));
  const contents = [...named('robots'), ...named(robotName), ...own];
  const said = contents.flatMap(directives);
  const others = ROBOTS.filter((robot) => {
    const told = headers.flatMap((header) => forRobot(header, robot, false));
    return robot !== robotName && isNoindex([...named(robot), ...told]);
  });
  return {
    meta_robots: distinct(said),
    meta_robots_index: !isNoindex(contents),
    meta_robots_follow: !said.includes('nofollow') && !said.includes('none'),
    noindex_robots: distinct(others),
  } satisfies Partial<PageRecord>;
}

/**
 * Returns whether an `unavailable_after` time is in the past. Dates may contain commas, so the longest valid piece
 * counts.
 */
function isPast(content: string, now: Date): boolean {
  const [, ...dates] = content.split(/unavailable_after\s*:/i);
  return dates.some((text) => {
    const pieces = text.split(',', 3);
    const time = [3, 2, 1].map((count) => timeOf(pieces.slice(0, count).join())).find(Number.isFinite);
    return time !== undefined && time < now.getTime();
  });
}

/**
 * Returns the milliseconds of an RFC 822, RFC 850 or ISO 8601 date. If the time zone has no offset in these formats
 * (CET), only the day counts.
 */
function timeOf(text: string): number {
  const date = text
    .trim()
    .replace(/^[a-z]+day\s*,/i, '')
    .replace(/^(\d{4})(\d\d)(\d\d)(?:T[\d.]+Z?)?$/i, '$1-$2-$3');
  const time = Date.parse(date);
  return Number.isNaN(time) ? Date.parse(date.replace(/\s[a-z]{3,5}$/i, '')) : time;
}

/** Returns the directives of a header for the crawler: from its own token, or none, up to the next token. */
function forRobot(header: string, robotName: string, isForAll = true): string[] {
  let isOurs = isForAll;
  const ours: string[] = [];
  for (const piece of header.split(',')) {
    const named = /^\s*([a-z*][^\s:]*)\s*:(.*)$/is.exec(piece);
    const name = named?.[1]?.toLowerCase();
    const isToken = name !== undefined && !WITH_VALUE.has(name);
    if (isToken) isOurs = name === robotName || (isForAll && name === '*');
    if (isOurs) ours.push((isToken ? named?.[2] : piece) ?? '');
  }
  return ours.length === 0 ? [] : [ours.join(',')];
}

function directives(content: string): string[] {
  return content
    .toLowerCase()
    .split(',')
    .map((piece) => piece.replaceAll(/\s+/g, ' ').replace(/ ?: ?/, ':').trim())
    .filter((piece) => piece !== '');
}
