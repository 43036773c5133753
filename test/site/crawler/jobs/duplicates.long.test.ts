import { expect, test } from 'vitest';
import {
  type CrawledPage,
  link,
  page,
  pagesAfterJobs,
  SITE,
  sitemapUrl,
} from '../../../support/crawl-records.ts';

const titled = (path: string, title: string | null, more: Partial<CrawledPage> = {}) =>
  page(path, { title, ...more });
const canonical = (path: string) => ({ rel_canonical: SITE + path });
const FIELDS = ['title_evaluation', 'duplicate_title_status', 'has_duplicate_title_issue'];
const row = (evaluation: string | null, status: string | null, issue: boolean | null) => ({
  title_evaluation: evaluation,
  duplicate_title_status: status,
  has_duplicate_title_issue: issue,
});

test('a text is unique, duplicated or not set on HTML pages with status 200', async () => {
  const pages = await pagesAfterJobs(
    {
      pages: [
        titled('/a', 'Same'),
        titled('/b', 'Same'),
        titled('/c', 'same'),
        titled('/d', null),
        titled('/gone', 'Same', { status_code: 404 }),
        page('/pdf', { parsed_html: false }),
      ],
    },
    FIELDS,
  );
  expect(pages).toEqual({
    '/a': row('duplicated', 'canonical_not_set', true),
    '/b': row('duplicated', 'canonical_not_set', true),
    '/c': row('unique', null, false),
    '/d': row('not_set', null, false),
    '/gone': row(null, null, null),
    '/pdf': row(null, null, null),
  });
});

test('titles, H1s and descriptions are compared separately', async () => {
  const pages = await pagesAfterJobs(
    {
      pages: [
        page('/a', { title: 'T', h1: 'H', meta_description: 'D' }),
        page('/b', { title: 'T', h1: 'H2', meta_description: 'D' }),
      ],
    },
    [
      'title_evaluation',
      'h1_evaluation',
      'description_evaluation',
      'duplicate_description_status',
      'has_duplicate_h1_issue',
    ],
  );
  expect(pages['/a']).toEqual({
    title_evaluation: 'duplicated',
    h1_evaluation: 'unique',
    description_evaluation: 'duplicated',
    duplicate_description_status: 'canonical_not_set',
    has_duplicate_h1_issue: false,
  });
});

test.each([
  [
    'copies that name the original are handled',
    { '/a': canonical('/a'), '/b': canonical('/a'), '/c': canonical('/a') },
    ['canonical_ok', 'canonical_ok', 'canonical_ok'],
  ],
  ['an original need not name itself', { '/a': {}, '/b': canonical('/a') }, ['canonical_ok', 'canonical_ok']],
  [
    'pages that each name themselves are rivals',
    { '/a': canonical('/a'), '/b': canonical('/b') },
    ['canonical_not_matching', 'canonical_not_matching'],
  ],
  [
    'a copy is handled, though rivals are left',
    { '/a': canonical('/a'), '/b': canonical('/a'), '/c': {} },
    ['canonical_not_matching', 'canonical_ok', 'canonical_not_set'],
  ],
  [
    'canonicals that run in a circle settle nothing',
    { '/a': canonical('/b'), '/b': canonical('/a') },
    ['canonical_not_matching', 'canonical_not_matching'],
  ],
  [
    'a canonical out of the group settles nothing',
    { '/a': canonical('/a'), '/b': canonical('/z') },
    ['canonical_not_matching', 'canonical_not_matching'],
  ],
  ['a page that is noindex is no rival', { '/a': {}, '/b': { meta_robots_index: false } }, [null, null]],
])('%s', async (_, group, statuses) => {
  const members = Object.entries<Partial<CrawledPage>>(group);
  const pages = await pagesAfterJobs(
    { pages: [...members.map(([path, more]) => titled(path, 'Same', more)), titled('/z', 'Other')] },
    ['duplicate_title_status', 'has_duplicate_title_issue'],
  );
  expect(members.map(([path]) => pages[path])).toEqual(
    statuses.map((status) => ({
      duplicate_title_status: status,
      has_duplicate_title_issue: status !== null && status !== 'canonical_ok',
    })),
  );
});

/** URLs of one series, the first page at first, and of pages that are none. */
const SERIES = [
  ['/blog', '/blog/page/2', '/blog/page/3/'],
  ['/list/?sort=a', '/list/?sort=a&page=2', '/list/?paged=3&sort=a'],
  ['/neues/', '/neues/seite-2'],
  ['/news/', '/news/list_2.html', '/news/index_3.html'],
  ['/old/list.php', '/old/list-2.php', '/old/page3.php'],
  ['/results?start=0', '/results?start=20', '/results?start=40'],
] as const;
const NO_SERIES = [
  ['/a', '/a/2'],
  ['/p/100', '/p/200'],
  ['/page/1', '/page/2'],
  ['/page1.html', '/page2.html'],
  ['/b', '/c/page/2'],
  ['/d?page=two', '/d'],
  ['/e/page/2', '/e/page/3'],
  ['/g?pages=1', '/g?pages=2'],
] as const;

test.each([
  ...SERIES.map((paths) => [paths, null] as const),
  ...NO_SERIES.map((paths) => [paths, true] as const),
])('pages with numbered URLs may share a title: %j', async (paths, isIssue) => {
  const pages = await pagesAfterJobs(
    { pages: [...paths.map((path) => titled(path, 'Same')), titled('/z', 'Other')] },
    ['title_evaluation', 'has_duplicate_title_issue'],
  );
  const evaluation = isIssue === null ? 'unique' : 'duplicated';
  expect(paths.map((path) => pages[path])).toEqual(
    paths.map(() => ({ title_evaluation: evaluation, has_duplicate_title_issue: isIssue ?? false })),
  );
});

test.each([
  ['in two languages', ['en', 'de'], [false, false]],
  ['twice in one of two languages', ['en', 'en', 'de'], [true, true, false]],
  ['where a page does not name its language', ['en', 'de', null], [true, true, true]],
] as const)('the same title %s', async (_, languages, issues) => {
  const pages = await pagesAfterJobs(
    { pages: languages.map((language, nth) => titled(`/${nth}`, 'Blog', { language })) },
    ['has_duplicate_title_issue'],
  );
  expect(Object.values(pages).map((row) => row.has_duplicate_title_issue)).toEqual(issues);
});

test.each([
  ['without canonicals the two are one page', {}, {}, 'canonical_ok', 'canonical_ok'],
  [
    'canonicals that disagree are told',
    canonical('/x/'),
    canonical('/x/index.html'),
    'canonical_not_matching',
    'canonical_not_matching',
  ],
  ['a canonical of the folder settles it too', {}, canonical('/x/'), 'canonical_ok', 'canonical_ok'],
])('a folder and its index.html: %s', async (_, folder, index, ...statuses) => {
  const pages = await pagesAfterJobs(
    { pages: [titled('/x/', 'Same', folder), titled('/x/index.html', 'Same', index), titled('/z', 'Other')] },
    ['duplicate_title_status'],
  );
  expect(['/x/', '/x/index.html'].map((path) => pages[path]?.duplicate_title_status)).toEqual(statuses);
});

const versions = (...paths: string[]) => ({
  hreflang_langs: paths.map((path) => path.slice(1)),
  hreflang_hrefs: paths.map((path) => SITE + path),
  hreflang_sources: paths.map(() => 'html'),
});

test('language versions of each other may share a title', async () => {
  const both = versions('/en', '/fr');
  const pages = await pagesAfterJobs({ pages: [titled('/en', 'Same', both), titled('/fr', 'Same', both)] }, [
    'duplicate_title_status',
  ]);
  expect(Object.values(pages)).toEqual([
    { duplicate_title_status: 'hreflang_ok' },
    { duplicate_title_status: 'hreflang_ok' },
  ]);
});

test('language versions with relative addresses still count as versions', async () => {
  const both = { ...versions('/en', '/fr'), relative_hreflangs: ['/en', '/fr'] };
  const pages = await pagesAfterJobs({ pages: [titled('/en', 'Same', both), titled('/fr', 'Same', both)] }, [
    'duplicate_title_status',
  ]);
  expect(pages['/en']).toEqual({ duplicate_title_status: 'hreflang_ok' });
});

test('language versions with errors may not share a title', async () => {
  const pages = await pagesAfterJobs(
    { pages: [titled('/en', 'Same', versions('/en', '/fr')), titled('/fr', 'Same')] },
    ['duplicate_title_status'],
  );
  expect(Object.values(pages)).toEqual([
    { duplicate_title_status: 'hreflang_error' },
    { duplicate_title_status: 'hreflang_error' },
  ]);
});

const HREFLANG = ['hreflang_errors', 'hreflang_error_details'];

test.each([
  ['no errors', [page('/en', versions('/en', '/fr')), page('/fr', versions('/en', '/fr'))], null, null],
  [
    'a return link that is missing',
    [page('/en', versions('/en', '/fr')), page('/fr')],
    ['missing_return_link'],
    { missing_return_link: [`${SITE}/fr`] },
  ],
  [
    'the page itself missing',
    [page('/en', versions('/fr')), page('/fr', versions('/en', '/fr'))],
    ['missing_self'],
    { missing_self: [`${SITE}/en`] },
  ],
  [
    'a version that redirects',
    [page('/en', versions('/en', '/fr')), page('/fr', { status_code: 301 })],
    ['target_not_indexable'],
    { target_not_indexable: [`${SITE}/fr`] },
  ],
  [
    'an x-default that redirects each visitor to a language',
    [page('/en', versions('/en', '/x-default')), page('/x-default', { status_code: 307 })],
    null,
    null,
  ],
  [
    'an x-default that is missing',
    [page('/en', versions('/en', '/x-default')), page('/x-default', { status_code: 404 })],
    ['target_not_indexable'],
    { target_not_indexable: [`${SITE}/x-default`] },
  ],
  [
    'relative addresses, which count all the same',
    [
      page('/en', { ...versions('/en', '/fr'), relative_hreflangs: ['/fr'] }),
      page('/fr', versions('/en', '/fr')),
    ],
    ['relative_url'],
    { relative_url: ['/fr'] },
  ],
  [
    'a page with another canonical, whose declarations are ignored',
    [page('/en', { ...versions('/fr', '/zz'), ...canonical('/other') }), page('/fr'), page('/other')],
    null,
    null,
  ],
  [
    'a version with another canonical',
    [page('/en', versions('/en', '/fr')), page('/fr', canonical('/other')), page('/other')],
    ['target_not_indexable'],
    { target_not_indexable: [`${SITE}/fr`] },
  ],
  ['a version that was not fetched', [page('/en', versions('/en', '/fr'))], null, null],
  [
    'wrong codes',
    [
      page('/en', {
        hreflang_langs: ['en', 'en-uk', 'en'],
        hreflang_hrefs: [`${SITE}/en`, 'https://b.example/', 'https://c.example/'],
        hreflang_sources: ['html', 'html', 'header'],
      }),
    ],
    ['duplicate_lang', 'invalid_lang'],
    { duplicate_lang: ['en'], invalid_lang: ['en-uk'] },
  ],
])('hreflang: %s', async (_, pages, errors, details) => {
  const found = (await pagesAfterJobs({ pages }, HREFLANG))['/en'];
  expect(found?.hreflang_errors).toEqual(errors);
  expect(JSON.parse(String(found?.hreflang_error_details ?? null))).toEqual(details);
});

/** ISO 3166-1 alpha-2, as assigned. */
const REGIONS =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'.split(
    ' ',
  );

test('a region is one that ISO 3166-1 assigns, among all letter pairs', async () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const pairs = letters.flatMap((first) => letters.map((second) => first + second));
  const codes = pairs.map((region) => `en-${region.toLowerCase()}`);
  const declared = {
    hreflang_langs: codes,
    hreflang_hrefs: codes.map((code) => `https://b.example/${code}`),
    hreflang_sources: codes.map(() => 'html'),
  };
  const found = (await pagesAfterJobs({ pages: [page('/en', declared)] }, HREFLANG))['/en'];
  const { invalid_lang } = JSON.parse(String(found?.hreflang_error_details)) as Record<string, string[]>;
  const valid = pairs.filter((region) => !invalid_lang?.includes(`en-${region.toLowerCase()}`));
  expect(valid).toEqual(REGIONS);
});

test('declarations join pages to clusters, also indirectly and by sitemaps', async () => {
  const pages = await pagesAfterJobs(
    {
      pages: [
        page('/en', versions('/en', '/fr')),
        page('/fr'),
        page('/de'),
        page('/alone'),
        page('/gone', { status_code: 404, ...versions('/en') }),
      ],
      sitemap: [sitemapUrl('/de', { alternate_langs: ['FR'], alternate_hrefs: [`${SITE}/fr`] })],
    },
    ['hreflang_cluster_id', 'hreflang_langs', 'hreflang_sources'],
  );
  const cluster = (path: string) => pages[path]?.hreflang_cluster_id;
  expect(cluster('/en')).toMatch(/^[0-9a-f]{16}$/);
  expect([cluster('/fr'), cluster('/de')]).toEqual([cluster('/en'), cluster('/en')]);
  expect([cluster('/alone'), cluster('/gone')]).toEqual([null, null]);
  expect(pages['/de']).toMatchObject({ hreflang_langs: ['fr'], hreflang_sources: ['sitemap'] });
});

test('canonicals and indexability', async () => {
  const pages = await pagesAfterJobs(
    {
      pages: [
        page('/self', canonical('/self')),
        page('/other', canonical('/self')),
        page('/none'),
        page('/noindex', { meta_robots_index: false }),
        page('/gone', { status_code: 404 }),
        page('/denied', { status_code: null, fetched: false, robots_txt_denied: true, parsed_html: false }),
        page('/failed', { status_code: null, fetched: false, parsed_html: false }),
      ],
      links: [link('/self', '/none')],
    },
    ['canonical_evaluation', 'indexable', 'is_canonical'],
  );
  const facts = (evaluation: string | null, indexable: boolean | null, isCanonical: boolean | null) => ({
    canonical_evaluation: evaluation,
    indexable,
    is_canonical: isCanonical,
  });
  expect(pages).toEqual({
    '/self': facts('matching', true, true),
    '/other': facts('not_matching', false, false),
    '/none': facts('not_set', true, true),
    '/noindex': facts('not_set', false, true),
    '/gone': facts(null, false, null),
    '/denied': facts(null, false, null),
    '/failed': facts(null, null, null),
  });
});

test('of a declared series, only the first page counts', async () => {
  const pages = await pagesAfterJobs(
    {
      pages: [
        titled('/list', 'List', { rel_next: `${SITE}/list/2` }),
        titled('/list/2', 'List', { rel_prev: `${SITE}/list`, rel_next: `${SITE}/list/3` }),
        // Named by the page before it alone.
        titled('/list/3', 'List'),
        titled('/loop', 'Loop', { rel_next: `${SITE}/loop`, rel_prev: `${SITE}/loop` }),
        titled('/other', 'Loop'),
      ],
    },
    FIELDS,
  );
  const unique = row('unique', null, false);
  const rival = row('duplicated', 'canonical_not_set', true);
  expect(pages).toEqual({
    '/list': unique,
    '/list/2': unique,
    '/list/3': unique,
    '/loop': rival,
    '/other': rival,
  });
});
