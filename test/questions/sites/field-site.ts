import { at, type Crawl, dataset, type Project, pagesOf, type Row } from './sites.ts';

/** A site whose exports have few fields, each time others, so that most is not known. */

const page = pagesOf('https://g.example');
const bare = (path: string, values: Row): Row => ({ url: `https://g.example${path}`, ...values });

export const PROJECT: Project = { id: 'p-g', name: 'few fields', startUrl: 'https://g.example/' };

const crawl = (id: string, endedAt: string, values: Partial<Crawl>): Crawl => ({
  id,
  projectId: 'p-g',
  status: 'done',
  endReason: 'ok',
  config: { id: 'conf-g', name: 'default' },
  endedAt: at(endedAt),
  ...values,
});

export const CRAWLS: readonly Crawl[] = [
  // Only URL and status; then neither status nor links; then what tells of indexing; then all of it and more.
  crawl('g1', '2026-01-01T00:00:00Z', {
    pages: dataset([
      bare('/', { status_code: 200 }),
      bare('/1', { status_code: 200 }),
      bare('/2', { status_code: null }),
    ]),
    links: dataset([{ origin: 'https://g.example/', target: 'https://g.example/1' }]),
  }),
  crawl('g2', '2026-01-02T00:00:00Z', {
    pages: dataset([
      bare('/', { indexable: 'yes', depth: null }),
      bare('/1', { indexable: 'no', depth: null }),
      bare('/2', { indexable: null, depth: null }),
    ]),
  }),
  crawl('g3', '2026-01-03T00:00:00Z', {
    pages: dataset([
      bare('/', { fetched: true, status_code: 200, indexable: 'yes', meta_robots: ['index'] }),
      bare('/1', { fetched: true, status_code: 200, indexable: 'true', meta_robots: null }),
      bare('/2', { fetched: null, status_code: 200, indexable: null, meta_robots: ['all'] }),
      bare('/3', { fetched: true, status_code: 200, indexable: 'yes', meta_robots: ['all'] }),
      bare('/4', { fetched: true, status_code: 200, indexable: 'yes', meta_robots: ['all'] }),
      bare('/5', { fetched: true, status_code: 200, indexable: 'yes', meta_robots: ['all'] }),
    ]),
  }),
  crawl('g4', '2026-01-04T00:00:00Z', {
    pages: dataset(
      [
        page('/', { rel_canonical: 'https://g.example/', meta_robots_index: null }),
        // A field that only this export has speaks against it, and one that both have.
        page('/1', { rel_canonical: '/2', indexable: 'no', robots_txt_denied: true }),
        page('/2', { meta_robots_index: false, fetch_status: 'unfetched_robots_denied' }),
        page('/3', { rel_canonical: '/2', canonical_evaluation: null }),
        page('/5', { status_code: null, fetch_status: 'unfetched_exception', robots_txt_denied: true }),
        page('/4', {
          status_code: null,
          fetch_status: 'fetched_2xx',
          semantic_types: [],
          sitemaps_file_origin: [],
        }),
      ],
      { also: ['word_count', 'load_time', 'nb_inlinks', 'depth', 'semantic_types'] },
    ),
  }),
];
