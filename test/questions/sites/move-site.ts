import { at, type Crawl, dataset, type Project, pagesOf, type Row } from './sites.ts';

/** A site before and after its URLs changed, and the crawl of a list of old URLs. */

const HOST = 'https://m.example';
const url = pagesOf(HOST);
/** A page that links lead to. */
const page = (path: string, values: Row = {}): Row =>
  url(path, { depth: 1, nb_inlinks: 1, title: path.replace(/^.*\//, ''), ...values });
const redirect = (path: string, target: string, status = 301): Row =>
  page(path, { status_code: status, title: null, redirect_location: new URL(target, HOST).href });

/** Of another host: it redirects. */
const OTHER = 'https://other.example/a';
const PRODUCTS = ['/product/1', '/product/2', '/product/3', '/product/4', '/product/5'];
/** Two are spellings of one page. */
const FOUR = ['/four/1', '/four/2', '/four/3', '/four/4', '/four/4/'];

/** What each old page became, by its path. */
export const FINDINGS: Readonly<Record<string, string>> = {
  '/moved': 'ok',
  '/temporary': 'temporary_redirect',
  '/chain': 'chain',
  '/loop': 'loop',
  '/to-404': 'bad_target',
  '/to-noindex': 'bad_target',
  '/to-silence': 'bad_target',
  '/to-refusal': 'not_known',
  '/to-elsewhere': 'not_known',
  '/contact': 'to_start_page',
  '/en/': 'ok',
  '/index.html': 'ok',
  ...Object.fromEntries(PRODUCTS.map((path) => [path, 'many_to_one'])),
  ...Object.fromEntries(FOUR.map((path) => [path, 'ok'])),
  '/en/words': 'other_language',
  '/en/declared': 'other_language',
  '/en/path': 'other_language',
  '/en/same': 'ok',
  '/canonical': 'canonicalised',
  '/removed': 'not_redirected',
  '/late': 'ok',
  '/nowhere': 'not_redirected',
  '/try-later': 'not_known',
  '/refused': 'not_known',
  '/denied': 'not_known',
  '/silent': 'not_known',
  '/vanished': 'not_known',
  '/listed': 'ok',
  '/landing': 'not_known',
  // By what the crawl requested besides its pages.
  '/to-other': 'chain',
  '/to-dead': 'bad_target',
  '/to-hidden': 'bad_target',
  '/to-blocked': 'not_known',
  '/to-canonical': 'canonicalised',
  '/re/moved': 'ok',
  '/re/chain': 'chain',
  '/re/temporary': 'temporary_redirect',
  '/re/loop': 'loop',
  '/re/later': 'temporary_redirect',
  '/re/other': 'chain',
  '/re/gone': 'not_redirected',
  '/re/there': 'not_redirected',
  '/re/to-404': 'bad_target',
  '/re/refused': 'not_known',
  '/re/denied': 'not_known',
  '/re/silent': 'not_known',
};

const own = (path: string, lang: string): Row => ({
  hreflang_hrefs: [HOST + path, `${HOST}/`],
  hreflang_langs: [lang, 'x-default'],
});

const BEFORE: readonly Row[] = [
  page('/', { depth: 0 }),
  page('/stays'),
  ...Object.keys(FINDINGS)
    .filter((path) => path !== '/landing')
    .map((path) => page(path, path === '/en/declared' ? own(path, 'en-GB') : {})),
].map((row) => ({ language: row.urlpath === '/en/path' ? null : 'en', ...row }));

const AFTER: readonly Row[] = [
  page('/', { depth: 0, language: 'en' }),
  page('/stays', { language: 'en' }),
  redirect('/moved', '/new/moved'),
  page('/new/moved', { language: 'en' }),
  redirect('/temporary', '/hop', 301),
  redirect('/hop', '/new/temporary', 307),
  page('/new/temporary', { title: 'another title' }),
  redirect('/chain', '/chain/2'),
  redirect('/chain/2', '/new/chain'),
  page('/new/chain'),
  redirect('/loop', '/loop/2'),
  redirect('/loop/2', '/loop'),
  redirect('/to-404', '/new/404'),
  page('/new/404', { status_code: 404 }),
  redirect('/to-noindex', '/new/noindex'),
  page('/new/noindex', { meta_robots_index: false }),
  redirect('/to-silence', '/new/silence'),
  page('/new/silence', { status_code: null, fetched: false, fetch_status: 'unfetched_exception' }),
  redirect('/to-refusal', '/new/refusal'),
  page('/new/refusal', { status_code: 403 }),
  redirect('/to-elsewhere', 'https://elsewhere.example/'),
  redirect('/to-other', OTHER),
  redirect('/to-dead', 'https://dead.example/'),
  redirect('/to-hidden', 'https://hidden.example/'),
  redirect('/to-blocked', 'https://blocked.example/'),
  redirect('/to-canonical', 'https://canonical.example/a'),
  ...['/contact', '/en/', '/index.html'].map((path) => redirect(path, '/')),
  ...PRODUCTS.map((path) => redirect(path, '/new/products')),
  page('/new/products', { language: 'de' }),
  ...FOUR.map((path) => redirect(path, '/new/four')),
  page('/new/four'),
  redirect('/en/words', '/new/words'),
  page('/new/words', { language: 'de' }),
  redirect('/en/declared', '/new/declared'),
  page('/new/declared', { language: 'en', ...own('/new/declared', 'de') }),
  redirect('/en/path', '/de/path'),
  page('/de/path', { language: 'de' }),
  // One language, whatever the directories say.
  redirect('/en/same', '/de/same'),
  page('/de/same', { language: 'EN' }),
  redirect('/canonical', '/new/canonical'),
  page('/new/canonical', { rel_canonical: `${HOST}/stays` }),
  page('/removed', { status_code: 410 }),
  page('/late', { status_code: 404 }),
  page('/nowhere', { status_code: 301 }),
  page('/try-later', { status_code: 503 }),
  page('/refused', { status_code: 403 }),
  page('/denied', { status_code: null, fetched: false, robots_txt_denied: true }),
  page('/silent', { status_code: null, fetched: false, fetch_status: 'unfetched_exception' }),
];

const request = (kind: string, to: string, values: Row = {}): Row => ({
  kind,
  url: new URL(to, HOST).href,
  status_code: null,
  error: null,
  robots_txt_denied: false,
  redirect_location: null,
  final_redirect_location: null,
  final_redirect_status: null,
  is_indexable: null,
  canonical: null,
  ...values,
});
const moved = (path: string, status: number, [next, end, final]: readonly [string, string | null, number?]) =>
  request('recheck', path, {
    status_code: status,
    redirect_location: new URL(next, HOST).href,
    final_redirect_location: end === null ? null : new URL(end, HOST).href,
    final_redirect_status: final ?? null,
  });
const REQUESTS: readonly Row[] = [
  moved('/re/moved', 301, ['/new/moved', '/new/moved', 200]),
  moved('/re/chain', 308, ['/chain/2', '/new/chain', 200]),
  moved('/re/temporary', 303, ['/new/moved', '/new/moved', 200]),
  moved('/re/later', 301, ['/hop', '/new/temporary', 200]),
  moved('/re/loop', 301, ['/re/loop', null]),
  moved('/re/other', 301, [OTHER, 'https://www.other.example/b', 200]),
  moved('/re/to-404', 301, ['/re/gone', '/re/gone', 404]),
  request('recheck', '/re/gone', { status_code: 404 }),
  request('recheck', '/re/there', { status_code: 200, is_indexable: true, canonical: `${HOST}/re/there` }),
  request('recheck', '/re/refused', { status_code: 403 }),
  request('recheck', '/re/denied', { robots_txt_denied: true }),
  request('recheck', '/re/silent', { error: 'timeout' }),
  {
    ...moved(OTHER, 308, ['https://www.other.example/a', 'https://www.other.example/b', 200]),
    kind: 'target',
  },
  request('target', 'https://dead.example/', { error: 'dns' }),
  request('target', 'https://hidden.example/', { status_code: 200, is_indexable: false }),
  request('target', 'https://blocked.example/', { robots_txt_denied: true }),
  request('target', 'https://canonical.example/a', {
    status_code: 200,
    is_indexable: false,
    canonical: 'https://canonical.example/b',
  }),
];

const listed = ({ depth: _, nb_inlinks: __, ...row }: Row): Row => row;
const LIST: readonly Row[] = [
  ...[redirect('/late', '/new/late'), redirect('/listed', '/new/listed'), page('/stays')].map((row) => ({
    ...listed(row),
    sources: ['ingested_data'],
  })),
  // What redirects lead to is no URL of the list.
  ...[page('/new/late'), page('/new/listed')].map(listed),
];

const found = (days: number, path: string, clicks: number): Row => ({
  date: new Date(Date.parse('2026-03-01') + days * 86_400_000).toISOString().slice(0, 10),
  url: HOST + path,
  query: 'q',
  device: 'DESKTOP',
  clicks,
  impressions: 100,
  position: 3,
});

export const PROJECT: Project = {
  id: 'p-move',
  name: 'moved',
  startUrl: `${HOST}/`,
  ranking: dataset([
    // Ten days before the second crawl, of which the last three have their weekday among those after it.
    ...Array.from({ length: 10 }, (_, day) => found(day + 4, '/moved', 2 ** day)),
    found(4, '/landing', 1),
    found(13, '/product/1', 50),
    found(12, '/new/moved', 1000),
    found(14, '/new/moved', 7),
    found(15, '/new/moved', 70),
    found(16, '/moved', 700),
  ]),
};

const crawl = (id: string, day: string, rows: readonly Row[], config = 'web'): Crawl => ({
  id,
  projectId: PROJECT.id,
  status: 'done',
  endReason: 'ok',
  config: { id: config, name: config },
  endedAt: at(`${day}T12:00:00Z`),
  pages: dataset(rows),
});

export const CRAWLS: readonly Crawl[] = [
  crawl('move-1', '2026-03-01', BEFORE),
  { ...crawl('move-2', '2026-03-15', AFTER), requests: dataset(REQUESTS) },
  crawl('move-list', '2026-03-16', LIST, 'list'),
];
