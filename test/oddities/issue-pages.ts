/** A page of the site of issues. What it does not say is as on a page without faults. */
export interface IssuePage {
  /** Its path, or an origin in braces and its path. Default: the name of the issue, and `fires`, `near` or a number. */
  readonly at?: string;
  readonly status?: number;
  /** Null takes away what the others have. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly title?: string | null;
  readonly h1?: string | null;
  readonly h2?: null;
  readonly description?: string | null;
  /** Default: its own URL. */
  readonly canonical?: string | null;
  /** HTML of its head, in the place of structured data. */
  readonly head?: string;
  readonly body?: string;
  readonly words?: number;
  readonly text?: string;
  /** A name of a text that several pages have. */
  readonly textOf?: string;
  readonly image?: null;
  /** Null: without the link to the start page. */
  readonly home?: null;
  /** The whole body, not compressed. */
  readonly raw?: string;
  readonly delayMs?: number;
  readonly answer?: 'none' | 'http_1_0';
  /** From the start page, and from another page too. */
  readonly inlinks?: 0 | 1 | 2;
  /** Attributes of the links to it. */
  readonly link?: string;
  readonly sitemaps?: 0 | 1 | 2;
  /** Impressions, clicks and position a day in search results. */
  readonly demand?: readonly [impressions: number, clicks: number, position: number];
  /** Requests of Googlebot on the day before the crawl. */
  readonly googlebot?: number;
  /** Whether a page that stands beside has the issue too, or not. */
  readonly is?: 'fires' | 'near';
}

/** The page that has an issue, one that is near and has it not, and pages that these need. */
export type IssuePages = readonly [fires: IssuePage, near: IssuePage, ...beside: IssuePage[]];

const GONE: IssuePage = { status: 404 };
const NOINDEX = '<meta name="robots" content="noindex">';
const robots = (content: string): IssuePage => ({ head: `<meta name="robots" content="${content}">` });
const without = (header: string): IssuePage => ({ headers: { [header]: null } });
const alternates = (of: Readonly<Record<string, string>>): string =>
  Object.entries(of)
    .map(([lang, at]) => `<link rel="alternate" hreflang="${lang}" href="${at}">`)
    .join('');
/** A feed in another language is no version of the page. */
const FEED = '<link rel="alternate" type="application/rss+xml" hreflang="de" href="/feed.xml">';
/** Two versions of which the second one names the first one by an address. */
const versions = (issue: string, number: number, back: string, is: 'fires' | 'near'): IssuePage[] => [
  { head: alternates({ de: `/${issue}/${number}`, en: `/${issue}/${number + 1}` }), is },
  { head: alternates({ de: back, en: `/${issue}/${number + 1}` }) },
];
const times = (count: number, html: string): string => html.repeat(count);
const letters = (count: number): string =>
  'Aufzug '
    .repeat(40)
    .slice(0, count - 1)
    .concat('x');
const moved = (location: string, status = 301): IssuePage => ({ status, headers: { location } });
const paged = (issue: string, prev: string): string => `<link rel="prev" href="/${issue}/${prev}">`;
const kilobytes = (count: number): IssuePage => ({ body: `<!--${'x'.repeat(count * 1024 - 4500)}-->` });

/** What is no HTML, and only in the sitemap. */
const file = (at: string): IssuePage => ({
  at,
  inlinks: 0,
  sitemaps: 1,
  raw: 'x',
  headers: { 'content-type': 'application/octet-stream', 'content-encoding': null },
});

/** The chain of links to a page at this depth, one click deeper each. */
function chain(issue: string, depth: number): IssuePage[] {
  return Array.from({ length: depth - 1 }, (_, index) => ({
    at: `/${issue}/step${index + 1}`,
    inlinks: index === 0 ? 2 : 0,
    sitemaps: 0,
    body: `<a href="/${issue}/${index + 2 === depth ? 'fires' : `step${index + 2}`}">Deeper still</a>${
      index + 3 === depth ? `<a href="/${issue}/near">As deep</a>` : ''
    }`,
  }));
}

/** Of one crawl without rendering, of https://www.shop.example and its other hosts. */
export const PAGES: Readonly<Record<string, IssuePages>> = {
  amp_error: [
    { head: '<link rel="amphtml" href="/amp-error/0">' },
    { head: '<link rel="amphtml" href="/amp-error/1">' },
    { status: 404 },
    {},
  ],
  beyond_google_limit: [kilobytes(2060), kilobytes(2040)],
  bots_on_non_indexable: [{ head: NOINDEX, googlebot: 3 }, { googlebot: 3 }],
  canonical_chain: [
    { canonical: '/canonical-chain/0' },
    { canonical: '/canonical-chain/1' },
    { canonical: '/canonical-chain/1' },
    {},
  ],
  canonical_differs_by_case: [
    { canonical: '/canonical-differs-by-case/FIRES' },
    { canonical: '/canonical-differs-by-case/0' },
    { at: '/canonical-differs-by-case/FIRES' },
    {},
  ],
  canonical_differs_by_host: [
    { canonical: '{slow}/canonical-differs-by-host/fires' },
    { canonical: '{https}/canonical-differs-by-host/near' },
  ],
  canonical_differs_by_scheme: [
    {
      at: '{http}/canonical-differs-by-scheme/fires',
      canonical: '{https}/canonical-differs-by-scheme/fires',
    },
    { canonical: '{https}/canonical-differs-by-scheme/near' },
    { at: '/canonical-differs-by-scheme/fires' },
  ],
  canonical_differs_by_slash: [
    { canonical: '/canonical-differs-by-slash/fires/' },
    {},
    { at: '/canonical-differs-by-slash/fires/' },
  ],
  canonical_has_fragment: [
    { canonical: '/canonical-has-fragment/fires#top' },
    { canonical: '/canonical-has-fragment/near' },
  ],
  canonical_header_differs: [
    { headers: { link: '</canonical-header-differs/0>; rel=canonical' } },
    { headers: { link: '</canonical-header-differs/near>; rel=canonical' } },
    {},
  ],
  canonical_is_no_url: [
    { canonical: null, head: '<link rel="canonical" href="mailto:lifts@example.org">' },
    { head: '<link rel="canonical" href="mailto:lifts@example.org">' },
  ],
  canonical_is_relative: [
    { canonical: '/canonical-is-relative/fires' },
    { canonical: '{https}/canonical-is-relative/near' },
  ],
  canonical_outside_head: [
    { canonical: null, head: '<div></div><link rel="canonical" href="/canonical-outside-head/fires">' },
    { body: '<link rel="canonical" href="/canonical-outside-head/near">' },
  ],
  canonical_to_error: [
    { canonical: '/canonical-to-error/0' },
    { canonical: '/canonical-to-error/1' },
    GONE,
    {},
  ],
  canonical_to_http: [
    { canonical: '{http}/canonical-to-http/fires' },
    { canonical: '{https}/canonical-to-http/near' },
    { at: '{http}/canonical-to-http/fires', canonical: '{http}/canonical-to-http/fires' },
  ],
  canonical_to_noindex: [
    { canonical: '/canonical-to-noindex/0' },
    { canonical: '/canonical-to-noindex/1' },
    { head: NOINDEX },
    {},
  ],
  canonical_to_redirect: [
    { canonical: '/canonical-to-redirect/0' },
    { canonical: '/canonical-to-redirect/1' },
    moved('/canonical-to-redirect/1'),
    {},
  ],
  canonical_to_start_page: [{ canonical: '/' }, { at: '/default.aspx', canonical: '/' }],
  canonicalised: [{ canonical: '/canonicalised/near' }, {}],
  canonicalised_in_sitemap: [
    { canonical: '/canonicalised-in-sitemap/0' },
    { canonical: '/canonicalised-in-sitemap/0', sitemaps: 0 },
    {},
  ],
  canonicalised_series: [
    { canonical: '/canonicalised-series/0', head: paged('canonicalised-series', '0') },
    { head: paged('canonicalised-series', '0') },
    {},
  ],
  client_error: [{ status: 410 }, { status: 410, inlinks: 0, sitemaps: 1 }],
  client_error_with_demand: [
    { status: 404, inlinks: 0, sitemaps: 1, demand: [20, 0, 9] },
    { status: 404, inlinks: 0, sitemaps: 1 },
  ],
  conflicting_canonicals: [
    { head: '<link rel="canonical" href="/conflicting-canonicals/near">' },
    { head: '<link rel="canonical" href="{https}/conflicting-canonicals/near">' },
  ],
  contradictory_robots: [robots('index, noindex'), robots('index, follow')],
  dead_end: [{ home: null }, {}, { home: null, body: '<a href="#top">To the top</a>', is: 'fires' }],
  deep_page: [{ inlinks: 0, sitemaps: 0 }, { inlinks: 0, sitemaps: 0 }, ...chain('deep-page', 6)],
  deep_with_clicks: [
    { inlinks: 0, sitemaps: 0, demand: [200, 20, 4] },
    { inlinks: 0, sitemaps: 0, demand: [200, 20, 4] },
    ...chain('deep-with-clicks', 4),
  ],
  demand_not_indexable: [{ head: NOINDEX, demand: [20, 1, 9] }, { demand: [20, 1, 9] }],
  duplicate_description: [
    {
      description: 'Read how one lift of the old town hall goes up and down, and who may take it on Sundays.',
    },
    {
      description: 'Read how one lift of the old town hall goes up and down, and who may take it on Mondays.',
    },
    {
      description: 'Read how one lift of the old town hall goes up and down, and who may take it on Sundays.',
    },
  ],
  duplicate_h1: [
    { h1: 'The lift of the hall' },
    { h1: 'The lift of the barn' },
    { h1: 'The lift of the hall' },
  ],
  duplicate_title: [
    { title: 'All that is known of the lift of the hall' },
    {
      title: 'All that is known of the lift of the barn',
      head: '<link rel="next" href="/duplicate-title/1">',
    },
    { title: 'All that is known of the lift of the hall' },
    {
      title: 'All that is known of the lift of the barn',
      head: '<link rel="prev" href="/duplicate-title/near">',
      is: 'near',
    },
    // Pages of two series.
    {
      title: 'All that is known of lifts of towers',
      head: '<link rel="next" href="/duplicate-title/3">',
      is: 'fires',
    },
    { title: 'All that is known of the lift of keeps', head: '<link rel="prev" href="/duplicate-title/2">' },
    {
      title: 'All that is known of lifts of towers',
      head: '<link rel="prev" href="/duplicate-title/5">',
      is: 'fires',
    },
    { title: 'All that is known of the lift of mines', head: '<link rel="next" href="/duplicate-title/4">' },
    // Of a series of three pages one names none.
    ...['<link rel="next" href="/duplicate-title/7">', '<link rel="next" href="/duplicate-title/8">', ''].map(
      (head): IssuePage => ({ title: 'All that is known of the lift of a ship', head, is: 'near' }),
    ),
  ],
  empty_page: [
    { h1: null, h2: null, text: '\u00ad\u200b', home: null },
    { h1: null, h2: null, text: 'Here', home: null },
  ],
  error_in_sitemap: [{ status: 500, sitemaps: 1 }, { status: 500 }],
  generic_anchors: [
    { body: '<a href="/hub">Click here</a>' },
    { body: '<a href="/hub">All of our lifts</a>' },
  ],
  hreflang_duplicate_lang: [
    { head: alternates({ de: '/hreflang-duplicate-lang/fires', DE: '/hreflang-duplicate-lang/0' }) },
    { head: alternates({ de: '/hreflang-duplicate-lang/near', 'de-AT': '/hreflang-duplicate-lang/0' }) },
    {},
  ],
  hreflang_invalid_lang: [
    { head: alternates({ 'en-UK': '/hreflang-invalid-lang/fires' }) },
    { head: alternates({ 'en-GB': '/hreflang-invalid-lang/near' }) },
    { head: alternates({ 'zh-Hant-TW': '/hreflang-invalid-lang/0' }), is: 'near' },
    { head: alternates({ 'X-Default': '/hreflang-invalid-lang/1' }), is: 'near' },
    { head: alternates({ en_GB: '/hreflang-invalid-lang/2' }), is: 'fires' },
    ...['es-419', 'eng', 'gb', 'en-EU', 'english', 'be_NL', 'de-DE-DE', ''].map(
      (lang): IssuePage => ({ head: alternates({ [lang]: '/hub' }), is: 'fires' }),
    ),
    ...['zh-Hans', 'SR-latn-rs', 'no', 'pt-br', ' fr '].map(
      (lang): IssuePage => ({ head: alternates({ [lang]: '/hub' }), is: 'near' }),
    ),
    { head: alternates({ english: '/hub' }), canonical: '/hub', is: 'near' },
    { head: FEED, is: 'near' },
  ],
  hreflang_is_relative: [
    { head: alternates({ de: '//{host}/hreflang-is-relative/fires' }) },
    { head: alternates({ de: '{https}/hreflang-is-relative/near' }) },
    { head: alternates({ de: '/hreflang-is-relative/0' }), is: 'fires' },
    { head: alternates({ de: '?lang=de' }), is: 'fires' },
    { head: '<link rel="alternate" type="text/html" hreflang="de" href="../hub">', is: 'fires' },
    { head: alternates({ de: '/hub' }), canonical: '/hub', is: 'near' },
    { head: FEED, is: 'near' },
    { head: '<link rel="alternate" type="application/pdf" href="/lift.pdf">', is: 'near' },
    { headers: { link: '</hub>; rel="alternate"; hreflang="de"' }, is: 'near' },
    { body: alternates({ de: '/hub' }), is: 'near' },
  ],
  hreflang_missing_return_link: [
    {
      head: alternates({ de: '/hreflang-missing-return-link/fires', en: '/hreflang-missing-return-link/0' }),
    },
    { head: alternates({ de: '/hreflang-missing-return-link/near', en: '/hreflang-missing-return-link/1' }) },
    {},
    { head: alternates({ de: '/hreflang-missing-return-link/near', en: '/hreflang-missing-return-link/1' }) },
    // The same address by RFC 3986, and others that only look like it.
    ...versions('hreflang-missing-return-link', 2, '/hreflang-missing-return-link/2#top', 'near'),
    ...versions('hreflang-missing-return-link', 4, '/%68reflang-missing-return-link/./4', 'near'),
    ...versions('hreflang-missing-return-link', 6, '/hreflang-missing-return-link/6/', 'fires'),
    ...versions('hreflang-missing-return-link', 8, '/Hreflang-Missing-Return-Link/8', 'fires'),
    ...versions('hreflang-missing-return-link', 10, '/hreflang-missing-return-link/10?a', 'fires'),
    { head: alternates({ de: '/hreflang-missing-return-link/13' }), is: 'near' },
    { canonical: '/hub' },
  ],
  hreflang_missing_self: [
    { head: alternates({ en: '/hreflang-missing-self/0' }) },
    { head: alternates({ de: '/hreflang-missing-self/near', en: '/hreflang-missing-self/0' }) },
    {},
    { head: alternates({ en: '/hub' }), canonical: '/hub', is: 'near' },
    { head: FEED, is: 'near' },
    { head: alternates({ de: '/hreflang-missing-self/3/', en: '/hub' }), is: 'fires' },
    { head: alternates({ de: '/HREFLANG-missing-self/4', en: '/hub' }), is: 'fires' },
    { head: alternates({ de: '/hreflang-missing-self/5#a', en: '/hub' }), is: 'near' },
    { headers: { link: '</hub>; rel=alternate; hreflang=de' }, is: 'fires' },
  ],
  hreflang_on_non_indexable: [
    { head: NOINDEX + alternates({ de: '/hreflang-on-non-indexable/fires' }) },
    { head: alternates({ de: '/hreflang-on-non-indexable/near' }) },
  ],
  hreflang_target_not_indexable: [
    { head: alternates({ en: '/hreflang-target-not-indexable/0' }) },
    { head: alternates({ en: '/hreflang-target-not-indexable/1' }) },
    { head: NOINDEX },
    {},
    { head: alternates({ 'x-default': '/hreflang-target-not-indexable/4' }), is: 'near' },
    { head: alternates({ de: '/hreflang-target-not-indexable/4' }), is: 'fires' },
    moved('/hub', 302),
    { head: alternates({ de: '/hreflang-target-not-indexable/0' }), canonical: '/hub', is: 'near' },
  ],
  hreflang_without_x_default: [
    { head: alternates({ de: '/hreflang-without-x-default/fires' }) },
    {
      head: alternates({
        de: '/hreflang-without-x-default/near',
        'x-default': '/hreflang-without-x-default/near',
      }),
    },
    { head: alternates({ de: '/hub', 'X-DEFAULT': '/hub' }), is: 'near' },
    {
      head: alternates({ de: '/hub' }),
      headers: { link: '</>; rel=alternate; hreflang=x-default' },
      is: 'near',
    },
    { head: alternates({ de: '/hub' }), canonical: '/hub', is: 'near' },
    { head: FEED, is: 'near' },
    { headers: { link: '</hub>; rel=alternate; hreflang=de' }, is: 'fires' },
  ],
  http_1_0: [{ answer: 'http_1_0' }, {}],
  http_on_https_site: [{ at: '{http}/http-on-https-site/fires' }, {}],
  http_page: [{ at: '{http}/http-page/fires' }, {}],
  images_without_alt: [
    { body: '<img src="/lift.png" width="9" height="9">' },
    {
      body: '<img src="/lift.png" alt width="9" height="9"><noscript><img src="/pixel" width="1" height="1"></noscript>',
    },
  ],
  images_without_size: [
    { body: '<img src="/lift.png" alt="A lift" width="9">' },
    { body: '<img src="/lift.png" alt="A lift" width="9" height="9">' },
  ],
  in_many_sitemaps: [{ sitemaps: 2 }, { sitemaps: 1 }],
  indexable_parameters: [
    { at: '/indexable-parameters?sort=up' },
    { at: '/indexable-parameters?sort=down', canonical: '/indexable-parameters' },
    { at: '/indexable-parameters' },
  ],
  insecure_form: [{ body: '<form action="{http}/send"></form>' }, { body: '<form action="/send"></form>' }],
  internal_nofollow: [
    { body: '<a href="/hub" rel="nofollow">All of our lifts</a>' },
    { body: '<a href="https://lifts.example/" rel="nofollow">Another shop</a>' },
    ...['ugc,noopener', 'NoFollow', 'noopener\n sponsored'].map(
      (rel): IssuePage => ({ body: `<a href="/hub" rel="${rel}">All of our lifts</a>`, is: 'fires' }),
    ),
    ...['no-follow', 'nofollowed', 'external'].map(
      (rel): IssuePage => ({ body: `<a href="/hub" rel="${rel}">All of our lifts</a>`, is: 'near' }),
    ),
  ],
  invalid_structured_data: [
    { head: '<script type="application/ld+json">{"@type": "Restaurant", "name": "At the lift"}</script>' },
    {
      head: '<script type="application/ld+json">{"@type": "Restaurant", "name": "At the lift", "address": "1 Lift Road"}</script>',
    },
    {
      head: '<script type="application/ld+json">{"@type": "Hotel", "@id": "#lift", "name": "At the lift"}</script><script type="application/ld+json">{"@id": "#lift", "address": "1 Lift Road"}</script>',
      is: 'near',
    },
    {
      head: '<script type="application/ld+json">{"@graph": [{"@type": "WebPage", "mainEntity": {"@id": "#lift"}}, {"@type": ["Place", "Bakery"], "@id": "#lift", "name": "x"}]}</script>',
      is: 'fires',
    },
    {
      head: '<script type="application/ld+json">{"@type": "Product", "name": "Lift", "offers": {"@type": "Offer", "price": 9}, "review": {"@type": "Review", "author": "Ada", "reviewRating": {"ratingValue": 5}, "itemReviewed": {"@type": "Product", "name": "Lift"}}}</script>',
      is: 'near',
    },
    {
      head: '<script type="application/ld+json">{"@type": "Product", "name": "Lift", "offers": {"@type": "Offer"}}</script>',
      is: 'fires',
    },
  ],
  large_page: [kilobytes(1010), kilobytes(990)],
  linked_redirect: [
    moved('/linked-redirect/0'),
    { ...moved('/linked-redirect/0'), inlinks: 0, sitemaps: 1 },
    {},
  ],
  links_without_text: [
    { body: '<a href="/hub"><svg width="9" height="9"></svg></a>' },
    {
      body: '<a href="/hub" aria-label="All lifts"><svg width="9" height="9"></svg></a><a href="/hub"><svg><title>Lifts</title></svg></a>',
    },
    ...[
      '<span aria-label="All lifts"></span>',
      '<i title="All lifts"></i>',
      '<img src="/lift.png" title="All lifts" width="9" height="9">',
      '<svg><text>All lifts</text></svg>',
      '<svg aria-labelledby="lifts"></svg>',
      '<math><mi>x</mi></math>',
      '<input type="image" src="/lift.png" alt="All lifts">',
    ].map(
      (inside): IssuePage => ({
        body: `<a href="/hub">${inside}</a><p id="lifts">All lifts</p>`,
        is: 'near',
      }),
    ),
    ...[
      '<img src="/lift.png" alt="" width="9" height="9">',
      '<span aria-label=" "></span>',
      '\u200c',
      '<svg><title> </title></svg>',
      '<noscript>Lifts</noscript>',
    ].map((inside): IssuePage => ({ body: `<a href="/hub">${inside}</a>`, is: 'fires' })),
  ],
  long_description: [{ description: letters(170) }, { description: letters(169) }],
  long_h1: [{ h1: letters(71) }, { h1: letters(70) }],
  long_title: [{ title: letters(61) }, { title: letters(60) }],
  long_url: [{ at: `/long-url/${'a'.repeat(80)}` }, { at: `/long-url/${'a'.repeat(60)}` }],
  low_text_ratio: [
    { words: 20, body: `<!--${'x'.repeat(9000)}-->` },
    { words: 200, body: `<!--${'x'.repeat(9000)}-->` },
  ],
  many_external_links: [
    { body: times(101, '<a href="https://lifts.example/">Another shop</a>') },
    { body: times(100, '<a href="https://lifts.example/">Another shop</a>') },
  ],
  many_h1s: [{ body: '<h1>Another lift</h1>' }, { body: '<h2>Another lift</h2>' }],
  many_images: [
    { body: times(200, '<img src="/lift.png" alt="A lift" width="9" height="9">') },
    { body: times(199, '<img src="/lift.png" alt="A lift" width="9" height="9">') },
  ],
  many_internal_links: [
    { body: times(1000, '<a href="/hub">All of our lifts</a>') },
    { body: times(999, '<a href="/hub">All of our lifts</a>') },
  ],
  meta_refresh: [
    { body: '<meta http-equiv="refresh" content="5; url=/hub">' },
    { body: '<meta http-equiv="refresh" content="5">' },
  ],
  missing_canonical: [
    { canonical: null },
    { canonical: null, headers: { link: '</missing-canonical/near>; rel=canonical' } },
  ],
  missing_csp: [
    without('content-security-policy'),
    without('strict-transport-security'),
    {
      ...without('content-security-policy'),
      head: `<meta http-equiv="content-security-policy" content="default-src * 'unsafe-inline'">`,
      is: 'near',
    },
    {
      headers: {
        'content-security-policy': null,
        'content-security-policy-report-only': "default-src 'self'",
      },
      is: 'fires',
    },
  ],
  missing_description: [{ description: null }, {}],
  missing_h1: [{ h1: null }, { h1: '<img src="/lift.png" alt="The old lift" width="9" height="9">' }],
  missing_h2: [{ h2: null }, { h2: null, words: 200 }],
  missing_hsts: [without('strict-transport-security'), without('content-security-policy')],
  missing_nosniff: [without('x-content-type-options'), without('content-security-policy')],
  missing_title: [{ title: null }, { title: 'Lift' }],
  mixed_content: [
    { body: '<img src="{http}/lift.png" alt="A lift" width="9" height="9">' },
    { body: '<a href="{http}/http-page/fires">Over http</a>' },
    {
      body: '<img src="/a.png" srcset="/b.png 1x, {http}/c.png 2x" alt="" width="9" height="9">',
      is: 'fires',
    },
    { body: '<picture><source srcset="{http}/c.png"></picture>', is: 'fires' },
    { head: '<link rel="Stylesheet" href="{http}/a.css">', is: 'fires' },
    {
      body: '<img src="{http}/a.png" alt="" width="9" height="9">',
      headers: { 'content-security-policy': 'upgrade-insecure-requests' },
      is: 'near',
    },
    {
      head: '<meta http-equiv="Content-Security-Policy" content="upgrade-insecure-requests">',
      body: '<img src="{http}/a.png" alt="" width="9" height="9">',
      is: 'near',
    },
  ],
  near_duplicate: [
    { textOf: 'near-duplicate', body: 'Once' },
    { textOf: 'near-duplicate', canonical: '/near-duplicate/fires' },
    { textOf: 'near-duplicate', body: 'More' },
  ],
  no_answer: [{ answer: 'none' }, { status: 503 }],
  no_http2: [{ at: '{slow}/good' }, {}],
  no_images: [
    { words: 1010, image: null },
    {
      words: 1010,
      image: null,
      body: '<picture><img src="/lift.png" alt="" width="9" height="9"></picture>',
    },
  ],
  no_secure_connection: [{ at: '{unknown}/good' }, { at: '{slow}/near' }],
  no_structured_data: [
    { head: '<script type="application/json">{"@type": "WebPage"}</script>' },
    {
      head: '<meta property="og:title" content="A lift">',
      body: '<div itemscope itemtype="https://schema.org/WebPage"></div>',
    },
  ],
  noarchive: [robots('noarchive'), robots('index')],
  nofollow_page: [robots('nofollow'), robots('noarchive'), { ...robots('noindex, nofollow'), is: 'near' }],
  noimageindex: [robots('noimageindex'), robots('noarchive')],
  noindex: [
    { head: NOINDEX },
    robots('nosnippet'),
    ...[
      'None',
      'follow,NOINDEX',
      'unavailable_after: 25 Jun 2010 15:00:00 PST',
      'unavailable_after: Friday, 25-Jun-10 15:00:00 GMT',
      'unavailable_after: Fri, 25 Jun 2010 15:00:00 +0100, nosnippet',
      'max-snippet:20, unavailable_after: 2010-06-25',
      'unavailable_after: 2010-06-25T15:00:00Z',
    ].map((content): IssuePage => ({ ...robots(content), is: 'fires' })),
    ...[
      'unavailable_after: 25 Jun 2100 15:00:00 PST',
      'unavailable_after: never',
      'unavailable_after:',
      'noindexed',
      'index, max-image-preview:none',
      'unavailable_after: 2100-06-25, max-video-preview:-1',
    ].map((content): IssuePage => ({ ...robots(content), is: 'near' })),
    { headers: { 'x-robots-tag': 'unavailable_after: 25 Jun 2010 15:00:00 PST' }, is: 'fires' },
    { headers: { 'x-robots-tag': 'crawlhouse: noindex' }, is: 'fires' },
    { headers: { 'x-robots-tag': 'otherbot: noindex, crawlhouse: nosnippet' }, is: 'near' },
    { headers: { 'x-robots-tag': 'googlebot: unavailable_after: 25 Jun 2010 15:00:00 PST' }, is: 'near' },
  ],
  noindex_and_canonicalised: [
    { head: NOINDEX, canonical: '/noindex-and-canonicalised/0' },
    { head: NOINDEX },
    {},
  ],
  noindex_for_robot: [
    { headers: { 'x-robots-tag': 'googlebot: noindex' } },
    { headers: { 'x-robots-tag': 'googlebot: nosnippet' } },
    { head: '<meta name="GoogleBot" content="none">', is: 'fires' },
    { head: '<meta name="googlebot" content="unavailable_after: 2010-06-25">', is: 'fires' },
    { headers: { 'x-robots-tag': 'googlebot: unavailable_after: 25 Jun 2010 15:00:00 PST' }, is: 'fires' },
    { head: '<meta name="googlebot" content="unavailable_after: 2100-06-25">', is: 'near' },
    { head: '<meta name="googlebot" content="index"><meta name="otherbot" content="noindex">', is: 'near' },
  ],
  noindex_in_sitemap: [{ head: NOINDEX }, { head: NOINDEX, sitemaps: 0 }],
  nosnippet: [robots('nosnippet'), robots('max-snippet:20')],
  not_in_sitemap: [
    { sitemaps: 0 },
    { sitemaps: 1 },
    { ...file('/not-in-sitemap/lift.jpg'), inlinks: 2, sitemaps: 0, is: 'near' },
  ],
  old_tls: [{ at: '{old}/good' }, { at: '{slow}/young' }],
  one_inlink: [
    { inlinks: 1 },
    { inlinks: 2 },
    { ...file('/one-inlink/feed.xml'), inlinks: 1, is: 'near' },
    { ...file('/one-inlink/catalogue.pdf'), inlinks: 1, is: 'fires' },
  ],
  only_nofollow_inlinks: [{ link: ' rel="nofollow"' }, { link: ' rel="noopener"' }],
  orphan: [
    { inlinks: 0, sitemaps: 1 },
    { inlinks: 1, sitemaps: 1 },
    ...['a.css', 'app.js?v=2', 'lift.JPG', 'feed.xml', 'blog/feed/'].map(
      (name): IssuePage => ({ ...file(`/orphan/${name}`), is: 'near' }),
    ),
    { at: '/orphan/node.js', inlinks: 0, sitemaps: 1, is: 'fires' },
    { ...file('/orphan/catalogue.pdf'), is: 'fires' },
  ],
  other_status: [{ status: 203 }, { status: 200 }],
  page_two: [{ demand: [200, 5, 15] }, { demand: [200, 5, 9] }],
  pagination_noindex: [
    { head: NOINDEX + paged('pagination-noindex', '0') },
    { head: paged('pagination-noindex', '0') },
    {},
  ],
  placeholder_text: [{ h1: 'Lorem ipsum dolor' }, { h1: 'The ipsum of Lorem' }],
  placeholder_title: [{ title: 'Untitled Document' }, { title: 'Untitled, by Peter the smith' }],
  redirect_by_case_or_slash: [
    moved('/redirect-by-case-or-slash/fires/'),
    moved('/redirect-by-case-or-slash/0'),
    {},
    { at: '/redirect-by-case-or-slash/fires/' },
  ],
  redirect_chain: [moved('/redirect-chain/near'), moved('/redirect-chain/0'), {}],
  redirect_in_sitemap: [{ ...moved('/hub'), sitemaps: 1 }, moved('/hub')],
  redirect_loop: [moved('/redirect-loop/0'), moved('/redirect-loop/1'), moved('/redirect-loop/fires'), {}],
  redirect_to_error: [moved('/redirect-to-error/0'), moved('/redirect-to-error/1'), GONE, {}],
  redirect_to_http: [
    moved('{http}/redirect-to-http/0'),
    moved('/redirect-to-http/1'),
    { at: '{http}/redirect-to-http/0' },
    {},
  ],
  redirect_to_start_page: [moved('/'), { ...moved('/'), at: '/index.html' }],
  redirect_without_target: [{ status: 302, body: 'Moved' }, moved('/hub', 302)],
  refused: [
    { status: 429 },
    { status: 428 },
    { status: 403, headers: { 'cf-mitigated': 'challenge' }, is: 'fires' },
    { status: 403, is: 'near' },
    { status: 503, headers: { 'retry-after': '1' }, is: 'fires' },
    { status: 503, is: 'near' },
    { status: 401, is: 'fires' },
  ],
  robots_denied: [
    { at: '/denied/fires', sitemaps: 0 },
    { at: '/denied/near', inlinks: 0, sitemaps: 1 },
  ],
  robots_denied_for_robot: [{ at: '/no-bing/fires' }, { at: '/no-bing-at-all' }],
  robots_denied_in_sitemap: [{ at: '/denied/listed' }, { at: '/denied/unlisted', sitemaps: 0 }],
  robots_denied_with_demand: [
    { at: '/denied/shown', sitemaps: 0, demand: [20, 1, 9] },
    { at: '/denied/not-shown', sitemaps: 0 },
  ],
  robots_unavailable: [{ at: '{failing}/good' }, { at: '{slow}/near-failing' }],
  series_to_error: [
    { head: paged('series-to-error', '0') },
    { head: paged('series-to-error', '1') },
    GONE,
    {},
  ],
  series_to_non_indexable: [
    { head: paged('series-to-non-indexable', '0') },
    { head: paged('series-to-non-indexable', '1') },
    { head: NOINDEX },
    {},
  ],
  series_to_redirect: [
    { head: paged('series-to-redirect', '0') },
    { head: paged('series-to-redirect', '1') },
    moved('/hub'),
    {},
  ],
  server_error: [{ status: 500 }, { status: 404 }],
  several_descriptions: [
    { head: '<meta name="description" content="Another one of the lift">' },
    { head: '<meta property="og:description" content="Another one of the lift">' },
  ],
  several_titles: [
    { head: '<title>Another one of the lift</title>' },
    { body: '<svg width="9" height="9"><title>Another one of the lift</title></svg>' },
  ],
  short_description: [{ description: letters(69) }, { description: letters(70) }],
  short_title: [{ title: letters(29) }, { title: letters(30) }],
  shouting_title: [
    { title: 'ALL ABOUT THE LIFT OF THE OLD HALL' },
    { title: 'ALL ABOUT THE LIFT OF THE OLD hall' },
  ],
  sitemap_flaw: [{ at: '/' }, {}],
  slow: [{ delayMs: 1100 }, { delayMs: 600 }],
  soft_404: [
    { title: 'Page not found - The shop of lifts', words: 20 },
    { title: 'The story of room 404, told by its lift', words: 20 },
    { h1: 'Page not found', words: 20, is: 'fires' },
    { h1: 'How to fix page not found errors', words: 20, is: 'near' },
    ...['404', 'Error 404 | The shop of lifts', 'Oops! Page not found', '404: Seite nicht gefunden'].map(
      (title): IssuePage => ({ title, words: 20, is: 'fires' }),
    ),
    ...[
      'Peugeot 404 for sale',
      'Walnut 404',
      'Lift parts - page 404 of 900',
      'Flight 404, found',
      '4040 - Lifts',
    ].map((title): IssuePage => ({ title, words: 20, is: 'near' })),
    { title: 'Error 404: what it means, and what to do', is: 'near' },
    { title: 'Page not found - The shop of lifts', words: 20, status: 404, is: 'near' },
  ],
  temporary_redirect: [moved('/hub', 307), moved('/hub', 308)],
  thin: [
    { words: 200 },
    { words: 300 },
    { text: 'Auf\u00adzug '.repeat(280), is: 'fires' },
    { text: 'lift\u200bshaft '.repeat(150), is: 'near' },
    { text: '\u200b \u200c \u2060 '.repeat(200), is: 'fires' },
  ],
  title_is_description: [
    {
      title: 'All that is known of the lift of the mill',
      description: 'all that is known of the lift of the mill',
    },
    {
      title: 'All that is known of the lift of the farm',
      description: 'All that is known of the lift of the farms',
    },
  ],
  title_is_h1: [
    { title: 'All that is known of the lift of the shed', h1: 'All that is known of the lift of the SHED' },
    { title: 'All that is known of the lift of the tent', h1: 'What is known of the lift of the tent' },
  ],
  uncompressed: [
    { ...kilobytes(20), headers: { 'content-encoding': null } },
    { ...kilobytes(8), headers: { 'content-encoding': null } },
    { ...kilobytes(20), headers: { 'content-encoding': 'UTF-8' }, is: 'fires' },
  ],
  unreadable_sitemap: [{ at: '/' }, {}],
  unreadable_content: [
    { raw: '<title>Plain</title>' },
    { raw: '<title>Plain</title>', headers: { 'content-encoding': 'none' } },
  ],
  url_capitals: [{ at: '/url-capitals/Fires' }, { at: '/url-capitals/caf%C3%A9' }],
  url_double_slash: [{ at: '/url-double-slash//fires' }, { at: '/url-double-slash/near?to=//a' }],
  url_many_parameters: [
    { at: '/url-many-parameters?a=1&b=2&c=3&d=4' },
    { at: '/url-many-parameters?a=1&b=2&c=3' },
  ],
  url_non_ascii: [{ at: '/url-non-ascii/caf%C3%A9' }, { at: '/url-non-ascii/a%20b' }],
  url_repeated_segments: [
    { at: '/url-repeated-segments/a/b/a/b' },
    { at: '/url-repeated-segments/2026/01/01' },
  ],
  url_session: [{ at: '/url-session/fires;jsessionid=1' }, { at: '/url-session/near?session=1' }],
  url_spaces: [{ at: '/url-spaces/fires%20here' }, { at: '/url-spaces/fires+here' }],
  url_tracking: [
    { at: '/url-tracking?utm_source=fires' },
    { at: '/url-tracking?utm_source=near', inlinks: 0, sitemaps: 1 },
  ],
  url_underscores: [{ at: '/url-underscores/a_b' }, { at: '/url-underscores/near?a_b=1' }],
};

/** Issues that no page of one crawl of ours can have. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  became_non_indexable: 'it takes two crawls; test/long/operations/site-changes.test.ts has them',
  needs_rendering: 'it is of the start page; test/site/crawler/missing-pages.long.test.ts has it',
  service_not_indexable: 'our crawler says why a page is not indexable; another service may not',
};
