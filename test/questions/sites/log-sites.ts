import { at, type Crawl, dataset, type Project, pagesOf, type Row } from './sites.ts';

/** A site with log files of all kinds of senders, days without them, counts in place of lines; and one never crawled. */

const url = (path: string): string => `https://l.example${path}`;
const line = (day: string, path: string, values: Row = {}): Row => ({
  day,
  url: url(path),
  status_code: 200,
  user_agent: null,
  is_bot: null,
  is_seo_visit: null,
  ...values,
});
const GOOGLE = {
  user_agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  is_bot: true,
};
const IMAGES = { user_agent: 'GOOGLEBOT-IMAGE/1.0', is_bot: true };
const BING = { user_agent: 'mozilla (compatible; BINGBOT/2.0)', is_bot: true };
const NONE = { user_agent: 'Firefox', is_bot: false };

const LINES = [
  // Before any crawl.
  line('2026-03-18', '/a/1', { ...GOOGLE, is_seo_visit: false }),
  line('2026-03-18', '/', { ...BING, status_code: 301 }),
  // The day on which the first crawl ends, half an hour before midnight.
  line('2026-03-20', '/a/1', GOOGLE),
  line('2026-03-20', '/a/1', { ...GOOGLE, status_code: 304 }),
  line('2026-03-20', '/a/1', IMAGES),
  line('2026-03-20', '/a/2', { ...GOOGLE, status_code: 404 }),
  line('2026-03-20', '/a/redirects', { ...BING, status_code: 302 }),
  line('2026-03-20', '/a/redirects', { ...BING, status_code: null }),
  line('2026-03-20', '/a/unchanged', { ...GOOGLE, status_code: null }),
  line('2026-03-20', '/a/denied', { ...BING, status_code: 404 }),
  line('2026-03-20', '/a/noindex', { ...BING, status_code: 999 }),
  line('2026-03-20', '/a/noindex', BING),
  line('2026-03-20', '/a/canonicalised', GOOGLE),
  line('2026-03-20', '/a/list?page=2', GOOGLE),
  line('2026-03-20', '/a/says-no-params?x', GOOGLE),
  line('2026-03-20', '/b/unknown?x=1', GOOGLE),
  line('2026-03-20', '/b/unknown', GOOGLE),
  // URLs that the crawl does not know, by who asked for them and what they were told last.
  line('2026-03-20', '/o/told', { ...GOOGLE, event_date: '2026-03-20 10:00:00+00', status_code: 500 }),
  line('2026-03-20', '/o/told', { ...NONE, event_date: '2026-03-20 13:00:00+02', status_code: 404 }),
  line('2026-03-20', '/o/told', { ...NONE, event_date: '2026-03-20 11:00:00+00', status_code: 410 }),
  line('2026-03-20', '/o/told', { ...NONE, event_date: '2026-03-20 12:00:00+00', status_code: null }),
  line('2026-03-20', '/o/told', { ...NONE, status_code: 301 }),
  line('2026-03-21', '/o/told', { ...NONE, status_code: 200 }),
  line('2026-03-20', '/o/people', { ...NONE, is_seo_visit: false }),
  line('2026-03-20', '/o/tool', { user_agent: 'AhrefsBot', is_bot: true }),
  line('2026-03-20', '/o/visited', { ...NONE, is_seo_visit: true }),
  line('2026-03-30', '/o/both', { ...BING, event_date: '2026-03-30 10:00:00+00', status_code: 503 }),
  line('2026-03-20', '/b/alone', GOOGLE),
  line('2026-03-20', '/', GOOGLE),
  // Senders: of two tokens the longer one, bots of ads, tools, AI, previews, and who only says so.
  line('2026-03-21', '/a/1', { user_agent: 'Googlebot AdsBot-Google-Mobile', is_bot: true }),
  line('2026-03-21', '/a/1', { user_agent: 'AhrefsBot/7.0', is_bot: true }),
  line('2026-03-21', '/a/1', { user_agent: 'GPTBot/1.2', is_bot: true, bot_kind: 'seo' }),
  line('2026-03-21', '/a/1', { user_agent: 'ClaudeBot/1.0', is_bot: false, status_code: 304 }),
  line('2026-03-21', '/a/1', { user_agent: 'ClaudeBot/1.0', is_bot: null, status_code: 503 }),
  line('2026-03-21', '/a/1', { user_agent: 'facebookexternalhit/1.1', is_bot: true }),
  line('2026-03-21', '/b/unknown', { user_agent: 'PerplexityBot', is_bot: true, status_code: null }),
  line('2026-03-21', '/a/2', {
    user_agent: 'SomeBot',
    is_bot: true,
    bot: 'SomeBot',
    bot_kind: 'seo',
    search_engine: 'some',
  }),
  line('2026-03-21', '/a/2', { user_agent: 'SomeBot', is_bot: true, bot_kind: 'vertical' }),
  line('2026-03-21', '/a/3', { user_agent: 'SomeBot', is_bot: true, bot_kind: 'sea' }),
  line('2026-03-21', '/a/3', { user_agent: 'SomeBot', is_bot: true }),
  line('2026-03-21', '/a/3', { user_agent: 'SomeBot', is_bot: false, bot_kind: 'seo' }),
  line('2026-03-21', '/a/3', { bot: 'Googlebot', is_bot: true }),
  line('2026-03-21', '/a/4', { bot: 'bingbot', is_bot: null }),
  // By their addresses: who is what it says, who is not, and who may be. A refuted one is no visit either.
  line('2026-03-20', '/b/alone', { ...GOOGLE, bot_verification: 'verified' }),
  line('2026-03-20', '/a/2', { ...GOOGLE, bot_verification: 'refuted', bot_kind: 'seo', status_code: 403 }),
  line('2026-03-20', '/o/forged', { ...BING, bot_verification: 'refuted', is_bot: null, is_seo_visit: true }),
  line('2026-03-29', '/a/1', { ...BING, bot_verification: 'refuted', is_bot: false, is_seo_visit: true }),
  line('2026-03-29', '/a/1', { ...BING, bot_verification: 'unchecked' }),
  line('2026-03-29', '/new', { user_agent: 'GPTBot/1.2', is_bot: true, bot_verification: 'refuted' }),
  line('2026-03-29', '/new', { user_agent: 'GPTBot/1.2', is_bot: true, bot_verification: 'verified' }),
  // Nothing says who sent it.
  line('2026-03-21', '/b/alone', {}),
  line('2026-03-21', '/b/alone', GOOGLE),
  line('2026-03-21', '/b/alone', { is_seo_visit: true }),
  line('2026-03-21', '/', { ...NONE, is_seo_visit: true }),
  line('2026-03-21', '/', { ...NONE, is_seo_visit: null }),
  line('2026-03-22', '/', { ...NONE, is_seo_visit: true }),
  line('2026-03-22', '/new', { ...NONE, is_seo_visit: true }),
  line('2026-03-22', '/new', { ...GOOGLE, is_seo_visit: null }),
  { ...line('2026-03-22', '/', GOOGLE), url: null },
  // On this night Europe puts its clocks forward. Lines and counts are there: the lines tell more.
  line('2026-03-29', '/a/1', GOOGLE),
  line('2026-03-29', '/new', BING),
  line('2026-03-29', '/asked-at-once', BING),
  line('2026-04-03', '/a/1', GOOGLE),
  // Pages that became indexable, that no longer are, and that are gone, before and after the crawl that saw it.
  ...['/s/opened', '/s/closed', '/s/removed', '/s/list?page=2'].flatMap((path) => [
    line('2026-03-21', path, GOOGLE),
    line('2026-03-30', path, BING),
    line('2026-03-30', path, { ...GOOGLE, status_code: null }),
  ]),
  line('2026-04-03', '/new', { ...NONE, is_seo_visit: true }),
];

const counts = (day: string, path: string, hits: number, values: Row): Row => ({
  day,
  url: url(path),
  hits,
  seo_bot_hits: 0,
  vertical_bot_hits: 0,
  seo_visits: 0,
  hits_2xx: 0,
  hits_3xx: 0,
  hits_4xx: 0,
  hits_5xx: 0,
  ...values,
});
const DAYS = [
  counts('2026-03-19', '/a/1', 3, { seo_bot_hits: 2, vertical_bot_hits: 1, visits: 0, hits_2xx: 3 }),
  counts('2026-03-28', '/a/1', 4, { seo_bot_hits: 3, hits_2xx: 4, last_status_code: 200 }),
  counts('2026-03-28', '/a/2', 4, { seo_bot_hits: 1, vertical_bot_hits: 2, hits_2xx: 3, hits_3xx: 1 }),
  counts('2026-03-28', '/a/3', 2, { seo_bot_hits: 2, hits_3xx: 2, last_status_code: 304 }),
  counts('2026-03-28', '/a/redirects', 2, { seo_bot_hits: 2, hits_3xx: 2, last_status_code: 301 }),
  counts('2026-03-28', '/a/4', 5, { seo_bot_hits: 5, hits_4xx: 5, last_status_code: 404 }),
  counts('2026-03-28', '/a/denied', 1, { seo_bot_hits: 1, hits_5xx: 1 }),
  counts('2026-03-28', '/b/alone', 2, { seo_bot_hits: 2, vertical_bot_hits: null, hits_2xx: 2 }),
  counts('2026-03-28', '/b/unknown', 2, { seo_bot_hits: null, vertical_bot_hits: 1, hits_2xx: 2 }),
  counts('2026-03-28', '/', 7, { seo_visits: 7, hits_2xx: 7 }),
  counts('2026-03-28', '/new', 3, { seo_bot_hits: 1, hits_2xx: null, hits_3xx: 3, seo_visits: null }),
  counts('2026-03-31', '/o/both', 1, { last_status_code: 404 }),
  counts('2026-03-31', '/o/counted', 1, { seo_bot_hits: 1, last_status_code: 302 }),
  counts('2026-03-31', '/o/counted-people', 1, { last_status_code: 302 }),
  counts('2026-03-31', '/o/counted-visits', 1, { seo_visits: 1 }),
  counts('2026-03-28', '/b/deep', 2, { seo_bot_hits: 2, hits_2xx: 1, hits_4xx: 1 }),
  counts('2026-03-29', '/a/1', 99, { seo_bot_hits: 99, hits_2xx: 99 }),
  counts('2026-03-31', '/new', 2, { seo_bot_hits: 1, hits_2xx: 2, seo_visits: 1 }),
  counts('2026-03-31', '/a/1', 2, { seo_bot_hits: 2, hits_2xx: 2 }),
];

export const PROJECTS: readonly Project[] = [
  {
    id: 'p-l',
    name: 'log files',
    startUrl: 'https://l.example/',
    logEvents: dataset(LINES),
    logPagesDays: dataset(DAYS),
    ranking: dataset([
      search('2026-03-01', '/new', 0, 5),
      // The first and the last of the 28 days before a crawl, a day too early, and one too late.
      search('2026-03-02', '/o/both', 0, 5),
      search('2026-03-01', '/o/early', 0, 5),
      search('2026-03-29', '/o/last', 1, 5),
      search('2026-03-30', '/o/late', 1, 5),
      search('2026-03-25', '/a/1', 2, 20),
      search('2026-03-25', '/later', 0, 0),
      search('2026-03-26', '/later', 1, 3),
      search('2026-03-29', '/a/2', 4, 40),
    ]),
  },
  {
    id: 'p-m',
    name: 'logs without crawl',
    startUrl: 'https://m.example/',
    logEvents: dataset([
      ...['/1', '/2'].map((path) => ({
        day: '2026-03-20',
        url: `https://m.example${path}`,
        user_agent: 'Googlebot',
        status_code: 200,
      })),
      { day: '2026-03-20', url: 'https://m.example/2?x', user_agent: 'bingbot', status_code: 500 },
      { day: '2026-03-21', url: 'https://m.example/2', user_agent: 'OAI-SearchBot', status_code: 404 },
    ]),
  },
];

function search(date: string, path: string, clicks: number, impressions: number): Row {
  return { date, url: url(path), query: 'q', device: 'DESKTOP', clicks, impressions, position: 2 };
}

const page = pagesOf('https://l.example');
const FIRST = [
  page('/', { depth: 0, nb_inlinks: 0, inrank: 10 }),
  page('/a/1', { depth: 1, nb_inlinks: 3, inrank: 5 }),
  page('/a/2', { depth: 1, nb_inlinks: 3, inrank: 5 }),
  page('/a/3', { depth: 1, nb_inlinks: 3, inrank: null }),
  page('/a/4', { depth: 2, nb_inlinks: 3, inrank: 5 }),
  page('/a/redirects', { depth: 2, nb_inlinks: 1, status_code: 301, inrank: 1 }),
  page('/a/unchanged', { depth: 2, nb_inlinks: 1, status_code: 304, inrank: 1 }),
  page('/a/denied', { depth: 2, nb_inlinks: 1, robots_txt_denied: true, status_code: null, inrank: 1 }),
  page('/a/noindex', { depth: 2, nb_inlinks: 1, meta_robots_index: false, inrank: 1 }),
  page('/a/canonicalised', { depth: 2, nb_inlinks: 1, rel_canonical: '/a/1', inrank: 1 }),
  page('/a/list?page=2', { depth: 2, nb_inlinks: 1, inrank: 1 }),
  page('/a/says-no-params?x', { depth: 2, nb_inlinks: 1, url_has_params: false, inrank: 1 }),
  page('/b/alone', { depth: null, nb_inlinks: 2, inrank: 0, sources: ['sitemaps'] }),
  page('/b/deep', { depth: 3, nb_inlinks: 0, inrank: 0, status_code: 404, sources: ['sitemaps'] }),
  page('/b/unasked', { depth: 3, nb_inlinks: 1, inrank: 0 }),
  page('/later', { depth: 1, nb_inlinks: 1, inrank: 5, status_code: 404 }),
  page('/s/opened', { depth: 1, nb_inlinks: 1, meta_robots_index: false }),
  page('/s/closed', { depth: 1, nb_inlinks: 1 }),
  page('/s/removed', { depth: 1, nb_inlinks: 1, rel_canonical: '/a/1' }),
  page('/s/list?page=2', { depth: 1, nb_inlinks: 1, rel_canonical: '/s/list?page=2' }),
];
const SECOND = [
  ...FIRST.filter(
    ({ url: one }) => one !== url('/later') && one !== url('/a/2') && !String(one).startsWith(url('/s/')),
  ),
  page('/s/opened', { depth: 1, nb_inlinks: 1 }),
  page('/s/closed', { depth: 1, nb_inlinks: 1, robots_txt_denied: true, status_code: null }),
  page('/s/list?page=2', { depth: 1, nb_inlinks: 1, rel_canonical: '/s/list?page=2' }),
  page('/a/2', { depth: 1, nb_inlinks: 3, inrank: 5, status_code: 301 }),
  page('/later', { depth: 1, nb_inlinks: 1, inrank: 5 }),
  page('/new', { depth: 1, nb_inlinks: 1, inrank: 5 }),
  page('/asked-at-once', { depth: 1, nb_inlinks: 1, inrank: 5 }),
];

const crawl = (id: string, endedAt: string, values: Partial<Crawl>): Crawl => ({
  id,
  projectId: 'p-l',
  status: 'done',
  endReason: 'ok',
  config: { id: 'conf-l', name: 'default' },
  endedAt: at(endedAt),
  ...values,
});

export const CRAWLS: readonly Crawl[] = [
  crawl('l1', '2026-03-20T23:30:00Z', { pages: dataset(FIRST) }),
  crawl('l2', '2026-03-29T00:30:00Z', { pages: dataset(SECOND) }),
  // Ended at once with the one before it.
  crawl('l3', '2026-03-29T00:30:00Z', {
    pages: dataset([...SECOND, page('/third', { depth: 4, nb_inlinks: 1 })]),
  }),
  crawl('l4', '2026-04-02T00:00:00Z', { endReason: 'user_requested', pages: dataset(FIRST.slice(0, 1)) }),
];
