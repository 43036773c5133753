import { at, type Crawl, type Dataset, dataset, type Project, pagesOf } from './sites.ts';

/** Sites whose every value is drawn, always the same ones, from those that rules end or begin with. */

const DAY = 86_400_000;
const HOST = 'https://v.example';
const page = pagesOf(HOST);
const PATHS = [
  '/',
  ...['/a/', '/t/', '/r/', '/'].flatMap((dir) => numbers(18).map((n) => `${dir}${n}`)),
  '/a/0?x=1',
];
const URLS = [...PATHS.map((path) => HOST + path), `${HOST}/not/crawled`, `${HOST}/t/unknown?x`];
/** Pages and URLs with as many impressions, more than all others have. */
const TOP = numbers(9).map((n) => `/top/${n}`);

type Draw = <T>(values: readonly T[]) => T;

/** Draws one of some values; the numbers are those of Park and Miller. */
function drawer(seed: number): Draw {
  let state = seed;
  return (values) => {
    state = (state * 48_271) % 2_147_483_647;
    return values[state % values.length] as (typeof values)[number];
  };
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}

const TEXTS = ['Tea', 'Tea', ' Tea ', 'Pots  and\tpans', 'Pots and pans', '', null];
const EVALUATIONS = ['not_set', 'unique', null];
const FLAGS = [true, false, null];

/** Fields and the values that they have on the pages of a crawl. */
const FIELDS: Readonly<Record<string, readonly unknown[]>> = {
  status_code: [
    ...Array(26).fill(200),
    199,
    299,
    300,
    301,
    302,
    304,
    399,
    400,
    404,
    499,
    500,
    599,
    600,
    null,
  ],
  fetched: [true, true, true, true, false, null],
  depth: [0, 1, 1, 1, 2, 2, 3, 5, 9, null, null, null],
  nb_inlinks: [0, 1, 1, 2, 3, 4, 9, 40, null],
  inrank: [0, 1, 2, null],
  inrank_decimal: [0, 0.1, 0.2, 1.25, 4.25, 9.5, null],
  title: TEXTS,
  h1: TEXTS,
  meta_description: TEXTS,
  rel_canonical: [...Array(9).fill(null), '/a/0', '/t/1', `${HOST}/`, `${HOST}/r/2`, '#x', ''],
  declared_canonical: [...Array(9).fill(null), '/a', 'https://v.example/a#b', ''],
  canonical_evaluation: [...Array(9).fill(null), 'matching', 'matching', 'not_matching', 'not_set'],
  meta_robots_index: [null, null, ...Array(6).fill(true), false],
  meta_robots: [null, null, ['index'], ['index'], ['index', 'follow'], ['nofollow, noindex'], ['none']],
  robots_txt_denied: [...Array(12).fill(false), null, true],
  fetch_status: ['fetched_2xx', ...Array(12).fill(null), 'unfetched_exception', 'unfetched_robots_denied'],
  indexable: [null, null, null, 'yes', '1', 'no'],
  redirect_location: [null, ...URLS.slice(0, 12)],
  redirect_count: [0, 0, 1, 2, 3, null],
  final_redirect_status: [200, 404, 404, null],
  final_redirect_location: [null, URLS[3], URLS[5]],
  is_redirect_loop: [false, false, false, false, true, null],
  is_too_many_redirects: [false, false, false, false, true, null],
  sources: [null, ['sitemaps'], ['sitemaps', 'logs'], ['crawler'], ['logs']],
  sitemaps_file_origin: [null, [], ['a.xml'], ['b.xml', 'a.xml']],
  word_count: [0, 100, 101, 299, 300, 301, null],
  load_time: [500, 501, 1000, 1001, null],
  semantic_types: [...Array(9).fill(null), [], ['Product']],
  hreflang_cluster_id: [null, 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'h7'],
  language: ['en', 'de', null],
  hreflang_hrefs: [null, null, [], [URLS[1]], [URLS[2], `${HOST}/l/missing`]],
  hreflang_errors: [null, null, null, [], ['bad_lang'], ['no_return', 'bad_lang']],
  clusters: [null, [], ['k1'], ['k1', 'k2'], ['k3', 'k3'], ['']],
  title_evaluation: EVALUATIONS,
  h1_evaluation: EVALUATIONS,
  description_evaluation: EVALUATIONS,
  has_duplicate_title_issue: FLAGS,
  has_duplicate_h1_issue: FLAGS,
  has_duplicate_description_issue: [null],
  has_nearduplicate_issue: FLAGS,
  cwv_lcp: [2499, 2500, 2501, 2500.5, null],
  cwv_cls: [0.09, 0.1, 0.11, null],
  cwv_tbt: [199, 200, 201, null],
  meta_refresh_delay: [0, 5, null],
  meta_refresh_location: [...Array(6).fill(null), URLS[1]],
  header_canonical: [...Array(5).fill(null), '/a/0', '/t/1'],
  compressed: [true, true, false, null],
  missing_security_headers: [
    null,
    [],
    ['content-security-policy'],
    ['strict-transport-security', 'x-content-type-options'],
  ],
  num_mixed_content: [0, 0, 1, null],
  num_insecure_forms: [0, 0, 1, null],
  num_img_without_size: [0, 0, 1, null],
  num_links_without_text: [0, 0, 1, null],
  num_links_generic_text: [0, 0, 1, null],
  processing_warnings: [
    null,
    null,
    [],
    ['truncated'],
    ['tls'],
    ['truncated', 'tls_version'],
    ['unreadable_content'],
    ['not_parsed', 'truncated'],
  ],
  http_version: ['1.1', '1.1', '1.0', null],
  offers_http2: [true, true, false, null],
  tls_version: ['TLSv1.3', 'TLSv1.3', 'TLSv1.2', 'TLSv1.1', null],
  largest_img_weight: [99, 100, 101, null, null],
  pagination_errors: [null, [], ['target_missing'], ['target_not_indexable', 'target_redirects']],
  amp_status_code: [null, 200, 301, 404, 503],
  like_missing_page: [false, false, true, null],
  is_app_shell: [false, false, false, true, null],
  rendered: [null, null, true, true, true, false],
  script_redirect: [...Array(6).fill(null), URLS[1]],
  unrendered_title: TEXTS,
  unrendered_rel_canonical: [...Array(5).fill(null), '/a/0', '/t/1', ''],
  unrendered_meta_robots_index: [null, true, true, true, false],
  unrendered_word_count: [0, 50, 51, 150, 151, 300, null],
  outlinks_only_rendered: [0, 0, 1, null],
  num_resources_denied: [0, 0, 1, null],
  content_kind: [null, null, 'html', 'html', 'html', 'pdf', 'image'],
  page_group_kind: [null, [], ['tea'], ['tea', 'pots'], ['pots', 'pots']],
  page_group_size: [null, '', 'all', 'tea', 'pots'],
};

function pages(draw: Draw, without: readonly string[]): Dataset {
  const kept = [...PATHS, ...TOP.slice(2)].filter(() => draw([true, true, true, true, false]));
  const rows = kept.map((path) =>
    page(path, Object.fromEntries(Object.entries(FIELDS).map(([name, values]) => [name, draw(values)]))),
  );
  return dataset(rows, { without });
}

const links = (draw: Draw): Dataset =>
  dataset(
    numbers(400).map(() => ({
      origin: draw([...URLS, 'https://other.example/', 'no host', 'nor this']),
      target: draw(URLS),
      anchor: draw(['a', 'b', 'c', '', null]),
      follow: draw(FLAGS),
      intern: draw([true, true, true, false, null]),
      target_status: draw([null, null, 200, 404, 301]),
    })),
  );

/** Unless some are judged, none is. */
const structured = (draw: Draw, isJudged: boolean): Dataset =>
  dataset(
    numbers(80).map(() => ({ url: draw(URLS), type: 'Product', valid: isJudged ? draw(FLAGS) : null })),
  );

const clusters = (draw: Draw): Dataset =>
  dataset(
    ['k1', 'k2', 'k4'].map((id) => ({
      cluster_id: id,
      size: draw([1, 2]),
      average_similarity: draw([0.5, 0.875, null]),
    })),
  );

const before = (last: string, days: number): string =>
  new Date(Date.parse(last) - days * DAY).toISOString().slice(0, 10);

/** Lines of ten of the last 40 days, often several of a URL. */
const lines = (draw: Draw, last: string): Dataset =>
  dataset(
    numbers(600).map(() => {
      const day = before(last, draw([0, 1, 2, 9, 14, 26, 27, 28, 29, 39]));
      const [agent, isBot] = draw([
        ['Googlebot/2.1', true],
        ['bingbot/2.0', true],
        ['GPTBot/1.2', true],
        ['ClaudeBot/1.0', null],

        ['PerplexityBot', true],
        ['SomeBot', true],
        ['AhrefsBot', true],
        ['Firefox', false],
        [null, null],
      ] as const);
      return {
        day,
        url: draw(URLS),
        status_code: draw([200, 200, 200, 299, 301, 304, 404, 500, null]),
        user_agent: agent,
        is_bot: isBot,
        is_seo_visit: draw(FLAGS),

        bot: agent === 'SomeBot' ? 'SomeBot' : null,
        search_engine: agent === 'SomeBot' ? 'some' : null,
        bot_kind: draw([null, 'seo', 'vertical', 'sea']),
        bytes_sent: draw([0, 10, null]),
        event_date: draw([null, `${day} 10:00:00+00`, `${day} 11:00:00+00`, `${day} 13:00:00+02`]),
        bot_verification: draw([null, 'verified', 'unchecked', 'refuted']),
      };
    }),
  );

/** Counts of other days, and of one that has lines, too. What is not known is rare: sums of many are not known then. */
const counts = (draw: Draw, last: string): Dataset => {
  const range = [...Array(15).fill(0), ...Array(15).fill(4), null];
  const places = [3, 4, 14, 20, 28, 33].flatMap((days) =>
    URLS.map((url) => ({ day: before(last, days), url })),
  );
  return dataset(
    places
      .filter(() => draw([true, false, false]))
      .map((place) => ({
        ...place,
        hits: 4,
        seo_bot_hits: draw([0, 1, 2, null]),
        vertical_bot_hits: draw([0, 0, 1, null]),
        seo_visits: draw([0, 1, null]),
        last_status_code: draw([200, 299, 301, 304, 399, 404, null]),
        hits_2xx: draw(range),
        hits_3xx: draw(range),
        hits_4xx: draw(range),
        hits_5xx: draw(range),
      })),
  );
};

/** Search results of a day have a URL, a query and a device once. */
const ranking = (draw: Draw, last: string, days: readonly number[]): Dataset => {
  const rows = numbers(700).map(() => {
    const impressions = draw([0, 0, 0, 1, 4, 9, 10, 10, 20, 100]);
    return {
      date: before(last, draw(days)),
      url: draw([...URLS, null]),
      impressions,
      query: draw(['tea', 'pots', 'tea pots', 'pans', null]),
      device: draw(['DESKTOP', 'MOBILE']),
      clicks: Math.min(impressions, draw([0, 0, 1, 2, 10, 11])),
      position: draw([0.4, 1, 1.5, 3, 3.25, 10.4, 10.5, 20.4, 20.5, 60, null]),
    };
  });
  const top = TOP.map((path, n) => ({
    date: last,
    url: HOST + path,
    query: 'top',
    device: 'MOBILE',
    impressions: 5000,
    clicks: n % 2 === 0 ? 0 : 50,
    position: 2,
  }));
  return dataset([
    ...top,
    ...new Map(rows.map((row) => [`${row.date} ${row.url} ${row.query} ${row.device}`, row])).values(),
  ]);
};

interface Plan {
  readonly id: string;
  readonly last: string;
  readonly days: readonly number[];
  /** Days before the last one on which crawls end, each with its configuration and the fields that it lacks. */
  readonly crawls: readonly (readonly [days: number, config: string | null, without: readonly string[]])[];
}

const SPANS = [0, 1, 2, 3, 15, 26, 27, 28, 29, 30, 20, 47, 54, 55, 56];
const YEAR = [363, 364, 365, 380, 390, 391, 392];
/** The names of the crawls are in another order than their ends, and two projects share a configuration. */
const PLANS: readonly Plan[] = [
  {
    id: 'p-v',
    last: '2026-03-25',
    days: [...SPANS, ...YEAR],
    crawls: [
      [100, 'conf-v', []],
      [56, 'conf-v', ['indexable', 'word_count']],
      [12, 'conf-w', ['fetched']],
      [20, 'conf-v', []],
      [3, 'conf-v', []],
      [10, 'conf-w', []],
    ],
  },
  {
    id: 'p-y',
    last: '2026-02-10',
    days: SPANS.slice(0, 10),
    crawls: [
      [30, 'conf-w', ['h1']],
      [15, 'conf-w', []],
      [1, 'conf-w', ['title']],
    ],
  },
  {
    id: 'p-z',
    last: '2026-03-25',
    days: [...SPANS.slice(0, 9), 391],
    crawls: [
      [28, null, ['indexable', 'status_code', 'rel_canonical', 'canonical_evaluation']],
      [3, null, ['nb_inlinks', 'fetched']],
      [3, null, ['semantic_types']],
    ],
  },
];

const draws = new Map(PLANS.map(({ id }, n) => [id, drawer(7 + n)]));
const drawOf = (id: string): Draw => draws.get(id) ?? drawer(1);

/** All have one name, but for the one whose record is not loaded. */
export const PROJECTS: readonly Project[] = PLANS.map(({ id, last, days }) => ({
  ...(id === 'p-y' ? { id, name: null, startUrl: null } : { id, name: 'by chance', startUrl: `${HOST}/` }),
  logEvents: lines(drawOf(id), last),
  logPagesDays: counts(drawOf(id), last),
  ranking: ranking(drawOf(id), last, days),
}));

const ofPlan = (id: string, project: string, config: string | null): Crawl => ({
  id,
  projectId: project,
  status: 'done',
  endReason: 'ok',
  endedAt: null,
  config: config === null ? null : { id: config, name: 'default' },
});

const DRAWN: readonly Crawl[] = PLANS.flatMap(({ id, last, crawls }) =>
  crawls.map(([days, config, without], n) => {
    const draw = drawOf(id);
    // One project has pages alone, and one has fewer of them in its second configuration.
    const others = {
      links: links(draw),
      clusters: clusters(draw),
      structuredData: structured(draw, config !== 'conf-w'),
    };
    const { fields, rows } = pages(draw, without);
    return {
      ...ofPlan(`${id}-${(7 * n + 3) % 10}`, id, config),
      endedAt: at(`${before(last, days)}T12:00:00Z`),
      ...(id === 'p-y' ? {} : others),
      pages: { fields, rows: id === 'p-v' && config === 'conf-w' ? rows.slice(0, 30) : rows },
    };
  }),
);

/** Before all others a crawl without a load, one without pages and one with a page; and one that nobody knows the end of. */
export const CRAWLS: readonly Crawl[] = [
  ...DRAWN,
  { ...ofPlan('p-v-not-loaded', 'p-v', 'conf-v'), endedAt: at('2025-11-01') },
  {
    ...ofPlan('p-v-empty', 'p-v', 'conf-v'),
    endedAt: at('2025-11-02'),
    pages: { fields: ['url'], rows: [] },
  },
  { ...ofPlan('p-v-single', 'p-v', 'conf-v'), endedAt: at('2025-11-03'), pages: dataset([page('/single')]) },
  { ...ofPlan('p-v-open', 'p-v', 'conf-v'), pages: dataset([page('/open', { status_code: 404 })]) },
];
