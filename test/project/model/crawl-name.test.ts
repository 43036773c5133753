import { expect, test } from 'vitest';
import { crawlNamed, type NamedCrawl } from '../../../src/project/model/crawl-name.ts';

const named = (id: string, day: string | null, back: number | null, project = 'shop'): NamedCrawl => {
  return { id, project_id: `id of ${project}`, project_name: project, day, back };
};

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
])('%s names the crawl %s', ([name = '', id]) => {
  expect(crawlNamed(SHOP, name).id).toBe(id);
});

test.for(['-3', '2026-11-04', 'c9', '', 'Latest'])('"%s" names none, and near names are given', (name) => {
  expect(() => crawlNamed(SHOP, name)).toThrow(
    expect.objectContaining({ code: 'usage', message: `there is no crawl ${name}` }),
  );
});

test('the error says which crawls were the last, and what was most likely meant', () => {
  expect(() => crawlNamed(SHOP, 'lates')).toThrow(
    expect.objectContaining({
      hint: 'did you mean latest? give an identifier, latest, previous, -N or a day; last crawls: c3 (shop, 2026-11-03), mobile (shop, 2026-11-02), c2 (shop, 2026-11-02)',
    }),
  );
  expect(() => crawlNamed([], 'latest')).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('last crawls: none') }),
  );
});

test('a place or a day in several projects is refused, with the crawl of each', () => {
  const all = [...SHOP, named('b1', '2026-11-03', 0, 'blog')];
  for (const name of ['latest', '2026-11-03'])
    expect(() => crawlNamed(all, name)).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: `${name} names a crawl in each of 2 projects`,
        hint: 'name its project too, or give an identifier: c3 (shop), b1 (blog)',
      }),
    );
  expect(crawlNamed(all, 'previous').id).toBe('c2');
});
