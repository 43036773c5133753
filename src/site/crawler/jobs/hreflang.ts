import { hashOf, type JobTables } from './job-tables.ts';
import { UnionFind } from './union-find.ts';

const languages = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/**
 * Language versions. A page declares them by `link` elements, by headers or by a sitemap; a declaration in several
 * places counts once. Pages with a status of 200 to 299 count.
 *
 * - `hreflang_cluster_id`: the same for all pages that declarations join, in any direction, directly or via others.
 * - `hreflang_errors`, each once, with the wrong addresses or codes in `hreflang_error_details`: `invalid_lang` (no
 *   language, or no region, of that code), `duplicate_lang` (one code, several URLs), `missing_self` (the page declares
 *   versions, but not itself), `missing_return_link` (a version that was fetched does not declare the page),
 *   `target_not_indexable` (another language version has a status other than 200, is noindex, or is canonicalised to another URL;
 *   an `x-default` may redirect, as start pages do that send each visitor to their language), `relative_url` (an
 *   element lacks the scheme or host that Google requires; the language version still counts).
 *
 * Like Google, ignores the declarations of a page whose canonical is another page. They cause no errors and join no
 * pages.
 *
 * A language version that the crawl did not read is not an error, because it is unknown. One that was requested at the
 * end of the crawl and declares no versions may do so in a sitemap of its own.
 *
 * Source: https://developers.google.com/search/docs/specialty/international/localized-versions
 */
export async function hreflang(tables: JobTables): Promise<void> {
  await tables.make(
    'hreflang_versions',
    `WITH declared AS (
        SELECT pages.id, unnest(hreflang_langs) AS lang, unnest(hreflang_hrefs) AS href, unnest(hreflang_sources) AS source,
          CASE WHEN source = 'html' THEN 0 ELSE 1 END AS source_order
        FROM fetched_pages JOIN crawl_pages AS pages USING (url)
        WHERE fetched_pages.status_code BETWEEN 200 AND 299 AND hreflang_hrefs IS NOT NULL
        UNION ALL
        SELECT pages.id, lower(unnest(alternate_langs)), unnest(alternate_hrefs), 'sitemap', 2
        FROM sitemap_urls JOIN crawl_pages AS pages USING (url) WHERE pages.status_code BETWEEN 200 AND 299
      )
      SELECT declared.id, lang, href, arg_min(source, source_order) AS source, any_value(targets.id) AS target,
        any_value(facts.is_canonicalised) AS is_ignored
      FROM declared JOIN job_facts AS facts USING (id) LEFT JOIN crawl_pages AS targets ON targets.url = href
      GROUP BY declared.id, lang, href`,
  );
  await findErrors(tables);
  await findClusters(tables);
  await tables.make(
    'job_hreflang',
    `WITH versions AS (
        SELECT id, list(lang ORDER BY lang, href) AS langs, list(href ORDER BY lang, href) AS hrefs,
          list(source ORDER BY lang, href) AS sources
        FROM hreflang_versions GROUP BY id
      ), errors AS (
        SELECT id, list(error ORDER BY error) AS errors, to_json(map_from_entries(list((error, details) ORDER BY error))) AS details
        FROM hreflang_errors GROUP BY id
      )
      SELECT id, cluster, langs, hrefs, sources, errors, details
      FROM hreflang_clusters FULL JOIN versions USING (id) LEFT JOIN errors USING (id)`,
  );
}

/** Returns SQL for whether a language version is a start page that redirects each visitor to a language. */
function isChoosing(statusCode: string): string {
  return `coalesce(lang = 'x-default' AND ${statusCode} BETWEEN 300 AND 399, false)`;
}

async function findErrors(tables: JobTables): Promise<void> {
  await tables.make('hreflang_judged', 'SELECT * FROM hreflang_versions WHERE NOT is_ignored');
  const langs = await tables.texts('SELECT DISTINCT lang FROM hreflang_judged');
  const wrong = langs.filter((lang) => !isHreflang(lang));
  await tables.make(
    'hreflang_errors',
    `SELECT id, error, list_sort(list_distinct(list(detail))) AS details FROM (
        SELECT id, 'invalid_lang' AS error, lang AS detail FROM hreflang_judged
        WHERE list_contains(from_json($1, '["VARCHAR"]'), lang)
        UNION ALL
        SELECT id, 'duplicate_lang', lang FROM hreflang_judged GROUP BY id, lang HAVING count(DISTINCT href) > 1
        UNION ALL
        SELECT id, 'missing_self', pages.url FROM crawl_pages AS pages JOIN hreflang_judged AS versions USING (id)
        GROUP BY id, pages.url HAVING NOT bool_or(coalesce(versions.target = id, false))
        UNION ALL
        SELECT versions.id, 'missing_return_link', href FROM hreflang_judged AS versions
        JOIN crawl_pages AS targets ON targets.id = versions.target
        JOIN job_facts AS facts ON facts.id = targets.id
        WHERE targets.id <> versions.id AND targets.status_code BETWEEN 200 AND 299 AND NOT facts.is_canonicalised AND NOT EXISTS (
          SELECT 1 FROM hreflang_judged AS back WHERE back.id = versions.target AND back.target = versions.id
        )
        UNION ALL
        SELECT versions.id, 'missing_return_link', href FROM hreflang_judged AS versions
        JOIN crawl_pages AS pages USING (id) JOIN job_asked AS asked ON asked.url = href
        WHERE is_read AND len(hreflang_hrefs) > 0 AND NOT list_contains(hreflang_hrefs, pages.url)
        UNION ALL
        SELECT versions.id, 'target_not_indexable', href FROM hreflang_judged AS versions
        JOIN job_facts AS facts ON facts.id = versions.target JOIN crawl_pages AS targets ON targets.id = versions.target
        WHERE facts.id <> versions.id AND facts.is_indexable = false AND NOT ${isChoosing('targets.status_code')}
        UNION ALL
        SELECT versions.id, 'target_not_indexable', href FROM hreflang_judged AS versions
        JOIN job_asked AS asked ON asked.url = href
        WHERE is_read AND is_indexable = false AND NOT ${isChoosing('asked.status_code')}
        UNION ALL
        SELECT id, 'relative_url', unnest(relative_hreflangs) FROM fetched_pages JOIN crawl_pages AS pages USING (url)
        WHERE id IN (SELECT id FROM hreflang_judged)
      ) GROUP BY id, error`,
    [JSON.stringify(wrong)],
  );
}

async function findClusters(tables: JobTables): Promise<void> {
  await tables.make(
    'hreflang_nodes',
    `SELECT CAST(row_number() OVER (ORDER BY url) - 1 AS INTEGER) AS node, url FROM (
        SELECT href AS url FROM hreflang_judged
        UNION SELECT url FROM hreflang_judged JOIN crawl_pages USING (id)
      )`,
  );
  const nodes = await tables.count('SELECT count(*) FROM hreflang_nodes');
  const [from, to] = await tables.integers(`SELECT origins.node, targets.node FROM hreflang_judged AS versions
      JOIN crawl_pages AS pages USING (id) JOIN hreflang_nodes AS origins ON origins.url = pages.url
      JOIN hreflang_nodes AS targets ON targets.url = href`);
  const groups = new UnionFind(nodes);
  from?.forEach((node, index) => {
    groups.join(node, to?.[index] ?? node);
  });
  await tables.write(
    'hreflang_groups',
    { node: 'INTEGER', first: 'INTEGER' },
    Array.from({ length: nodes }, (_, node) => [node, groups.find(node)]),
  );
  // Numbers are in the order of the URLs, so the first member has the lowest URL.
  await tables.make(
    'hreflang_clusters',
    `SELECT pages.id, ${hashOf('firsts.url')} AS cluster
      FROM hreflang_nodes AS nodes JOIN hreflang_groups AS groups USING (node)
      JOIN hreflang_nodes AS firsts ON firsts.node = groups."first"
      JOIN crawl_pages AS pages ON pages.url = nodes.url`,
  );
}

/**
 * Returns whether search engines understand a code of a language version: `x-default`, or a language of ISO 639-1,
 * optionally with a script of ISO 15924 and a region of ISO 3166-1 alpha 2. `en-uk` has no region of that name, `gb`
 * alone no language.
 *
 * Source: https://developers.google.com/search/docs/specialty/international/localized-versions#language-codes
 */
function isHreflang(code: string): boolean {
  if (code === 'x-default') return true;
  const [, language, region] = /^([a-z]{2})(?:-[a-z]{4})?(?:-([a-z]{2}))?$/i.exec(code) ?? [];
  if (language === undefined || languages.of(language) === undefined) return false;
  return region === undefined || isRegion(region.toUpperCase());
}

/** Regions that Unicode names and ISO does not assign: it reserves them, or leaves them to users. */
const UNASSIGNED: ReadonlySet<string> = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ'.split(' '));

/** Returns whether a code is a region. Unicode also names aliases of a region: earlier codes, and `UK`. */
function isRegion(region: string): boolean {
  const isNamed = regions.of(region) !== undefined && !UNASSIGNED.has(region);
  return isNamed && new Intl.Locale(`und-${region}`).region === region;
}
