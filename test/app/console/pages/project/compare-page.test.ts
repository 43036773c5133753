import { expect, test } from 'vitest';
import type { PageRequest } from '../../../../../src/app/console/page-parts/console-page.ts';
import { COMPARE } from '../../../../../src/app/console/pages/project/compare-page.ts';
import type { Readers } from '../../../../../src/app/console/readers/readers.ts';
import { CrawlhouseError } from '../../../../../src/core/errors/errors.ts';

const crawl = (number: number, previous: number | null, more: object = {}) => ({
  crawl_id: `c${number}`,
  crawl_number: number,
  ended_at: `2026-11-0${number}T06:00:00Z`,
  crawl_config_name: 'web',
  previous_crawl_id: previous === null ? null : `c${previous}`,
  is_main: false,
  ...more,
});
const PROJECT = { project_id: 'p', project_name: 'Shop', start_url: null };
const request = (query: string) =>
  ({ path: { project_id: 'p' }, query: new URLSearchParams(query) }) as never as PageRequest;

/** The crawls that the page compares: its key of the kept answers. */
async function comparedBy(query: string, crawls: readonly object[]): Promise<unknown> {
  let key = '';
  const stop = new CrawlhouseError('interrupted', 'it is known');
  const readers = {
    settings: { projectDir: '/nowhere' },
    rowsOnce: async (_schema: unknown, sql: string) => (sql.includes('has_pages') ? crawls : [PROJECT]),
    readOnce: async (asked: string) => {
      key = asked;
      throw stop;
    },
  } as never as Readers;
  try {
    const none = await COMPARE.read(request(query), readers, new AbortController().signal);
    return (none as { comparison: unknown }).comparison;
  } catch (thrown) {
    if (thrown !== stop) throw thrown;
    const [, { from, to, segment, segmentation }] = JSON.parse(key.slice('compare '.length));
    return [from, to, segment, segmentation].filter((part) => part !== undefined);
  }
}

test('a crawl is compared with its previous one, else with the next older or newer one', async () => {
  const crawls = [crawl(3, 1), crawl(2, null), crawl(1, null, { is_main: true })];
  for (const [query, expected] of [
    ['', ['c2', 'c1']],
    ['to=c3', ['c1', 'c3']],
    ['to=c2', ['c1', 'c2']],
    ['to=latest', ['previous', 'latest']],
    ['to=&from=', ['c2', 'c1']],
    ['from=c2&to=c3&segment=/a/&segmentation=', ['c2', 'c3', '/a/']],
    ['from=c3&segmentation=kind', ['c3', 'c1', 'kind']],
  ] as const)
    expect([query, await comparedBy(query, crawls)]).toEqual([query, expected]);
  expect(await comparedBy('', [crawl(3, 2), crawl(2, null)])).toEqual(['c2', 'c3']);
  for (const few of [[], [crawl(1, null)], [crawl(2, 1)]]) expect(await comparedBy('', few)).toBeNull();
  expect(await comparedBy('from=c9', [crawl(1, null)])).toEqual(['c9', 'c1']);
});

test('without two crawls, the page names the only one', () => {
  const drawn = (crawls: readonly object[]) =>
    COMPARE.draw(
      { project: 'p', comparison: null, crawls, segments: [], notes: { list: [], problem: null } },
      request(''),
    );
  expect(drawn([]).title).toBe('Compare');
  expect(drawn([]).body.text).toContain('No crawl of this project has pages yet.');
  expect(drawn([crawl(1, null)]).body.text).toMatch(/Only one crawl has pages, <a href="\/crawls\/c1"/);
});
