import type { PageRecord } from '../records/records.ts';
import { distinct } from './text/text.ts';

/** Directives whose name is followed by a colon and a value. */
const WITH_VALUE = new Set(['max-snippet', 'max-image-preview', 'max-video-preview', 'unavailable_after']);

/** Robots of search engines that pages speak to by name. */
const ROBOTS = ['googlebot', 'googlebot-news', 'bingbot', 'yandex', 'duckduckbot', 'applebot', 'baiduspider'];

/**
 * The combined directives of robots meta tags and X-Robots-Tag headers. Directives are parted by commas, their case
 * does not count; the most restrictive one wins. A header may name the crawler that it speaks to: `token: directives`.
 * It counts if the token is the crawler's own. `none` is `noindex, nofollow`.
 *
 * Source: https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
 *
 * `unavailable_after` with a day that is past is `noindex`.
 *
 * @param metas contents of `<meta name=robots>` and of `<meta name=TOKEN>`
 * @param now when the page was fetched
 */
export function robotsDirectives(
  metas: readonly string[],
  headers: readonly string[],
  { robotName, now }: { readonly robotName: string; readonly now: Date },
): Pick<PageRecord, 'meta_robots' | 'meta_robots_index' | 'meta_robots_follow'> {
  const contents = [...metas, ...headers.flatMap((header) => forRobot(header, robotName))];
  const said = contents.flatMap(directives);
  const isOver = contents.some((content) => isPast(content, now));
  const has = (name: string): boolean => said.includes(name) || said.includes('none');
  return {
    meta_robots: distinct(said),
    meta_robots_index: !has('noindex') && !isOver,
    meta_robots_follow: !has('nofollow'),
  };
}

/** The robots of search engines other than `robotName` that are told noindex, as `<meta name=googlebot content=noindex>` does. */
export function noindexRobots(
  metas: readonly { readonly name: string; readonly content: string }[],
  headers: readonly string[],
  { robotName, now }: { readonly robotName: string; readonly now: Date },
): string[] | null {
  const isNoindex = (contents: readonly string[]): boolean =>
    contents.flatMap(directives).some((one) => one === 'noindex' || one === 'none') ||
    contents.some((content) => isPast(content, now));
  return distinct(
    ROBOTS.filter(
      (robot) =>
        robot !== robotName &&
        (isNoindex(metas.filter(({ name }) => name === robot).map(({ content }) => content)) ||
          isNoindex(headers.flatMap((header) => forRobot(header, robot, false)))),
    ),
  );
}

/** Whether `unavailable_after` names a time that is past; its dates have commas too. */
function isPast(content: string, now: Date): boolean {
  const [, date] =
    /unavailable_after\s*:\s*(.*?)\s*(?:,\s*[a-z][a-z-]*\s*(?::[^0-9]|,|$)|$)/is.exec(content) ?? [];
  const time = Date.parse(date?.replace(/^[a-z]+day\s*,/i, '') ?? '');
  return !Number.isNaN(time) && time < now.getTime();
}

/** The directives of a header that speak to the crawler: from its own token, or none, up to the next token. */
function forRobot(header: string, robotName: string, isForAll = true): string[] {
  let isOurs = isForAll;
  const ours: string[] = [];
  for (const piece of header.split(',')) {
    const named = /^\s*([^\s:]+)\s*:(.*)$/s.exec(piece);
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
