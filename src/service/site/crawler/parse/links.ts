import type { LinkRecord } from '../records/records.ts';
import type { Anchor } from './read-document.ts';
import { collapsed } from './text/text.ts';

const QUALIFIERS = ['nofollow', 'ugc', 'sponsored'];

/** An address of a page, resolved. */
export interface Resolved {
  readonly url: string;
  readonly isInternal: boolean;
}

/**
 * The links of a page: each `a` or `area` with an `href` that leads to http or https, as often as it stands there, in
 * the order of the document. Links to a place on the page itself are links to the page.
 *
 * - `anchor`: the text, else the `alt` of the images in it, else the accessible name. `is_image`: images, but no text.
 * - `follow`: false when `rel` has nofollow, ugc or sponsored, or the page's robots directives say nofollow. Search
 *   engines take each of the three as a hint not to follow, and read commas between them too.
 *
 * Source: https://developers.google.com/search/docs/crawling-indexing/qualify-outbound-links
 */
export function linkRecords(
  origin: string,
  anchors: readonly Anchor[],
  isFollowed: boolean,
  resolve: (href: string) => Resolved | null,
): LinkRecord[] {
  const records: LinkRecord[] = [];
  for (const { href, rel, position, text, alt, name } of anchors) {
    const target = resolve(href);
    if (target === null) continue;
    const said = collapsed(text);
    const rels = rel.flatMap((one) => one.split(','));
    const qualified = QUALIFIERS.filter((name) => rels.includes(name));
    records.push({
      origin,
      target: target.url,
      anchor: said ?? (alt === null ? null : collapsed(alt)) ?? name,
      follow: isFollowed && qualified.length === 0,
      intern: target.isInternal,
      rel: qualified.length === 0 ? null : qualified,
      is_image: said === null && alt !== null,
      link_position: position,
    });
  }
  return records;
}
