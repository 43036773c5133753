import { expect, test } from 'vitest';
import { readUrlHistory } from '../../../../../src/app/answers/explore/url/url-history.ts';
import type { UrlPlace } from '../../../../../src/app/answers/explore/url/url-place.ts';

const TOLD = 'depth depth,h1 h1,is_indexable a,is_indexable b,status_code status_code,title title';
const row = (crawl_id: string, more: object = {}) => ({
  ...{ crawl_id, previous_crawl_id: 'c1', is_in_crawl: true, status_code: 200, is_indexable: true },
  ...{
    non_indexable_reason: null,
    title: 'A',
    h1: 'A',
    meta_description: 'A',
    rel_canonical: null,
    depth: 1,
  },
  ...{ observation: 'read', observation_reason: null, told: TOLD, change: null, reason: null, is_read: true },
  ...more,
});
const historyOf = (...rows: object[]) => readUrlHistory({ rows: async () => rows } as unknown as UrlPlace);
const changesOf = async (former: object, later: object) => {
  const { found } = await historyOf(row('c2', later), row('c1', { previous_crawl_id: null, ...former }));
  return found[0]?.changes.map(({ change, before, after }) => [change, before, after]);
};

test.each([
  [{}, {}, []],
  [
    {},
    { title: 'B', depth: 2 },
    [
      ['title', 'A', 'B'],
      ['depth', 1, 2],
    ],
  ],
  // Neither export contains it.
  [{}, { meta_description: 'B' }, []],
  [{}, { title: 'B', told: TOLD.replace('title title', 'title other') }, []],
  [{ told: null }, { title: 'B', told: null }, []],
  [{}, { is_indexable: false, told: TOLD.replace(',is_indexable b', '') }, []],
  [{}, { is_indexable: false }, [['is_indexable', true, false]]],
  // Another status is one change; the texts of its answer are none.
  [
    {},
    { status_code: 404, title: 'B', depth: 2 },
    [
      ['status_code', 200, 404],
      ['depth', 1, 2],
    ],
  ],
  [{ told: 'title title' }, { status_code: 404, title: 'B', told: 'title title' }, [['title', 'A', 'B']]],
  // A page that was not read has no text.
  [{}, { title: 'B', depth: 2, is_read: false }, [['depth', 1, 2]]],
  [{}, { is_in_crawl: false, title: null, change: 'removed', reason: 'gone' }, [['removed', null, 'gone']]],
  [{ is_in_crawl: false, title: null }, { change: 'added' }, [['added', null, null]]],
  [
    {},
    { change: 'moved', reason: 'b', title: 'B' },
    [
      ['moved', null, 'b'],
      ['title', 'A', 'B'],
    ],
  ],
])('from %j to %j, the changes are %j', async (former, later, changes) => {
  expect(await changesOf(former, later)).toEqual(changes);
});

test('a crawl without a previous one has no changes, and helper columns are left out', async () => {
  const { found, why } = await historyOf(row('c2', { previous_crawl_id: 'c0', title: 'B' }), row('c1'));
  expect([found.map(({ changes }) => changes), why]).toEqual([[[], []], null]);
  expect(found[0]).not.toHaveProperty('told');
  expect(await historyOf(row('c1', { is_in_crawl: false }))).toEqual({
    found: [],
    why: 'no crawl of this configuration contains this page',
  });
});
