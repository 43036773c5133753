import { observationReason } from './comparison.ts';
import { isLoop } from './links.ts';
import { isResource } from './orphans.ts';
import type { Page } from './pages.ts';
import { within } from './pages.ts';
import { bool, list, num, str } from './values.ts';

/** What else decides about a page. */
export interface Worth {
  readonly clicks: number | null;
  readonly impressions: number | null;
  readonly position: number | null;
  readonly botHits: number | null;
  /** Of these, when the page was not indexable. */
  readonly wastedHits: number | null;
  readonly isOrphan: boolean;
  readonly invalidItems: number;
  /** The page of the crawl that it declares as its canonical. */
  readonly canonicalTarget: Page | null;
  /** Whether a sitemap lists any page of the crawl. */
  readonly hasSitemaps: boolean;
  readonly isLost: boolean;
  /** Whether the crawl is that of a list of URLs. */
  readonly isOfList: boolean;
  /** What the crawl says of its sitemaps: one that it could not read, and one with a flaw. */
  readonly hasUnreadSitemap: boolean;
  readonly hasFlawedSitemap: boolean;
  /** The median of the indexable pages of the crawl. */
  readonly usualDepth: number | null;
  /** Whether a page of its host answers 200 over https. */
  readonly isOfSecureHost: boolean;
}

export type Severity = 'high' | 'medium' | 'low';
type Holds = (page: Page, worth: Worth) => boolean;

const above = (value: number | null, limit: number): boolean => value !== null && value > limit;
const indexable =
  (holds: Holds): Holds =>
  (page, worth) =>
    page.isIndexable === true && holds(page, worth);
const ok =
  (holds: Holds): Holds =>
  (page, worth) =>
    page.status === 200 && holds(page, worth);
/** An answer that is no file. */
const okPage = (holds: Holds): Holds => ok((page, worth) => isPage(page, worth) && holds(page, worth));
const okHtml = (holds: Holds): Holds => ok((page, worth) => isHtml(page, worth) && holds(page, worth));
const reason =
  (...reasons: readonly string[]): Holds =>
  (page) =>
    page.reason !== null && reasons.includes(page.reason);
const is =
  (name: string, value = true): Holds =>
  ({ row }) =>
    bool(row, name) === value;
const over =
  (name: string, limit: number): Holds =>
  ({ row }) =>
    above(num(row, name), limit);
const under =
  (name: string, limit: number): Holds =>
  ({ row }) => {
    const value = num(row, name);
    return value !== null && value < limit;
  };
const between =
  (name: string, from: number, to: number): Holds =>
  ({ row }) =>
    within(num(row, name), from, to);
const all =
  (...of: readonly Holds[]): Holds =>
  (page, worth) =>
    of.every((holds) => holds(page, worth));
const text =
  (name: string, holds: (value: string, page: Page) => boolean): Holds =>
  (page) => {
    const value = str(page.row, name);
    return value !== null && holds(value, page);
  };
const has = (name: string, ...parts: readonly string[]): Holds =>
  text(name, (value) => parts.some((part) => value.includes(part)));
const listed =
  (name: string, holds: (values: readonly string[]) => boolean): Holds =>
  ({ row }) => {
    const values = list(row, name);
    return values !== null && holds(values);
  };
const lacks = (header: string): Holds =>
  listed('missing_security_headers', (values) => values.includes(header));
const addsNoindex = all(is('meta_robots_index', false), is('unrendered_meta_robots_index'));
const hasCanonical = (row: Page['row']): boolean => str(row, 'rel_canonical') !== null;
/** Of the canonical as it is written, where that is known. */
const declared =
  (holds: (to: string) => boolean): Holds =>
  ({ row }) => {
    const to = str(row, 'declared_canonical') ?? str(row, 'rel_canonical');
    return to !== null && holds(to);
  };
const directive = (word: string): Holds =>
  listed('meta_robots', (values) =>
    values
      .flatMap((value) => value.split(','))
      .some((value) => value.replaceAll(' ', '').toLowerCase() === word),
  );
const same = (a: string, b: string): Holds =>
  text(
    a,
    (value, { row }) =>
      trimmed(value) !== '' && trimmed(value).toLowerCase() === trimmed(str(row, b) ?? '').toLowerCase(),
  );
/** As SQL trims: spaces alone. */
const trimmed = (value: string): string => value.replaceAll(/^ +| +$/g, '');
const kind =
  (name: string): Holds =>
  ({ canonicalKind }) =>
    canonicalKind === name;
const isNoShell: Holds = ({ row }) => bool(row, 'is_app_shell') !== true;
const inSitemap = listed('sitemaps_file_origin', (files) => files.length > 0);
const startPages = (host: string): string[] => [`https://${host}/`, `http://${host}/`];
const isRedirect: Holds = ({ status }) => within(status, 300, 399);
const offRoot = text(
  'urlpath',
  (path) => path !== '' && !/^\/(index|default|home|start|main)?([.][a-z]+)?\/?$/.test(path.toLowerCase()),
);
const toCanonical = (holds: (target: Page) => boolean): Holds =>
  ok(
    (page, { canonicalTarget }) =>
      page.isCanonicalised === true &&
      canonicalTarget !== null &&
      canonicalTarget.url !== page.url &&
      holds(canonicalTarget),
  );
const isPage: Holds = ({ url, row }) => !isResource(url, row);
const isHtml: Holds = (page, worth) =>
  isPage(page, worth) && (str(page.row, 'content_kind') ?? 'html') === 'html';
const several = (name: string): Holds => listed(name, (values) => values.length > 1);
const hreflang = (error: string): Holds =>
  listed('hreflang_errors', (errors) => errors.join(',').split(',').includes(error));
const repeats = (path: string): number => {
  const segments = path.slice(1).split('/');
  return segments.filter((segment, place) => segments.indexOf(segment) < place).length;
};
const characters = (value: string): number => [...value].length;
const FULL_WIDTH = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3000-\u303f\uff01-\uff60]/u;
const widthOf = (value: string): number =>
  [...value.normalize()].reduce(
    (sum, one) => sum + (FULL_WIDTH.test(one) && !/[\uff61-\uffdc]/.test(one) ? 2 : 1),
    0,
  );
/** The width of a text, whose length is known, is at least and at most so much; of a text that is not there, its length decides. */
const wide =
  (name: 'title' | 'h1' | 'meta_description', least: number, most = Number.POSITIVE_INFINITY): Holds =>
  ({ row }) => {
    const value = str(row, name);
    const length = num(row, `${name.replace('meta_', '')}_length`);
    if (name !== 'h1' && length === null) return false;
    const width = value === null ? length : widthOf(value);
    return width !== null && within(width, least, most);
  };

/** A part of the title of an error page, in the languages of the sites that are tried. */
const SESSIONS = [
  /sess(ion)?id=/i,
  /[?&;](sid|session_id|osCsid|cfid|cftoken)=/i,
  /\/\((?:[AXF]\([^()/]*\))*S\([a-z0-5]{24}\)/i,
];
const ERROR_TITLE =
  /^((error ?)?404|(404 )?(page|file) not found|(404 )?(die |diese )?seite (wurde )?nicht gefunden)$/;

function isErrorText(said: string): boolean {
  const parts = said.toLowerCase().split(/[-|:·–—»«!,.]/);
  return parts.some((part) => ERROR_TITLE.test(part.trim()));
}

/** Every issue that ships: its severity, and whether a page has it. */
export const ISSUES: Readonly<Record<string, readonly [Severity, Holds]>> = {
  became_non_indexable: ['high', (_page, { isLost }) => isLost],
  server_error: ['high', reason('server_error')],
  client_error: [
    'high',
    all(reason('client_error'), ({ inlinks }, { isOfList }) => above(inlinks, 0) || isOfList),
  ],
  client_error_with_demand: [
    'high',
    all(
      reason('client_error'),
      ({ inlinks }, { impressions, botHits, isOfList }) =>
        !isOfList && !above(inlinks, 0) && [impressions, botHits].some((value) => above(value, 0)),
    ),
  ],
  no_answer: ['high', reason('no_answer')],
  other_status: ['medium', reason('other_status')],
  refused: [
    'medium',
    (page) =>
      ['unauthorized', 'forbidden', 'too_many_requests', 'try_later'].includes(
        observationReason(page) ?? '',
      ) && page.reason === null,
  ],
  robots_unavailable: ['high', (page) => observationReason(page) === 'robots_unavailable'],

  redirect_loop: ['high', isLoop],
  redirect_chain: ['medium', all(over('redirect_count', 1), (page) => !isLoop(page))],
  linked_redirect: ['low', all(reason('redirect'), ({ inlinks }) => above(inlinks, 0))],
  redirect_to_error: ['high', all(isRedirect, between('final_redirect_status', 400, 599))],
  temporary_redirect: ['low', ({ status }) => [302, 303, 307].includes(status ?? 0)],
  redirect_without_target: [
    'high',
    all(
      ({ status }) => [301, 302, 303, 307, 308].includes(status ?? 0),
      ({ row }) => (str(row, 'redirect_location') ?? '') === '',
    ),
  ],
  redirect_to_http: [
    'high',
    all(
      ({ url }) => url.startsWith('https://'),
      text('redirect_location', (to) => to.startsWith('http://')),
    ),
  ],
  redirect_to_start_page: [
    'medium',
    all(
      isRedirect,
      offRoot,
      text('final_redirect_location', (to, { row }) => startPages(str(row, 'url_host') ?? '?').includes(to)),
    ),
  ],
  redirect_by_case_or_slash: [
    'low',
    all(
      isRedirect,
      text(
        'redirect_location',
        (to, { url }) =>
          to !== url && to.toLowerCase().replace(/\/$/, '') === url.toLowerCase().replace(/\/$/, ''),
      ),
    ),
  ],

  noindex: ['low', reason('noindex')],
  robots_denied: ['low', ({ isRobotsDenied, inlinks }) => isRobotsDenied === true && above(inlinks, 0)],
  noindex_and_canonicalised: [
    'medium',
    ok(({ isNoindex, isCanonicalised }) => isNoindex === true && isCanonicalised === true),
  ],
  nofollow_page: [
    'medium',
    ok((page, ...more) => is('meta_robots_follow', false)(page, ...more) && page.isNoindex !== true),
  ],
  nosnippet: ['low', indexable(directive('nosnippet'))],
  noarchive: ['low', indexable(directive('noarchive'))],
  noimageindex: ['low', indexable(directive('noimageindex'))],
  contradictory_robots: ['medium', all(directive('index'), directive('noindex'))],
  service_not_indexable: ['low', reason('service')],
  pagination_noindex: [
    'low',
    ok(
      all(
        ({ isNoindex }) => isNoindex === true,
        text('rel_prev', (prev) => prev !== ''),
      ),
    ),
  ],
  series_to_error: ['medium', listed('pagination_errors', (errors) => errors.includes('target_missing'))],
  series_to_redirect: ['low', listed('pagination_errors', (errors) => errors.includes('target_redirects'))],
  series_to_non_indexable: [
    'medium',
    listed('pagination_errors', (errors) => errors.includes('target_not_indexable')),
  ],
  amp_error: ['medium', ok(between('amp_status_code', 400, 599))],

  missing_canonical: [
    'low',
    indexable(
      (page, worth) =>
        kind('not_set')(page, worth) &&
        !several('canonicals')(page, worth) &&
        !declared((to) => to !== '')(page, worth),
    ),
  ],
  canonical_is_no_url: [
    'medium',
    ok(
      all(
        kind('not_set'),
        declared((to) => to !== ''),
        ({ row }) => (list(row, 'canonicals') ?? []).length === 0,
      ),
    ),
  ],
  canonical_outside_head: [
    'medium',
    ok(text('canonical_outside_head', (outside, { row }) => str(row, 'rel_canonical') !== outside)),
  ],
  conflicting_canonicals: ['medium', ok(several('canonicals'))],
  canonical_to_error: ['high', toCanonical(({ status }) => within(status, 400, 599))],
  canonical_to_redirect: ['medium', toCanonical(({ status }) => within(status, 300, 399))],
  canonical_to_noindex: ['high', toCanonical(({ isNoindex }) => isNoindex === true)],
  canonical_chain: ['medium', toCanonical(({ isCanonicalised }) => isCanonicalised === true)],
  robots_denied_for_robot: ['medium', indexable(listed('denied_robots', (robots) => robots.length > 0))],
  noindex_for_robot: ['medium', indexable(listed('noindex_robots', (robots) => robots.length > 0))],
  several_titles: ['low', indexable(over('num_titles', 1))],
  several_descriptions: ['low', indexable(over('num_descriptions', 1))],
  canonical_differs_by_slash: ['low', ok(kind('slash'))],
  canonical_differs_by_case: ['low', ok(kind('case'))],
  canonical_differs_by_scheme: ['medium', ok(kind('scheme'))],
  canonical_differs_by_host: ['medium', ok(kind('host'))],
  canonicalised: ['low', reason('canonicalised')],
  canonical_to_start_page: [
    'high',
    ok(
      all(offRoot, ({ canonicalUrl, row }) => {
        const host = str(row, 'url_host')?.toLowerCase();
        return canonicalUrl !== null && host !== undefined && startPages(host).includes(canonicalUrl);
      }),
    ),
  ],
  canonical_is_relative: [
    'low',
    all(
      declared((to) => to !== '' && !to.includes('://') && !trimmed(to).startsWith('//')),
      ({ row, canonicalKind }) => canonicalKind !== 'not_set' || (list(row, 'canonicals') ?? []).length > 0,
    ),
  ],
  canonical_has_fragment: ['medium', declared((to) => to.includes('#'))],
  canonical_to_http: [
    'medium',
    all(
      ({ url }) => url.startsWith('https://'),
      text('rel_canonical', (to) => trimmed(to).startsWith('http://')),
    ),
  ],
  canonicalised_series: [
    'medium',
    all(
      ({ isCanonicalised }) => isCanonicalised === true,
      text('rel_prev', (prev) => prev !== ''),
    ),
  ],

  missing_title: ['medium', indexable(text('title_evaluation', (value) => value === 'not_set'))],
  missing_h1: ['low', indexable(text('h1_evaluation', (value) => value === 'not_set'))],
  missing_description: ['low', indexable(text('description_evaluation', (value) => value === 'not_set'))],
  duplicate_title: ['medium', indexable(is('has_duplicate_title_issue'))],
  duplicate_h1: ['low', indexable(is('has_duplicate_h1_issue'))],
  duplicate_description: ['low', indexable(is('has_duplicate_description_issue'))],
  long_title: ['low', indexable(wide('title', 61))],
  short_title: ['low', indexable(wide('title', 1, 29))],
  placeholder_title: [
    'medium',
    indexable(
      text('title', (title) =>
        ['untitled', 'untitled document', 'new page', 'document', 'index', 'home page'].includes(
          trimmed(title).toLowerCase(),
        ),
      ),
    ),
  ],
  shouting_title: [
    'low',
    indexable(
      text(
        'title',
        (title) => title === title.toUpperCase() && title !== title.toLowerCase() && characters(title) > 10,
      ),
    ),
  ],
  title_is_h1: ['low', indexable(same('title', 'h1'))],
  title_is_description: ['low', indexable(same('title', 'meta_description'))],
  long_description: ['low', indexable(wide('meta_description', 170))],
  short_description: ['low', indexable(wide('meta_description', 1, 69))],
  many_h1s: ['low', indexable(over('num_h1', 1))],
  long_h1: ['low', indexable(wide('h1', 71))],
  missing_h2: ['low', indexable(all(between('num_h2', 0, 0), over('word_count', 299)))],

  near_duplicate: ['medium', indexable(is('has_nearduplicate_issue'))],
  thin: ['low', indexable(under('word_count', 300))],
  empty_page: ['high', indexable(all(between('word_count', 0, 0), isNoShell))],
  needs_rendering: ['medium', all(is('is_app_shell'), between('depth', 0, 0))],
  low_text_ratio: ['low', indexable(under('text_to_code', 0.1))],
  soft_404: [
    'medium',
    ok(
      (page, worth) =>
        !addsNoindex(page, worth) &&
        (is('like_missing_page')(page, worth) ||
          ((under('word_count', 150)(page, worth) || page.inlinks === 0) &&
            [text('title', isErrorText), text('h1', isErrorText)].some((holds) => holds(page, worth)))),
    ),
  ],
  placeholder_text: [
    'medium',
    indexable(({ row }) =>
      ['title', 'h1', 'meta_description']
        .map((name) => str(row, name) ?? '')
        .join(' ')
        .toLowerCase()
        .includes('lorem ipsum'),
    ),
  ],

  orphan: ['medium', indexable((_page, { isOrphan }) => isOrphan)],
  dead_end: [
    'medium',
    indexable(({ row }) => {
      const [links, own] = [num(row, 'internal_outlinks'), num(row, 'nb_links_self_referencing')];
      return links !== null && links <= (own ?? 0) && bool(row, 'is_app_shell') !== true;
    }),
  ],
  one_inlink: ['low', indexable(all(between('nb_inlinks', 1, 1), isPage))],
  only_nofollow_inlinks: ['medium', indexable(all(over('nb_inlinks', 0), between('follow_inlinks', 0, 0)))],
  internal_nofollow: ['low', indexable(over('internal_nofollow_outlinks', 0))],
  many_internal_links: ['low', ok(over('internal_outlinks', 1000))],
  many_external_links: ['low', ok(over('external_outlinks', 100))],
  deep_page: ['low', indexable(over('depth', 5))],

  url_capitals: [
    'low',
    okPage(text('urlpath', (path) => !path.includes('%') && path !== path.toLowerCase())),
  ],
  url_underscores: ['low', okPage(has('urlpath', '_'))],
  url_spaces: ['low', okPage(has('url', ' ', '%20'))],
  url_double_slash: ['low', okPage(has('urlpath', '//'))],
  long_url: ['low', indexable(({ url }) => characters(url) > 115)],
  url_many_parameters: ['low', ok(all(is('url_has_params'), ({ url }) => url.split('&').length > 3))],
  url_non_ascii: ['low', okPage(({ url }) => /[^\x20-\x7e]|%[89a-f][0-9a-f]/i.test(url))],
  url_repeated_segments: ['medium', okPage(text('urlpath', (path) => repeats(path) >= 2))],
  url_session: ['medium', ok(({ url }) => SESSIONS.some((form) => form.test(url)))],
  url_tracking: [
    'medium',
    ok(all(over('nb_inlinks', 0), ({ url }) => /utm_(source|medium|campaign)=|gclid=|fbclid=/.test(url))),
  ],
  indexable_parameters: ['low', indexable(is('url_has_params'))],

  hreflang_invalid_lang: ['medium', hreflang('invalid_lang')],
  hreflang_duplicate_lang: ['medium', hreflang('duplicate_lang')],
  hreflang_missing_self: ['low', hreflang('missing_self')],
  hreflang_is_relative: ['low', hreflang('relative_url')],
  hreflang_missing_return_link: ['medium', hreflang('missing_return_link')],
  hreflang_target_not_indexable: ['medium', hreflang('target_not_indexable')],
  hreflang_on_non_indexable: [
    'medium',
    all(
      listed('hreflang_hrefs', (hrefs) => hrefs.length > 0),
      reason('noindex', 'canonicalised'),
    ),
  ],
  hreflang_without_x_default: [
    'low',
    indexable(
      listed(
        'hreflang_langs',
        (langs) => langs.length > 0 && !langs.join(',').toLowerCase().split(',').includes('x-default'),
      ),
    ),
  ],

  unreadable_sitemap: ['medium', ({ depth }, { hasUnreadSitemap }) => depth === 0 && hasUnreadSitemap],
  sitemap_flaw: ['low', ({ depth }, { hasFlawedSitemap }) => depth === 0 && hasFlawedSitemap],
  error_in_sitemap: ['medium', all(inSitemap, reason('client_error', 'server_error'))],
  redirect_in_sitemap: ['low', all(inSitemap, reason('redirect'))],
  noindex_in_sitemap: ['medium', all(inSitemap, reason('noindex'))],
  canonicalised_in_sitemap: ['low', all(inSitemap, reason('canonicalised'))],
  robots_denied_in_sitemap: ['medium', all(inSitemap, reason('robots_denied'))],
  in_many_sitemaps: ['low', listed('sitemaps_file_origin', (files) => files.length > 1)],
  not_in_sitemap: [
    'low',
    indexable(all((page, worth) => worth.hasSitemaps && !inSitemap(page, worth), isPage)),
  ],

  http_page: ['high', ok(({ url }) => /^http:\/\/(?!localhost|127\.)/.test(url))],
  http_on_https_site: [
    'high',
    ok(({ url }, { isOfSecureHost }) => isOfSecureHost && url.startsWith('http://')),
  ],
  unreadable_content: [
    'high',
    listed('processing_warnings', (warnings) => warnings.includes('unreadable_content')),
  ],
  no_secure_connection: [
    'high',
    listed('processing_warnings', (warnings) => warnings.some((one) => /^tls(?!_version$)(_|$)/.test(one))),
  ],
  old_tls: [
    'high',
    (page, worth) =>
      listed('processing_warnings', (warnings) => warnings.includes('tls_version'))(page, worth) ||
      ['SSLv3', 'TLSv1', 'TLSv1.1'].includes(str(page.row, 'tls_version') ?? ''),
  ],
  no_http2: ['low', ok(all(({ url }) => url.startsWith('https://'), is('offers_http2', false)))],
  http_1_0: ['low', ok(text('http_version', (version) => version === '1.0'))],
  large_image: ['medium', ok(over('largest_img_weight', 100))],
  images_without_alt: ['low', indexable(over('num_missing_alt', 0))],
  many_images: ['low', ok(over('num_img', 200))],
  no_images: ['low', indexable(all(between('num_img', 0, 0), over('word_count', 1000)))],
  no_structured_data: ['low', indexable(between('semantic_item_count', 0, 0))],
  invalid_structured_data: ['medium', indexable((_page, { invalidItems }) => invalidItems > 0)],

  content_only_rendered: [
    'low',
    indexable(({ row }) => {
      const [words, before] = [num(row, 'word_count'), num(row, 'unrendered_word_count')];
      return words !== null && before !== null && words >= before + 50 && (words - before) / words >= 0.5;
    }),
  ],
  links_only_rendered: ['low', ok(over('outlinks_only_rendered', 0))],
  canonical_only_rendered: [
    'low',
    all(is('rendered'), ({ row }) => hasCanonical(row) && str(row, 'unrendered_rel_canonical') === null),
  ],
  canonical_changed_by_rendering: [
    'high',
    text('unrendered_rel_canonical', (before, { row }) => hasCanonical(row) && row.rel_canonical !== before),
  ],
  noindex_removed_by_rendering: [
    'high',
    all(is('meta_robots_index'), is('unrendered_meta_robots_index', false)),
  ],
  noindex_added_by_rendering: ['medium', all(addsNoindex, ({ row }) => row.like_missing_page !== true)],
  title_changed_by_rendering: [
    'low',
    indexable(
      all(is('rendered'), ({ row }) => (str(row, 'title') ?? '') !== (str(row, 'unrendered_title') ?? '')),
    ),
  ],
  redirect_by_script: ['medium', ok(({ url, row }) => ![null, url].includes(str(row, 'script_redirect')))],
  denied_resources: ['medium', ok(over('num_resources_denied', 0))],
  not_rendered: ['medium', is('rendered', false)],

  mixed_content: ['high', over('num_mixed_content', 0)],
  insecure_form: ['high', over('num_insecure_forms', 0)],
  missing_hsts: ['low', ok(lacks('strict-transport-security'))],
  missing_csp: ['low', ok(lacks('content-security-policy'))],
  missing_nosniff: ['low', ok(lacks('x-content-type-options'))],
  uncompressed: ['low', ok(all(is('compressed', false), over('weight', 10)))],
  meta_refresh: ['medium', ok(({ url, row }) => ![null, url].includes(str(row, 'meta_refresh_location')))],
  canonical_header_differs: [
    'high',
    (page, worth) =>
      text('header_canonical', (header, { row }) => hasCanonical(row) && row.rel_canonical !== header)(
        page,
        worth,
      ) ||
      (str(page.row, 'header_canonical') !== null && several('canonicals')(page, worth)),
  ],
  images_without_size: ['low', indexable(over('num_img_without_size', 0))],
  links_without_text: ['low', indexable(over('num_links_without_text', 0))],
  generic_anchors: ['low', indexable(over('num_links_generic_text', 0))],

  slow: ['medium', okHtml(over('load_time', 1000))],
  large_page: ['medium', okHtml(over('weight', 1000))],
  beyond_google_limit: [
    'high',
    okPage(({ row }) => {
      const kind = str(row, 'content_kind') ?? (/\.pdf$/i.test(str(row, 'urlpath') ?? '') ? 'pdf' : 'html');
      return above(num(row, 'weight'), kind === 'pdf' ? 65_536 : 2_048);
    }),
  ],
  poor_lcp: ['medium', over('cwv_lcp', 4000)],
  middling_lcp: ['low', all(over('cwv_lcp', 2500), ({ row }) => !above(num(row, 'cwv_lcp'), 4000))],
  poor_fcp: ['medium', over('cwv_fcp', 3000)],
  middling_fcp: ['low', all(over('cwv_fcp', 1800), ({ row }) => !above(num(row, 'cwv_fcp'), 3000))],
  poor_tbt: ['medium', over('cwv_tbt', 600)],
  middling_tbt: ['low', all(over('cwv_tbt', 200), ({ row }) => !above(num(row, 'cwv_tbt'), 600))],
  poor_cls: ['medium', over('cwv_cls', 0.25)],
  middling_cls: ['low', all(over('cwv_cls', 0.1), ({ row }) => !above(num(row, 'cwv_cls'), 0.25))],

  demand_not_indexable: [
    'high',
    (page, { impressions }) => reason('noindex', 'canonicalised')(page, {} as Worth) && above(impressions, 0),
  ],
  robots_denied_with_demand: [
    'high',
    (page, { impressions }) => reason('robots_denied')(page, {} as Worth) && above(impressions, 0),
  ],
  deep_with_clicks: [
    'medium',
    indexable(
      ({ depth }, { clicks, usualDepth }) =>
        above(depth, 3) && above(depth, (usualDepth ?? 0) + 1) && above(clicks, 0),
    ),
  ],
  page_two: [
    'medium',
    indexable((_page, { impressions, position }) => above(impressions, 99) && within(position, 11, 20)),
  ],
  bots_on_non_indexable: [
    'low',
    ({ isIndexable }, { wastedHits }) => isIndexable === false && above(wastedHits, 0),
  ],
};
