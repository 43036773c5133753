import type { PageRecord } from '../records.ts';
import { distinct } from './text.ts';

/** Directives whose name is followed by a colon and a value. */
const WITH_VALUE = new Set(['max-snippet', 'max-image-preview', 'max-video-preview', 'unavailable_after']);

/**
 * The combined directives of robots meta tags and X-Robots-Tag headers. Directives are parted by commas, their case
 * does not count; the most restrictive one wins. A header may name the crawler that it speaks to: `token: directives`.
 * It counts if the token is the crawler's own. `none` is `noindex, nofollow`.
 *
 * Source: https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
 *
 * @param metas contents of `<meta name=robots>` and of `<meta name=TOKEN>`
 */
export function robotsDirectives(
  metas: readonly string[],
  headers: readonly string[],
  robotName: string,
): Pick<PageRecord, 'meta_robots' | 'meta_robots_index' | 'meta_robots_follow'> {
  const said = [...metas, ...headers.flatMap((header) => forRobot(header, robotName))].flatMap(directives);
  const has = (name: string): boolean => said.includes(name) || said.includes('none');
  return {
    meta_robots: distinct(said),
    meta_robots_index: !has('noindex'),
    meta_robots_follow: !has('nofollow'),
  };
}

/** The directives of a header that speak to the crawler: from its own token, or none, up to the next token. */
function forRobot(header: string, robotName: string): string[] {
  let isOurs = true;
  const ours: string[] = [];
  for (const piece of header.split(',')) {
    const named = /^\s*([^\s:]+)\s*:(.*)$/s.exec(piece);
    const name = named?.[1]?.toLowerCase();
    const isToken = name !== undefined && !WITH_VALUE.has(name);
    if (isToken) isOurs = name === robotName || name === '*';
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
