import { expect, test } from 'vitest';
import { robotsDirectives } from '../../../../src/site/crawler/parse/robots-directives.ts';
import { parsed, parsedWith } from '../../../support/fetched-page.ts';

const robots = (metas: string[], headers: string[] = []) =>
  robotsDirectives(
    metas.map((content) => ({ name: 'robots', content })),
    headers,
    { robotName: 'crawlhouse', now: new Date('2026-11-01T00:00:00Z') },
  );

test('a page without directives can be indexed and followed', () => {
  expect(robots([])).toEqual({
    meta_robots: null,
    meta_robots_index: true,
    meta_robots_follow: true,
    noindex_robots: null,
  });
});

test('directives are lowercase, unique, and in order', () => {
  expect(robots(['NoIndex, Max-Image-Preview: large', 'noindex,nofollow'])).toEqual({
    meta_robots: ['noindex', 'max-image-preview:large', 'nofollow'],
    meta_robots_index: false,
    meta_robots_follow: false,
    noindex_robots: null,
  });
});

test('none means noindex and nofollow', () => {
  expect(robots(['none'])).toMatchObject({ meta_robots_index: false, meta_robots_follow: false });
});

test('the more restrictive of a tag and a header wins', () => {
  expect(robots(['index, follow'], ['noindex'])).toMatchObject({
    meta_robots_index: false,
    meta_robots_follow: true,
  });
});

test.each([
  ['otherbot: noindex', true],
  ['crawlhouse: noindex', false],
  ['CrawlHouse: noindex', false],
  ['otherbot: nofollow, noindex', true],
  ['otherbot: nofollow, crawlhouse: noindex', false],
  ['unavailable_after: 25 Jun 2030 15:00:00 PST, noindex', false],
  ['noindex', false],
  ['*: noindex', false],
])('X-Robots-Tag: %s', (header, index) => {
  expect(robots([], [header]).meta_robots_index).toBe(index);
});

test('tags for robots and for the crawler apply, those for other crawlers do not', () => {
  const html =
    '<meta name=ROBOTS content=nofollow><meta name="crawlhouse" content=noindex><meta name=otherbot content=noarchive>';
  expect(parsed(html).page).toMatchObject({ meta_robots: ['nofollow', 'noindex'], meta_robots_index: false });
});

test('headers apply without HTML', () => {
  const { page } = parsed('%PDF-1.7', {
    headers: [
      ['content-type', 'application/pdf'],
      ['x-robots-tag', 'noindex'],
      ['link', '<https://site.example/guide>; rel="canonical"'],
    ],
  });
  expect(page).toMatchObject({
    parsed_html: false,
    meta_robots_index: false,
    rel_canonical: 'https://site.example/guide',
    title: null,
  });
});

test('page-level nofollow applies to all its links', () => {
  const { links } = parsedWith('<a href=/a>a</a>', ['x-robots-tag', 'nofollow']);
  expect(links.map(({ follow, rel }) => [follow, rel])).toEqual([[false, null]]);
});

test.each([
  ['unavailable_after: 2020-09-21', false],
  ['unavailable_after: 2030-09-21', true],
  ['max-snippet:-1, unavailable_after: Wednesday, 25-Jun-2025 15:00:00 GMT, noarchive', false],
  ['unavailable_after:25 Jun 2025 15:00:00 PST', false],
  ['noarchive, unavailable_after: Sun, 26 Nov 2028 10:00:00 GMT', true],
  ['unavailable_after: some day', true],
])('%j leaves the page indexable: %s', (directive, index) => {
  expect(robots([directive]).meta_robots_index).toBe(index);
  expect(robots([], [directive]).meta_robots_index).toBe(index);
});

/** Spellings of one day by RFC 822, RFC 850 and ISO 8601; `Y` is its year. */
const DAYS = [
  'Fri, 25 Jun Y 15:00:00 GMT',
  '25 Jun Y 15:00:00 PST',
  '25 Jun Y 15:00:00 +0200',
  '25 Jun Y 15:00:00 CET',
  'Friday, 25-Jun-Y 15:00:00 UTC',
  '25-Jun-Y 15:00:00 EST',
  '25 Jun Y, 15:00:00 GMT',
  'June 25, Y',

  'Y-06-25',
  'Y-06-25T15:00:00Z',
  'Y-06-25T15:00:00+02:00',
  'Y-06-25 15:00:00 CEST',
  'Y0625',
  'Y0625T150000Z',
];
const BESIDE = [
  'noarchive',
  'max-snippet:20',
  'max-snippet: -1',
  'max-image-preview:large',
  'unavailable_after: 2039-01-01',
];

test('a time is accepted in each format, next to other directives before and after it', () => {
  const wrong = DAYS.flatMap((day) =>
    ['2010', '2038'].flatMap((year) =>
      BESIDE.flatMap((beside) => {
        const content = `unavailable_after: ${day.replace('Y', year)}`;
        return [content, `${content}, ${beside}`, `${beside}, ${content}, ${beside}`].filter((text) => {
          const both = [robots([text, 'max-snippet:1']), robots([], [text])];
          const hidden = [robots([], [`${text}, nofollow`]), robots([], [`crawlhouse: ${text}, nofollow`])];
          return (
            both.some(({ meta_robots_index }) => meta_robots_index !== (year === '2038')) ||
            hidden.some(({ meta_robots_follow }) => meta_robots_follow)
          );
        });
      }),
    ),
  );
  expect(wrong).toEqual([]);
});

test('search engines with noindex by name are listed, without the crawler itself', () => {
  const CRAWLER = { robotName: 'crawlhouse', now: new Date('2026-01-01') };
  const said = (name: string, content: string) => [{ name, content }];
  const noindexRobots = (...given: Parameters<typeof robotsDirectives>) =>
    robotsDirectives(...given).noindex_robots;
  expect(noindexRobots(said('googlebot', 'NoIndex, follow'), [], CRAWLER)).toEqual(['googlebot']);
  expect(noindexRobots([], ['googlebot: nofollow', 'bingbot: none'], CRAWLER)).toEqual(['bingbot']);
  expect(noindexRobots([], ['noindex, googlebot: nofollow'], CRAWLER)).toBeNull();
  expect(noindexRobots(said('robots', 'noindex'), [], CRAWLER)).toBeNull();
  expect(noindexRobots(said('googlebot', 'noindex'), [], { ...CRAWLER, robotName: 'googlebot' })).toBeNull();
  const past = said('googlebot', 'unavailable_after: 2010-06-25');
  expect(noindexRobots(past, [], CRAWLER)).toEqual(['googlebot']);
  expect(noindexRobots(past, [], { ...CRAWLER, now: new Date('2010-06-01') })).toBeNull();
});
