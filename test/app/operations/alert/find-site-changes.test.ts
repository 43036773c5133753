import { expect, test } from 'vitest';
import { alertOf } from '../../../../src/app/operations/alert/alert.ts';
import { endedChanges, findSiteChanges } from '../../../../src/app/operations/alert/find-site-changes.ts';
import { lineChanges } from '../../../../src/app/operations/alert/line-changes.ts';
import type { SiteChange } from '../../../../src/etl/state/catalog/site-changes.ts';

const blocked: SiteChange = {
  project_id: 'p1',
  crawl_config_id: 'web',
  crawl_id: 'c2',
  change: 'robots_denied',
  segmentation: '(site)',
  segment: '(site)',
  pages: 12,
  pages_left: 12,
  of_pages: 900,
  clicks: 8061,
  most_in: '/shoes/',
  before: 'indexable',
  after: 'robots_denied',
  example: 'https://s/shoes/1',
  began_at: '2026-11-14T10:00:00.000Z',
  ended_at: null,
};
const nameOf = (id: string): string => `name of ${id}`;

test('a site change is an incident with its pages, clicks at risk, and the command that lists them', () => {
  expect(findSiteChanges([blocked], nameOf)).toEqual([
    {
      key: 'change/p1/robots_denied/(site)/(site)',
      event: 'change',
      title: 'name of p1: robots.txt now blocks 12 pages that were indexable: 8,061 clicks at risk',
      details: [
        'of 900 pages that were indexable',
        'most of them in /shoes/',
        'for example https://s/shoes/1',
      ],
      project_id: 'p1',
      began: '2026-11-14T10:00:00.000Z',
      hint: 'crawlhouse query --question q07_pages_that_became_non_indexable -p crawl=c2 lists the pages',
      list: { question: 'q07_pages_that_became_non_indexable', crawl: 'c2', what: 'the pages' },
      project: 'name of p1',
      crawl: 'c2',
      change: 'robots_denied',
      segmentation: null,
      segment: null,
      pages: 12,
      clicks: 8061,
    },
  ]);
});

test('an alert has the command of an incident, and not the parts of its link', () => {
  const [incident] = findSiteChanges([blocked], nameOf);
  if (incident === undefined) throw new Error('no incident');
  const alert = alertOf(incident, { scope: null, run_id: 'r', at: '2026-11-15T00:00:00.000Z' } as never);
  expect(alert).toMatchObject({ hint: incident.hint, incident: incident.key });
  expect(alert).not.toHaveProperty('list');
});

test('crawls of one configuration add up, the largest of several configurations counts, and resolved changes do not', () => {
  const found = [
    blocked,
    {
      ...blocked,
      crawl_id: 'c3',
      pages: 6,
      pages_left: 5,
      clicks: null,
      began_at: '2026-11-21T10:00:00.000Z',
    },
    { ...blocked, crawl_config_id: 'mobile', crawl_id: 'm2', began_at: '2026-11-13T10:00:00.000Z' },
    { ...blocked, crawl_id: 'c1', pages_left: 0, ended_at: '2026-11-14T10:00:00.000Z' },
  ];
  expect(findSiteChanges(found, nameOf)).toMatchObject([
    {
      pages: 17,
      clicks: 8061,
      began: '2026-11-14T10:00:00.000Z',
      details: [
        '18 at first',
        'of 900 pages that were indexable',
        'most of them in /shoes/',
        expect.any(String),
      ],
    },
  ]);
  expect([...endedChanges(found)]).toEqual([
    ['change/p1/robots_denied/(site)/(site)', '2026-11-14T10:00:00.000Z'],
  ]);
});

test('each kind of site change has its own text', () => {
  const of = (change: string, more: Partial<SiteChange> = {}): string =>
    findSiteChanges([{ ...blocked, change, clicks: null, ...more }], nameOf)[0]?.title ?? '';
  const inShoes = { segmentation: 'kind', segment: 'shoes' };
  expect([
    of('noindex', inShoes),
    of('canonicalised', { pages_left: 1 }),
    of('client_error'),
    of('server_error', { segmentation: '(directory)', segment: '/shoes/' }),
    of('title'),
    of('canonical'),
    of('start_page', { after: '404' }),
    of('sitemap'),
    of('sitemap', { segmentation: '(file)', segment: 'https://s/sitemap.xml' }),
    of('robots_txt', { segmentation: '(file)', segment: 'https://s/robots.txt' }),
    of('clicks', { pages: null, pages_left: null, clicks: 384, before: '1200', after: '816' }),
  ]).toEqual([
    'name of p1: 12 pages that were indexable now have noindex in shoes (kind)',
    'name of p1: 1 page that was indexable now has the canonical of another page',
    'name of p1: 12 pages newly answer with a client error',
    'name of p1: 12 pages newly answer with a server error in /shoes/',
    'name of p1: the title of 12 pages changed',
    'name of p1: the canonical of 12 pages changed',
    'name of p1: the start page is no longer indexable (404)',
    'name of p1: no page is in a sitemap anymore',
    'name of p1: a sitemap can no longer be read',
    'name of p1: robots.txt changed',
    'name of p1: clicks fell by 32 % within a week, from 1,200 to 816',
  ]);
});

test('an alert about a changed robots.txt shows the changed lines', () => {
  const before = 'User-agent: *\nDisallow: /cart\nAllow: /\n\nSitemap: https://s/sitemap.xml\n';
  const after = 'User-agent: *\r\nDisallow: /cart\r\nDisallow: /shoes\r\nSitemap: https://s/sitemap.xml\r\n';
  expect(lineChanges(before, after)).toEqual(['- Allow: /', '+ Disallow: /shoes']);
  expect(lineChanges(before, before)).toEqual([]);
  expect(lineChanges('', 'a')).toEqual(['+ a']);
  expect(lineChanges('a\nb', '')).toEqual(['- a', '- b']);
  const file = { segmentation: '(file)', segment: 'https://s/robots.txt', pages: null, pages_left: null };
  const row = { ...blocked, ...file, of_pages: null, clicks: null, most_in: null, before, after };
  expect(findSiteChanges([{ ...row, change: 'robots_txt' }], nameOf)).toMatchObject([
    { details: ['https://s/robots.txt', '- Allow: /', '+ Disallow: /shoes'], pages: null, clicks: null },
  ]);
});

test('the pages of a change are those that could have changed', () => {
  const of = (change: string): readonly string[] | undefined =>
    findSiteChanges([{ ...blocked, change, most_in: null, example: null }], nameOf)[0]?.details;
  expect(of('client_error')).toEqual([
    'of 900 pages in the crawl',
    'they had no error in the previous crawl, or were not in it',
  ]);
  const shoes = { segmentation: '(directory)', segment: '/shoes/', example: null };
  expect(findSiteChanges([{ ...blocked, ...shoes, change: 'server_error' }], nameOf)[0]?.details).toContain(
    'of 900 pages in the segment',
  );
  expect(of('title')).toEqual(['of 900 pages with status 200 in both crawls']);
});
