import type { PageRecord } from '../records.ts';
import { collapsed } from './text.ts';

/** Names that a page may not give its card: they would not be plain keys of an object. */
const card = (): Record<string, string> => Object.create(null) as Record<string, string>;

/**
 * OpenGraph and Twitter cards: the `meta` elements whose property or name begins with `og:` (or one of its objects,
 * `article:`, `book:`, `profile:`, `product:`, `video:`, `music:`, `fb:`) and with `twitter:`. Keys are the whole names;
 * of several with one name the first counts.
 *
 * Sources: https://ogp.me, https://developer.x.com/en/docs/x-for-websites/cards/overview/markup
 */
export function cards(
  metas: readonly { readonly name: string; readonly content: string }[],
): Pick<PageRecord, 'ogp_title' | 'ogp_type' | 'ogp_card' | 'twc_card'> {
  const ogp = card();
  const twc = card();
  for (const { name, content } of metas) {
    const target = /^(?:og|article|book|profile|product|video|music|fb):./.test(name)
      ? ogp
      : /^twitter:./.test(name)
        ? twc
        : null;
    const value = target === null || Object.hasOwn(target, name) ? null : collapsed(content);
    if (target !== null && value !== null) target[name] = value;
  }
  return {
    ogp_title: ogp['og:title'] ?? null,
    ogp_type: ogp['og:type'] ?? null,
    ogp_card: Object.keys(ogp).length === 0 ? null : ogp,
    twc_card: Object.keys(twc).length === 0 ? null : twc,
  };
}
