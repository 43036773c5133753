import { expect, test } from 'vitest';
import {
  crawlNamed,
  isRelativeName,
  type NamedCrawl,
  nearestNote,
} from '../../../../src/etl/project/model/crawl-name.ts';

const named = (id: string, day: string | null, back: number | null, project = 'shop'): NamedCrawl => {
  return { id, project_id: `id of ${project}`, project_name: project, day, back };
};

/** A week and a day after the first crawl. */
const NOW = Date.parse('2026-11-08T23:59:59Z');

const SHOP = [
  named('c1', '2026-11-01', 2),
  named('c2', '2026-11-02', 1),
  named('mobile', '2026-11-02', null),
  named('c3', '2026-11-03', 0),
  named('running', null, null),
];

test.for([
  ['c2', 'c2'],
  ['running', 'running'],
  ['latest', 'c3'],
  ['previous', 'c2'],
  ['-1', 'c2'],
  ['-2', 'c1'],
  ['-0', 'c3'],
  ['2026-11-01', 'c1'],
  ['2026-11-02', 'mobile'],
  ['2026-11-04', 'c3'],
  ['last-week', 'c1'],
  ['6-days-ago', 'mobile'],
  ['1-day-ago', 'c3'],
  ['0-days-ago', 'c3'],
])('%s names the crawl %s', ([name = '', id]) => {
  expect(crawlNamed(SHOP, name, NOW).id).toBe(id);
});

test.for(['-3', 'ago', 'last-month', 'c9', '', 'Latest'])(
  '"%s" names no crawl, and similar names are suggested',
  (name) => {
    expect(() => crawlNamed(SHOP, name, NOW)).toThrow(
      expect.objectContaining({ code: 'usage', message: `there is no crawl ${name}` }),
    );
  },
);

test.for([
  ['2026-10-31', '2026-10-31'],
  ['30-days-ago', '2026-10-09'],
])('%s names no crawl, and the requested day and the nearest crawl are shown', ([name = '', day]) => {
  expect(() => crawlNamed(SHOP, name, NOW)).toThrow(
    expect.objectContaining({
      message: `there is no crawl ${name}: no crawl ended on or before ${day}`,
      hint: expect.stringMatching(/^the nearest is c1 \(shop, 2026-11-01\); last crawls: c3 /),
    }),
  );
  expect(() => crawlNamed([], name, NOW)).toThrow(
    expect.objectContaining({ hint: expect.stringMatching(/^give .*; last crawls: none$/) }),
  );
});

test('the error lists the last crawls, and the most likely one', () => {
  expect(() => crawlNamed(SHOP, 'lates')).toThrow(
    expect.objectContaining({
      hint: 'did you mean latest? give an identifier, latest, previous, -N, a day, last-week or N-days-ago; last crawls: c3 (shop, 2026-11-03), mobile (shop, 2026-11-02), c2 (shop, 2026-11-02)',
    }),
  );
  expect(() => crawlNamed([], 'latest')).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('last crawls: none') }),
  );
});

test('a position or a day that fits several projects is refused, with the crawl of each', () => {
  const all = [...SHOP, named('b1', '2026-11-03', 0, 'blog')];
  for (const name of ['latest', '2026-11-03'])
    expect(() => crawlNamed(all, name)).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: `${name} names a crawl in each of 2 projects`,
        hint: 'name its project too, or use an identifier: c3 (shop), b1 (blog)',
      }),
    );
  expect(crawlNamed(all, 'previous').id).toBe('c2');
});

test('a crawl of another day than requested is reported; other names are not', () => {
  const [first, second] = SHOP as [NamedCrawl, NamedCrawl];
  expect(nearestNote('2026-11-05', second, NOW)).toBe(
    'no crawl ended on 2026-11-05; using the nearest earlier crawl, c2 of 2026-11-02',
  );
  expect(nearestNote('last-week', first, NOW)).toBeNull();
  expect(nearestNote('last-week', first, NOW + 86_400_000)).toMatch(/2026-11-02/);
  for (const name of ['latest', '-1', first.id]) expect(nearestNote(name, first, NOW)).toBeNull();
});

test('of several projects, a day means the one whose crawl ended then; a relative position is ambiguous', () => {
  const all = [...SHOP, named('b1', '2026-11-05', 0, 'blog')];
  expect(crawlNamed(all, '2026-11-05', NOW).id).toBe('b1');
  expect(() => crawlNamed(all, '3-days-ago', NOW)).toThrow(/in each of 2 projects/);
});

test.for([
  ['last-week', true],
  ['30-days-ago', true],
  ['2026-11-01', true],
  ['days-ago', false],
  ['c1', false],
] as const)('%s is relative: %s', ([name, is]) => {
  expect(isRelativeName(name)).toBe(is);
});

test.for(['2026-13-99', '2026-11-31', '2026-25-11', '2025-02-29', '2026-00-10', '2026-10-00'])(
  '%s looks like a day but is not valid, so it names no crawl',
  (name) => {
    expect(isRelativeName(name)).toBe(true);
    expect(() => crawlNamed(SHOP, name, NOW)).toThrow(
      expect.objectContaining({ code: 'usage', message: `${name} is not a calendar day` }),
    );
    expect(crawlNamed([...SHOP, named(name, '2026-11-04', null, 'shop')], name, NOW).id).toBe(name);
  },
);
