import {
  at,
  type Crawl,
  dataset,
  type Project,
  pagesOf,
  type Row,
  type Sites,
} from '../../../questions/sites/sites.ts';

/**
 * A shop with three crawls of one configuration, the last of them without H1s in its export, one that was cut, and one
 * of another configuration; beside it a project with one crawl and nothing else.
 */

const page = pagesOf('https://shop.example');
export const url = (path: string): string => `https://shop.example${path}`;

const home = (values: Row = {}): Row =>
  page('/', { depth: 0, nb_inlinks: 1, title: 'Shop', h1: 'Shop', sources: ['crawler'], ...values });
const lamp = (values: Row = {}): Row =>
  page('/lamps/red', {
    depth: 2,
    nb_inlinks: 3,
    title: 'Red lamp',
    h1: 'Red',
    word_count: 300,
    load_time: 200,
    rel_canonical: url('/lamps/red'),
    canonical_evaluation: 'matching',
    ...values,
  });
const others = [
  page('/lamps/blue', {
    depth: 2,
    nb_inlinks: 1,
    title: 'Blue lamp',
    h1: 'Blue',
    word_count: 100,
    clusters: ['c1'],
  }),
  page('/lamps/azure', {
    depth: 2,
    nb_inlinks: 1,
    title: 'Azure',
    h1: 'Azure',
    word_count: 100,
    clusters: ['c1'],
  }),
  page('/deep', { depth: 7, nb_inlinks: 1, title: 'Deep', h1: 'Deep' }),
];

const MONDAY = { projectId: 'p-shop', status: 'done', endReason: 'ok', config: { id: 'web', name: 'Web' } };

const CRAWLS: readonly Crawl[] = [
  {
    ...MONDAY,
    id: 'shop-1',
    endedAt: at('2026-03-02T03:00:00Z'),
    pages: dataset([
      home(),
      lamp({ title: 'Lamp' }),
      page('/old', { depth: 1, nb_inlinks: 1, title: 'Old', h1: 'Old' }),
    ]),
  },
  {
    ...MONDAY,
    id: 'shop-cut',
    endReason: 'max_url_reached',
    endedAt: at('2026-03-05T03:00:00Z'),
    pages: dataset([home()]),
  },
  {
    ...MONDAY,
    id: 'shop-2',
    endedAt: at('2026-03-09T03:00:00Z'),
    pages: dataset([home(), lamp({ depth: 3, h1: 'Red lamp' }), ...others]),
    links: dataset([
      { origin: url('/'), target: url('/lamps/red'), anchor: 'Lamp', follow: true, intern: true },
    ]),
  },
  {
    ...MONDAY,
    id: 'shop-3',
    endedAt: at('2026-03-16T03:00:00Z'),
    pages: dataset(
      [
        home(),
        lamp({
          status_code: 301,
          title: null,
          redirect_location: url('/lamps/crimson'),
          word_count: null,
          load_time: null,
          rel_canonical: null,
          canonical_evaluation: null,
        }),
        page('/lamps/crimson', {
          depth: 2,
          title: 'Crimson',
          redirect_location: null,
          nb_inlinks: 1,
          hreflang_hrefs: [url('/lamps/crimson'), url('/de/lampe'), url('/nowhere')],
          hreflang_langs: ['en', 'de', 'fr'],
        }),
        page('/de/lampe', {
          depth: 2,
          title: 'Lampe',
          nb_inlinks: 0,
          hreflang_hrefs: [url('/de/lampe')],
          hreflang_langs: ['de'],
        }),
        ...others,
      ],
      { without: ['h1'] },
    ),
    links: dataset(
      [
        { origin: url('/deep'), target: url('/lamps/red'), anchor: 'see lamp', follow: true },
        { origin: url('/'), target: url('/lamps/red'), anchor: 'Lamp', follow: true },
        { origin: url('/lamps/blue'), target: url('/lamps/red'), anchor: 'sponsored', follow: false },
        { origin: url('/lamps/blue'), target: url('/'), anchor: 'home', follow: true, target_status: 200 },
        {
          origin: url('/lamps/blue'),
          target: 'https://else.example/x',
          anchor: 'away',
          follow: true,
          target_status: 404,
        },
        { origin: url('/lamps/blue'), target: url('/unknown'), anchor: 'unknown', follow: true },
      ].map((row) => ({ intern: !row.target.includes('else'), ...row })),
    ),
    structuredData: dataset([
      {
        url: url('/lamps/blue'),
        format: 'json-ld',
        type: 'Product',
        position: 0,
        valid: false,
        missing_properties: ['offers'],
      },
    ]),
  },
  {
    ...MONDAY,
    id: 'shop-mobile',
    endedAt: at('2026-03-16T05:00:00Z'),
    config: { id: 'mobile', name: 'Mobile' },
    pages: dataset([home(), lamp()]),
  },
  {
    ...MONDAY,
    id: 'blog-1',
    projectId: 'p-blog',
    endedAt: at('2026-03-16T03:00:00Z'),
    pages: dataset([pagesOf('https://blog.example')('/', { depth: 0, title: 'Blog' })]),
  },
];

const PROJECTS: readonly Project[] = [
  {
    id: 'p-shop',
    name: 'Shop',
    startUrl: url('/'),
    logPagesDays: dataset([
      ...['2026-03-08', '2026-03-10', '2026-03-12'].map((day) => ({
        day,
        url: url('/'),
        hits: 5,
        bot_hits: 2,
        seo_bot_hits: 2,
        vertical_bot_hits: 0,
        sea_bot_hits: 0,
        visits: 3,
        seo_visits: 1,
        last_status_code: 200,
      })),
      {
        day: '2026-03-10',
        url: url('/lamps/red'),
        hits: 4,
        bot_hits: 3,
        seo_bot_hits: 3,
        vertical_bot_hits: 0,
        sea_bot_hits: 0,
        visits: 1,
        seo_visits: 0,
        last_status_code: 301,
      },
      {
        day: '2026-03-12',
        url: url('/in-logs'),
        hits: 1,
        bot_hits: 1,
        seo_bot_hits: 1,
        vertical_bot_hits: 0,
        sea_bot_hits: 0,
        visits: 0,
        seo_visits: 0,
        last_status_code: 404,
      },
    ]),
    ranking: dataset(
      [
        { date: '2026-03-08', path: '/', query: 'shop', clicks: 9, impressions: 90, position: 1 },
        {
          date: '2026-03-08',
          path: '/lamps/red',
          query: 'red lamp',
          clicks: 3,
          impressions: 10,
          position: 2,
        },
        {
          date: '2026-03-10',
          path: '/lamps/red',
          query: 'red lamp',
          clicks: 1,
          impressions: 20,
          position: 5,
        },
        { date: '2026-03-10', path: '/lamps/red', query: 'lamp', clicks: 2, impressions: 10, position: 8 },
      ].map(({ path, ...row }) => ({ ...row, url: url(path), device: 'DESKTOP' })),
    ),
  },
  { id: 'p-blog', name: 'Blog', startUrl: 'https://blog.example/' },
];

export const STORY: Sites = { projects: PROJECTS, crawls: CRAWLS };
