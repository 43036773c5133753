import { type GeneratedSite, hubs, isBroken, numberBelow, pageIn, plainSlot, urlOf } from './site.ts';

/** SQL for one row an item of structured data, each on a page that was fetched, of the first `pages` slots. */
export function itemFacts(site: GeneratedSite, rows: number, pages: number): string {
  const slots = `SELECT range AS n, ${plainSlot(`(${numberBelow(site, 'item page', 'range', pages)})`)} AS plain,
    ['Product', 'Article', 'Organization', 'BreadcrumbList'][1 + ${numberBelow(site, 'item type', 'range', 4)}] AS item_type FROM range(${rows})`;
  // The home page and those of sections are always there.
  const fetched = `SELECT *, CASE WHEN ${isBroken(site, 'plain')} THEN plain % ${hubs(site) + 1} ELSE plain END AS slot FROM (${slots})`;
  return `SELECT *, ${pageIn(site, 'slot')} AS page FROM (${fetched})`;
}

/** SQL for the fields of structured data, by name, over the columns of `itemFacts`. */
export function itemValues(site: GeneratedSite): Readonly<Record<string, string>> {
  return {
    url: urlOf(site, 'slot', 'page'),
    type: 'item_type',
    position: numberBelow(site, 'item position', 'n', 5),
    valid: `${numberBelow(site, 'item valid', 'n', 10)} > 0`,
  };
}
