import type { RehearsedWarehouse } from '../../../../../src/app/answers/explore/rehearse/asked-rows.ts';

/** A shop whose sale page leads to a lamp and to two pages in a sitemap. */
export const url = (path: string): string => `https://shop.example${path}`;
const SITEMAP = url('/sitemap.xml');

export const page = (path: string, more: object = {}) => ({
  ...{ url: url(path), status_code: 200, depth: 1, state: 'indexable', is_robots_denied: false },
  ...{ redirect_location: null, script_redirect: null, meta_refresh_location: null, canonical_url: null },
  ...{ sitemaps: null, ...more },
});
const link = (origin: string, target: string) => ({ origin: url(origin), target: url(target) });

/** What the queries find, by a part of their SQL. */
const FOUND: Readonly<Record<string, readonly object[]>> = {
  'crawls.has_all_links, projects.start_url': [
    {
      ...{ crawl_id: 'c2', project_id: 'p', project: 'Shop', crawl_number: 2, scope_note: null },
      ...{ ended_at: '2026-03-09T03:00:00Z', has_links: true, has_all_links: true, start_url: url('/') },
    },
  ],
  'pages.sitemaps_file_origin': [
    page('/', { depth: 0 }),
    page('/sale', { sitemaps: SITEMAP }),
    page('/sale/lamp', { depth: 2, sitemaps: SITEMAP }),
    page('/lamps'),
    page('/lamps/red', { depth: 2, sitemaps: SITEMAP }),
    page('/lamps/blue', { depth: 3, state: 'noindex' }),
    page('/cart', { state: 'robots_denied', status_code: null, is_robots_denied: true }),
  ],
  'AND links.is_internal': [
    ...[link('/', '/sale'), link('/', '/lamps'), link('/', '/cart'), link('/sale', '/sale/lamp')],
    ...[link('/sale', '/lamps/red'), link('/lamps/red', '/lamps/blue'), link('/lamps', '/')],
  ],
  'FROM mart.crawl_files': [{ status_code: 200, content: 'User-agent: *\nDisallow: /cart\n' }],
  "'$.user_agent'": [{ user_agent: 'crawlhouse' }],
  'FROM mart.bots': [
    { token: 'bingbot', crawler: 'Bingbot', purpose: 'pages', found_in: 'user_agent' },
    { token: 'Googlebot', crawler: 'Googlebot', purpose: 'pages', found_in: 'user_agent' },
    { token: 'PerplexityBot', crawler: 'PerplexityBot', purpose: 'answers', found_in: 'user_agent' },
    { token: 'GPTBot', crawler: 'GPTBot', purpose: 'training', found_in: 'user_agent' },
  ],
  'FROM mart.log_days': [{ day: '2025-11-01' }, { day: '2026-03-07' }, { day: '2026-03-08' }],
  'FROM mart.log_url_days': [{ day: '2025-11-01' }, { day: '2026-03-07' }, { day: '2026-03-08' }],
  'AS is_checked': ['Bingbot', 'Googlebot', 'GPTBot'].map((crawler) => ({ crawler, is_checked: true })),
  'SELECT events.url, events.crawler': [
    { url: url('/sale'), crawler: 'Googlebot', hits: 5 },
    { url: url('/sale'), crawler: 'GPTBot', hits: 3 },
    { url: url('/lamps/red'), crawler: 'Googlebot', hits: 1 },
    { url: url('/sale/old'), crawler: 'Bingbot', hits: 2 },
  ],
  'FROM mart.ranking_days': [{ day: '2026-03-06' }, { day: '2026-03-07' }],
  'FROM mart.ranking_performance': [{ url: url('/sale'), clicks: 40, impressions: 900 }],
};

/** The new file: the sale is closed for all but Bing, and the cart is open to GPTBot. */
export const ROBOTS = `User-agent: *
Disallow: /cart
Disallow: /sale

User-agent: bingbot
Disallow: /cart

User-agent: GPTBot
Disallow: /sale
`;

/** @param more answers that come before those of the shop */
export function rehearsedSite(more: Readonly<Record<string, readonly object[]>> = {}): RehearsedWarehouse {
  const answers = [...Object.entries(more), ...Object.entries(FOUND)];
  const found = (sql: string): readonly Record<string, unknown>[] =>
    (answers.find(([part]) => sql.includes(part))?.[1] ?? []) as readonly Record<string, unknown>[];
  return {
    rows: async (sql) => [...found(sql)],
    each: async ({ sql }, take) => {
      const rows = found(sql);
      const names = Object.keys(rows[0] ?? {});
      const columns = names.map((name) => ({ name, type: 'VARCHAR' }));
      await take({ columns, rows: rows.map((row) => names.map((name) => row[name])) });
      return rows.length;
    },
  };
}
