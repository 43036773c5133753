import { field, importFolder } from '../service/support.ts';
import type { Row } from './sites/sites.ts';

const PAGES = 30;
const FIELDS = [
  field('url', 'string'),
  field('status_code', 'natural'),
  field('depth', 'natural'),
  field('nb_inlinks', 'natural'),
  field('inrank_decimal', 'float'),
];
const LINK_FIELDS = [field('origin', 'string'), field('target', 'string'), field('intern', 'bool')];
const RANKING_FIELDS = [
  field('date', 'date'),
  field('url', 'string'),
  field('query', 'string'),
  field('device', 'enum'),
  field('clicks', 'natural'),
  field('impressions', 'natural'),
  field('position', 'float'),
];

const EVENT_FIELDS = [
  field('url', 'string'),
  field('event_date', 'datetime'),
  field('day', 'date'),
  field('status_code', 'natural'),
  field('user_agent', 'string'),
  field('is_bot', 'bool'),
  field('is_seo_visit', 'bool'),
];
const AGENTS = [
  'Googlebot/2.1',
  'bingbot/2.0',
  'GPTBot/1.2',
  'ClaudeBot/1.0',
  'AhrefsBot/7.0',
  'Firefox',
  null,
];

const url = (n: number): string => `https://shop.example/${n}`;

/**
 * Two crawls of one project in which pages lose links and get deeper, and search results that bring clicks to pages with
 * few links or far from the start: what synthetic crawls don't have.
 */
export async function shopFolders(): Promise<string[]> {
  const page = (n: number, later: boolean): Row => ({
    url: url(n),
    status_code: n % 11 === 0 ? 404 : 200,
    depth: n % 7 === 0 ? null : (n % 5) + (later && n % 6 === 0 ? 2 : 0),
    nb_inlinks: n % 13 === 0 ? null : 3 * (n % 10) - (later && n % 4 === 0 ? 1 : 0),
    // Equal ranks, so that the order falls to what comes after them.
    inrank_decimal: n % 9 === 0 ? null : (n % 4) + 0.5,
  });
  const crawl = (later: boolean) => ({
    pages: { fields: FIELDS, rows: numbers().map((n) => page(n, later)) },
    links: {
      fields: LINK_FIELDS,
      rows: numbers().map((n) => ({ origin: url(n), target: url((n * 7) % PAGES), intern: n % 8 !== 0 })),
    },
  });
  const ranking_performance = {
    fields: RANKING_FIELDS,
    rows: numbers().flatMap((n) =>
      ['2025-12-01', '2026-01-01', '2026-01-02', '2026-01-03', '2026-01-30'].map((date) => ({
        date,
        url: url(n),
        query: `query ${n % 3}`,
        device: 'DESKTOP',
        // So many on the first of January that a month later some are lost.
        clicks: (date === '2026-01-01' ? 4 : 1) * (n % 4),
        impressions: date === '2026-01-03' ? 100 - n : 10 + n,
        position: 1 + n / 4,
      })),
    ),
  };
  const events = {
    fields: EVENT_FIELDS,
    rows: numbers().flatMap((n) =>
      ['2026-01-10', '2026-01-16'].map((day, index) => ({
        url: url(n + 2 * index),
        event_date: `${day.replaceAll('-', '/')} 12:00:00 UTC`,
        day,
        status_code: [200, 304, 301, 404, 200][n % 5],
        user_agent: AGENTS[n % AGENTS.length],
        is_bot: n % AGENTS.length < 5 ? true : n % AGENTS.length === 5 ? false : null,
        is_seo_visit: n % AGENTS.length === 5,
      })),
    ),
  };
  return [
    await importFolder('shop-2026-01-08', { ...crawl(false), ranking_performance, events }),
    await importFolder('shop-2026-01-15', crawl(true)),
  ];
}

const numbers = (): number[] => Array.from({ length: PAGES }, (_, n) => n + 1);
