import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { inLowerMemory, withOneThread } from '../../../core/duckdb/lower-memory.ts';
import { isReadSql } from '../records/request-record.ts';
import { duplicates, SERIES } from './duplicates.ts';
import { hreflang } from './hreflang.ts';
import { JobTables, statusRange } from './job-tables.ts';
import { clusterSimilarities, nearDuplicates } from './near-duplicates.ts';
import { redirects } from './redirects.ts';
import { scoring } from './scoring.ts';
import { type TableOptions, writeTables } from './write-tables.ts';

/** N-grams that a page keeps. */
const TOP = 10;

/** Pages that are scored at a time: choosing the top n-grams holds the n-grams of all these pages in memory. */
const PAGES_AT_ONCE = 10_000;

/**
 * DuckDB's share of the memory limit. The rest is a reserve, because DuckDB keeps spillable tables in memory.
 */
const JOBS_SHARE = 2 / 3;

/**
 * The thirteen jobs of the service, in its order. Pages are parsed while they are fetched; the rest of `parse` is to
 * number them. A job reads the tables of earlier jobs.
 */
const JOBS = {
  parse: async (tables) => {
    await numberUrls(tables);
    await tables.make('job_missing', MISSING);
    await tables.make('job_facts', FACTS);
    await tables.make('job_asked', ASKED);
    await tables.make('job_declared', DECLARED);
    await tables.make('job_vitals', MEASURED);
    await tables.make('job_series', SERIES);
  },
  inlinks: (tables) => tables.make('job_inlinks', INLINKS),
  sitemaps: (tables) => tables.make('job_sitemaps', SITEMAPS),
  outlinks: (tables) => tables.make('job_outlinks', OUTLINKS),
  redirect: redirects,
  scoring,
  top_ngrams: topNgrams,
  hreflang,
  duplicate_description: (tables) => duplicates(tables, 'meta_description', 'job_same_description'),
  duplicate_title: (tables) => duplicates(tables, 'title', 'job_same_title'),
  duplicate_h1: (tables) => duplicates(tables, 'h1', 'job_same_h1'),
  duplicate_simhash: nearDuplicates,
  cluster_similarities: clusterSimilarities,
} as const satisfies Readonly<Record<string, (tables: JobTables) => Promise<void>>>;

export type JobName = keyof typeof JOBS;

export const JOB_NAMES = Object.keys(JOBS) as readonly JobName[];

/**
 * Makes the tables `pages`, `links`, `clusters`, `structured_data` and `requests` of a crawl from `fetched_pages`,
 * `fetched_links`, `fetched_items`, `sitemap_urls`, `missing_pages`, `vitals` and `other_requests` in the connection's
 * database. They have the service's fields (`fields.ts`). Tables in between are temporary. Run again, it makes the same
 * tables.
 */
export async function runJobs(
  connection: Connection,
  options: TableOptions & {
    /** Called when a job begins and when it is done. */
    readonly onJob?: (name: JobName, status: 'running' | 'done') => void;
  } = {},
): Promise<void> {
  const { signal, onJob = () => {} } = options;
  const tables = new JobTables(connection, signal);
  try {
    await inLowerMemory(connection, JOBS_SHARE, async (attempt) => {
      for (const name of JOB_NAMES) {
        signal?.throwIfAborted();
        onJob(name, 'running');
        await attempt(() => JOBS[name](tables));
        onJob(name, 'done');
      }
    });
    // Each thread needs memory for each of the many joins and columns.
    await withOneThread(connection, () => writeTables(connection, options));
  } finally {
    await tables.drop();
  }
}

/**
 * The states of the pages that pages declare in addition to canonical and language versions: the previous and next page
 * in a series, and AMP versions. Pages with a status of 200 to 299 count. If the crawl neither fetched the page nor
 * requested it at its end, or was refused, the state is unknown, except that robots.txt blocks it.
 */
const DECLARED = `WITH declared AS (
    SELECT pages.id, unnest(['amp', 'next', 'prev']) AS kind, unnest([amp_url, rel_next, rel_prev]) AS href
    FROM fetched_pages JOIN crawl_pages AS pages USING (url) WHERE pages.status_code BETWEEN 200 AND 299
  ), targets AS (
    SELECT url, status_code, is_indexable FROM crawl_pages JOIN job_facts USING (id)
    UNION ALL SELECT url, status_code, is_indexable FROM job_asked WHERE is_read
  ), judged AS (
    SELECT declared.id, kind, targets.status_code,
      CASE WHEN targets.status_code >= 400 THEN 'target_missing' WHEN targets.status_code BETWEEN 300 AND 399 THEN 'target_redirects'
        WHEN NOT targets.is_indexable THEN 'target_not_indexable' END AS error
    FROM declared JOIN targets ON targets.url = href
  )
  SELECT id, any_value(status_code) FILTER (kind = 'amp') AS amp_status,
    list_sort(list(DISTINCT error) FILTER (kind <> 'amp' AND error IS NOT NULL)) AS errors
  FROM judged GROUP BY id`;

const INDEX_FILE = '/(?:index|default)[.][a-z]{3,5}$';

/**
 * Facts about pages that several jobs need. `is_html`: HTML with status 200, without application shells. The texts of
 * these pages are compared. `canonical_id`: the page of the crawl that it declares as its canonical, itself included;
 * of an `index.html` without a canonical, the page of its folder.
 */
const FACTS = `SELECT pages.id, coalesce(fetched_pages.status_code = 200 AND parsed_html AND NOT coalesce(is_shell, false), false) AS is_html,
    fetched_pages.rel_canonical IS NOT NULL AS has_canonical, coalesce(targets.id, folders.id) AS canonical_id,
    coalesce(rel_canonical <> fetched_pages.url, false) AS is_canonicalised,
    coalesce(NOT meta_robots_index, false) AS is_noindex,
    fetched_pages.indexable AS is_indexable
  FROM fetched_pages JOIN crawl_pages AS pages USING (url) LEFT JOIN job_missing ON job_missing.id = pages.id
  LEFT JOIN crawl_pages AS targets ON targets.url = rel_canonical
  LEFT JOIN crawl_pages AS folders ON folders.url = CASE WHEN rel_canonical IS NULL AND regexp_matches(fetched_pages.url, '${INDEX_FILE}')
    THEN regexp_replace(fetched_pages.url, '${INDEX_FILE}', '/') END`;

/** Facts about URLs that are not pages of the crawl and were requested after them. */
const ASKED = `SELECT urls.id, any_value(url) AS url, any_value(asked.status_code) AS status_code,
    any_value(${isReadSql('asked.status_code')}) AS is_read, any_value(is_indexable) AS is_indexable,
    any_value(redirect_location) AS redirect_location, any_value(hreflang_hrefs) AS hreflang_hrefs
  FROM other_requests AS asked JOIN crawl_urls AS urls USING (url)
  WHERE kind IN ('recheck', 'target') AND NOT is_page GROUP BY urls.id`;

/**
 * Links to each page from other pages of the crawl, counted as often as they occur. A page's links to itself do not
 * count, so a page whose only inlink is its own "skip to content" link is not linked.
 */
const INLINKS = `SELECT target AS id, count(*) AS links, count(*) FILTER (follow) AS followed
  FROM crawl_links WHERE is_page AND origin <> target GROUP BY target`;

/** Fingerprints of 60 bits with at most this many different ones are similar. */
const FARTHEST = 8;
/** The shell of an application has fewer words than this. */
const MOST_SHELL_WORDS = 50;

/**
 * Whether pages are like the response for a page that does not exist: the same title, and near-duplicate content. For
 * rendered pages whose text is too short to compare, H1 and number of words count; for others the result is unknown,
 * null. The start page is exempt if its host sends it for every path.
 *
 * `is_shell`: the page is the shell of an application, which its host sends for every path, and whose scripts were not
 * run: it runs scripts, has fewer than 50 words, and these and its title are those of the response for a page that does
 * not exist. The start page of its host has them too. If the start page links to other pages, nine in ten pages of the
 * host must be alike.
 */
const MISSING = `WITH compared AS (
    SELECT pages.id, depth, missing.origin, missing.status_code AS missing_status, urlpath,
      fetched.title IS NOT DISTINCT FROM missing.title AS is_same_title, fetched.simhash, missing.simhash AS missing_simhash,
      CASE WHEN fetched.simhash IS NULL AND missing.simhash IS NULL AND rendered AND fetched.word_count > 0
        THEN fetched.word_count = missing.word_count AND fetched.h1 IS NOT DISTINCT FROM missing.h1 END AS is_same_short,
      coalesce(missing.status_code BETWEEN 200 AND 299 AND has_script AND NOT coalesce(rendered, false)
        AND fetched.title IS NOT DISTINCT FROM missing.title AND fetched.simhash IS NOT DISTINCT FROM missing.simhash
        AND fetched.word_count < ${MOST_SHELL_WORDS}, false) AS may_be_shell,
      pages.id IN (SELECT origin FROM crawl_links WHERE intern AND origin <> target) AS has_links
    FROM fetched_pages AS fetched JOIN crawl_pages AS pages USING (url)
    JOIN missing_pages AS missing ON missing.origin = regexp_extract(fetched.url, '^[a-z]+://[^/]+')
    WHERE fetched.parsed_html AND fetched.status_code BETWEEN 200 AND 299
  ), hosts AS (
    SELECT origin, bool_or(may_be_shell AND NOT has_links AND (depth = 0 OR urlpath = '/')) AS is_bare,
      bool_or(may_be_shell AND (depth = 0 OR urlpath = '/'))
        AND count(*) > 1 AND count(*) FILTER (may_be_shell) >= 0.9 * count(*) AS is_one_shell
    FROM compared GROUP BY origin
  ), judged AS (
    SELECT compared.*, may_be_shell AND (is_bare AND NOT has_links OR is_one_shell) AS is_shell
    FROM compared JOIN hosts USING (origin)
  )
  SELECT id, is_shell,
    CASE WHEN missing_status NOT BETWEEN 200 AND 299 OR urlpath = '/' OR NOT is_same_title OR is_shell THEN false
      ELSE coalesce(bit_count(xor(simhash, missing_simhash)) <= ${FARTHEST}, is_same_short) END AS is_alike
  FROM judged`;

/**
 * Gives every URL of the crawl a number, so that the jobs join and compute with integers. The number of a page is its
 * row in `fetched_pages`; other targets of links and redirects follow. `crawl_links` contains the links with numbers.
 */
async function numberUrls(tables: JobTables): Promise<void> {
  await tables.make(
    'crawl_pages',
    `SELECT CAST(rowid AS INTEGER) AS id, url, status_code, fetched FROM fetched_pages`,
  );
  await tables.make(
    'crawl_urls',
    `WITH others AS (
        SELECT target AS url FROM fetched_links
        UNION SELECT redirect_location FROM fetched_pages WHERE redirect_location IS NOT NULL
        UNION SELECT url FROM other_requests WHERE kind IN ('recheck', 'target')
        UNION SELECT redirect_location FROM other_requests WHERE redirect_location IS NOT NULL
      ), numbered AS (
        SELECT id, url, true AS is_page, status_code, fetched FROM crawl_pages
        UNION ALL
        SELECT CAST((SELECT coalesce(max(id), -1) FROM crawl_pages) + row_number() OVER () AS INTEGER), url, false, NULL, NULL
        FROM others ANTI JOIN crawl_pages USING (url)
      )
      SELECT id, url, is_page, status_code, ${statusRange('status_code')} AS status_code_range, fetched, ${urlPartsSql('url')}
      FROM numbered`,
  );
  await tables.make(
    'crawl_links',
    `SELECT origins.id AS origin, targets.id AS target, targets.is_page, anchor, follow, intern, rel, is_image, link_position
      FROM fetched_links AS links
      JOIN crawl_pages AS origins ON origins.url = links.origin
      JOIN (SELECT id, url, is_page FROM crawl_urls) AS targets ON targets.url = links.target`,
  );
}

/** Returns SQL for the parts of a normalized URL, equal to those of `urlParts`. */
export function urlPartsSql(url: string): string {
  const bare = `split_part(${url}, '#', 1)`;
  const rest = `substr(${bare}, strpos(${bare}, '://') + 3)`;
  const query = `nullif(CASE WHEN contains(${bare}, '?') THEN substr(${bare}, strpos(${bare}, '?') + 1) END, '')`;
  const path = `split_part(substr(${rest}, strpos(${rest}, '/')), '?', 1)`;
  return `regexp_replace(split_part(${rest}, '/', 1), '^.*@', '') AS host,
    ${path} AS path,
    regexp_extract(${path}, '^/(?:[^/]*/)?') AS first_path,
    lower(nullif(regexp_extract(${path}, '\\.([A-Za-z0-9]{1,8})$', 1), '')) AS ext,
    ${query} IS NOT NULL AS has_params,
    array_to_string(list_transform(string_split(${query}, '&'), lambda part: split_part(part, '=', 1)), '&') AS querystring_key,
    ${query} AS querystring_keyvalue`;
}

/** Links of each page, counted as often as they occur, including links to the page itself. */
const OUTLINKS = `SELECT origin AS id,
    count(*) FILTER (intern) AS internal, count(*) FILTER (intern AND follow) AS internal_followed,
    count(*) FILTER (NOT intern) AS "external", count(*) FILTER (NOT intern AND follow) AS external_followed,
    count(*) FILTER (origin = target) AS to_itself
  FROM crawl_links GROUP BY origin`;

/**
 * Facts from the sitemaps about each page: the files that list it, and the number of its images, news, videos and
 * language versions. If several files list the page, the largest number counts, because the files mostly list the same
 * items.
 *
 * Source: https://www.sitemaps.org/protocol.html and its extensions.
 */
const SITEMAPS = `SELECT id, list_sort(list_distinct(list(sitemap))) AS files, max(coalesce(len(alternate_hrefs), 0)) AS alternates,
    max(num_images) AS images, max(num_news) AS news, max(num_videos) AS videos
  FROM sitemap_urls JOIN crawl_pages USING (url) GROUP BY id`;

/**
 * The n-grams that describe a page: the candidates with the highest product of their frequency on the page and their
 * rarity, `count × ln(pages / pages with it)`. Words on all pages, such as the words of a template or "the", weigh
 * nothing, in any language. A crawl of one page keeps the most frequent ones.
 *
 * Source: K. Spärck Jones, "A statistical interpretation of term specificity" (1972).
 */
async function topNgrams(tables: JobTables): Promise<void> {
  await tables.make(
    'ngram_spread',
    `SELECT hash(gram.ngram) AS gram_hash, count(*) AS pages
      FROM (SELECT unnest(ngrams) AS gram FROM fetched_pages) GROUP BY gram_hash HAVING count(*) > 1`,
  );
  const pages = await tables.count('SELECT count(*) FROM fetched_pages WHERE ngrams IS NOT NULL');
  const end = await tables.count('SELECT coalesce(max(rowid) + 1, 0) FROM fetched_pages');
  for (let start = 0; start < end || start === 0; start += PAGES_AT_ONCE) {
    if (start === 0) await tables.make('job_ngrams', topOf(start, pages));
    else await tables.add('job_ngrams', topOf(start, pages));
  }
}

function topOf(start: number, pages: number): string {
  const rarity = pages === 1 ? '1' : `ln(${pages} / coalesce(spread.pages, 1))`;
  return `SELECT id, max({weight: round(weight, 6), ngram: gram.ngram, n: gram.n, count: gram.count}, ${TOP}) AS grams
    FROM (
      SELECT id, gram, gram.count * ${rarity} AS weight FROM (
        SELECT rowid AS id, unnest(ngrams) AS gram FROM fetched_pages
        WHERE rowid >= ${start} AND rowid < ${start + PAGES_AT_ONCE}
      ) LEFT JOIN ngram_spread AS spread ON gram_hash = hash(gram.ngram)
    ) WHERE weight > 0 GROUP BY id`;
}

/** The web vitals of pages, by the pages' numbers. */
const MEASURED = `SELECT pages.id, vitals.* EXCLUDE (url) FROM vitals JOIN crawl_pages AS pages USING (url)`;
