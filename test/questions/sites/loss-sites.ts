import { at, type Crawl, dataset, type Project, pagesOf, type Row } from './sites.ts';

/** Sites of two crawls each, whose exports tell of indexing by the same fields, by others or by none. */

const ENDS = ['2026-02-01T00:00:00Z', '2026-02-08T00:00:00Z'];
const HOST = 'https://m.example';
const page = pagesOf(HOST);
const bare = (path: string, values: Row): Row => ({ url: `${HOST}${path}`, ...values });

/** Pages of the crawl before, and of the crawl: what only one of them tells is no loss. */
const PAIRS: Readonly<Record<string, readonly [before: readonly Row[], now: readonly Row[]]>> = {
  statuses: [
    [
      ...[299, 300, 399, 400, 499, 500, 599, 600, 999].map((status) => page(`/${status}`)),
      page('/silent', { status_code: null, indexable: 'yes' }),
      page('/timeout'),
      page('/no-answer'),
      page('/no-robots'),
      page('/same'),
      page('/moved'),
      page('/lost'),
      page('/lost-noindex', { meta_robots_index: true }),
      page('/lost-canonical', { rel_canonical: '/lost-canonical' }),
      page('/lost-service', { indexable: 'yes' }),
    ],
    [
      ...[299, 300, 399, 400, 499, 500, 599, 600, 999].map((status) =>
        page(`/${status}`, { status_code: status }),
      ),
      page('/silent', { status_code: null }),
      page('/timeout', { status_code: 404, fetch_status: 'unfetched_exception' }),
      page('/no-answer', { status_code: null, fetch_status: 'unfetched_exception' }),
      page('/no-robots', {
        status_code: null,
        fetch_status: 'unfetched_exception',
        processing_warnings: ['robots_unavailable'],
      }),
      page('/same'),
      page('/moved', { status_code: 301, redirect_location: `${HOST}/same` }),
      // Without a status, what else speaks against a page comes first.
      page('/lost', { status_code: null }),
      page('/lost-noindex', { status_code: null, meta_robots_index: false }),
      page('/lost-canonical', { status_code: null, rel_canonical: '/same' }),
      page('/lost-service', { status_code: null, indexable: 'no' }),
    ],
  ],
  'no status before': [
    ['/301', '/404', '/503', '/999', '/none'].map((path) => bare(path, { indexable: 'yes' })),
    [301, 404, 503, 999].map((status_code) => bare(`/${status_code}`, { status_code })),
  ],
  'no status now': [
    [page('/1', { depth: 1 }), page('/2', { depth: 2 })],
    [bare('/1', { depth: 1 }), bare('/2', { depth: null })],
  ],
  'no depth now': [
    [page('/1', { depth: 1 }), page('/2', { depth: 2 })],
    [page('/1', { depth: null }), page('/2', { depth: null })],
  ],
  'nothing before': [
    ['/denied', '/noindex', '/canonical', '/service'].map((path) => bare(path, { status_code: 200 })),
    [
      page('/denied', { robots_txt_denied: true, fetch_status: 'unfetched_robots_denied' }),
      page('/noindex', { meta_robots_index: false, meta_robots: ['noindex'] }),
      page('/canonical', { canonical_evaluation: 'not_matching', rel_canonical: '/' }),
      page('/service', { indexable: 'no' }),
    ],
  ],
  'one field before': [
    ['/denied', '/noindex', '/canonical', '/service', '/vanished'].map((path) =>
      page(path, {
        robots_txt_denied: false,
        meta_robots_index: true,
        canonical_evaluation: 'matching',
        indexable: 'yes',
      }),
    ),
    [
      page('/denied', { fetch_status: 'unfetched_robots_denied' }),
      page('/noindex', { meta_robots: ['noindex'] }),
      page('/canonical', { rel_canonical: '/' }),
      page('/service', { indexable: 'no' }),
    ],
  ],
  'the other field before': [
    ['/denied', '/noindex', '/canonical', '/vanished'].map((path) =>
      page(path, { fetch_status: 'fetched_2xx', meta_robots: ['index'], rel_canonical: path }),
    ),
    [
      page('/denied', { robots_txt_denied: true }),
      page('/noindex', { meta_robots_index: false }),
      page('/canonical', { canonical_evaluation: 'not_matching' }),
    ],
  ],
};
const NAMES = Object.keys(PAIRS);

/** Some have search results of one day: the first of the 28 before the crawl before, the last of them, or the day before. */
const SEARCHED: Readonly<Record<string, string>> = {
  statuses: '2026-01-05',
  'one field before': '2026-02-01',
  'the other field before': '2026-01-04',
};

export const PROJECTS: readonly Project[] = NAMES.map((name, n) => ({
  id: `p-m${n}`,
  name,
  startUrl: `${HOST}/`,
  ...(SEARCHED[name] && {
    ranking: dataset([
      {
        date: SEARCHED[name],
        url: `${HOST}/moved`,
        query: 'q',
        device: 'MOBILE',
        clicks: 3,
        impressions: 9,
        position: 2,
      },
    ]),
  }),
}));

export const CRAWLS: readonly Crawl[] = NAMES.flatMap((name, n) =>
  ENDS.map((end, m) => ({
    id: `m${n}-${m}`,
    projectId: `p-m${n}`,
    status: 'done',
    endReason: 'ok',
    config: { id: `conf-m${n}`, name: 'default' },
    endedAt: at(end),
    pages: dataset(PAIRS[name]?.[m] ?? []),
    // Links may have fields of the same names: they tell nothing of pages.
    links: dataset([{ origin: `${HOST}/same`, target: `${HOST}/404`, indexable: 'yes', meta_robots: null }]),
  })),
);
