import { z } from 'zod';
import { ident } from '../../../../core/duckdb/duckdb.ts';
import { lookUp } from '../../../../core/text/look-up.ts';
import type { AskCrawls } from '../chosen-crawls.ts';
import { BESIDE_PAGES } from './beside-pages.ts';
import type { PageColumnTypes } from './page-conditions.ts';

/** Columns of `mart.rechecks`, with the names of `mart.pages`. */
const RECHECKED = [
  'crawl_id',
  'project_id',
  'url',
  'url_key',
  'status_code',
  'is_indexable',
  'canonical_url',
];

/**
 * Returns whether a page of an issue has a related URL, and whether a URL was only rechecked, so it is not a crawled
 * page.
 */
export async function foundRows(
  ask: AskCrawls,
  issue: string | undefined,
  crawl: string | null,
): Promise<Readonly<Record<'are_related' | 'are_rechecked', boolean>>> {
  const none = { are_related: false, are_rechecked: false };
  if (issue === undefined) return none;
  const [found] = await ask(
    z.strictObject({ are_related: z.boolean(), are_rechecked: z.boolean() }),
    `SELECT coalesce(bool_or(found.related_url IS NOT NULL), false) AS are_related,
       count(rechecks.url) > 0 AS are_rechecked
     FROM mart.page_issues AS found
     LEFT JOIN mart.rechecks AS rechecks ON rechecks.crawl_id = found.crawl_id AND rechecks.url = found.url
     WHERE found.crawl_id = $crawl AND found.issue = $issue`,
    { crawl, issue },
  );
  return found ?? none;
}

/** Returns the pages, and the URLs that the crawl only requested at its end, of which it knows few columns. */
export function withRechecked(types: PageColumnTypes): string {
  const names = [...types.keys()].filter((name) => !BESIDE_PAGES.has(name));
  const known: Readonly<Record<string, string>> = {
    ...Object.fromEntries(RECHECKED.map((name) => [name, `rechecks.${name}`])),
    redirect_location: 'rechecks.redirect_to_final_url',
  };
  const values = names.map(
    (name) => `${lookUp(known, name) ?? `CAST(NULL AS ${types.get(name)})`} AS ${ident(name)}`,
  );
  return `(
    SELECT ${names.map(ident).join(', ')} FROM mart.pages
    UNION ALL
    SELECT ${values.join(', ')} FROM mart.rechecks AS rechecks
    WHERE NOT EXISTS (
      SELECT 1 FROM mart.pages AS pages WHERE pages.crawl_id = rechecks.crawl_id AND pages.url = rechecks.url
    )
  )`;
}
