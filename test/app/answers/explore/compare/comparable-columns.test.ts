import { expect, test } from 'vitest';
import type { AskCrawls } from '../../../../../src/app/answers/explore/chosen-crawls.ts';
import {
  comparedOfAnswers,
  isDifferent,
  OF_ANSWER,
  partWords,
  seenByBoth,
  untoldParts,
  valuesDiffer,
  wasSeen,
} from '../../../../../src/app/answers/explore/compare/comparable-columns.ts';
import { typedRows } from '../../../../../src/core/text/typed-rows.ts';

const told = (column_name: string, part: string, crawl_id: string, crawls: number) => {
  return { column_name, part, crawl_id, crawls };
};

test('a column cannot be compared if one of the crawls lacks it, or a part of it', async () => {
  const rows = [
    told('title', 'title', 'c1', 2),
    told('h1', 'h1', 'c1', 1),
    told('rel', 'nofollow', 'c2', 1),
    told('rel', 'ugc', 'c1', 2),
  ];
  const ask: AskCrawls = async (schema) => typedRows(schema, rows);
  expect(Object.fromEntries(await untoldParts(ask, ['c1', 'c2'], ['title', 'h1', 'rel', 'size']))).toEqual({
    h1: { crawl_id: 'c2', part: 'h1' },
    rel: { crawl_id: 'c1', part: 'nofollow' },
    size: { crawl_id: 'c1', part: 'size' },
  });
});

test('texts of an answer count only where both crawls have its status', () => {
  expect(comparedOfAnswers(new Map())).toBe(OF_ANSWER);
  expect(comparedOfAnswers(new Map([['status_code', { crawl_id: 'c1', part: 'status_code' }]])).size).toBe(0);
});

test.each([
  ['title', 'caf\u00e9', 'cafe\u0301', false],
  ['title', 'a', 'b', true],
  ['title', null, 'a', true],
  ['title', null, null, false],
  ['url', 'caf\u00e9', 'cafe\u0301', true],
  ['depth', 1, 1, false],
  ['depth', 1, 2, true],
] as const)('%s: %j and %j differ: %s', (column, former, later, differs) => {
  expect(isDifferent(column, [former, later])).toBe(differs);
});

const page = (
  status_code: number | null,
  observation: string | null = 'read',
  reason: string | null = null,
) => {
  return { status_code, observation, observation_reason: reason };
};

test.each([
  ['depth', page(null, 'missing'), page(null, 'missing'), false, true],
  ['title', page(200), page(200), true, true],
  ['title', page(200), page(200), false, false],
  ['status_code', page(200), page(404), false, true],
  ['status_code', page(200), page(null), false, false],
  ['status_code', page(null), page(200), false, false],
  ['status_code', page(null), page(null), true, true],
  ['is_indexable', page(200), page(200, 'gone'), false, true],
  ['is_indexable', page(200, null), page(200, null), false, true],
  ['is_indexable', page(200), page(null, 'missing'), true, false],
  ['is_indexable', page(200), page(null, 'missing', 'blocked_by_robots'), false, true],
  ['is_indexable', page(null, 'missing', 'blocked_by_robots'), page(200), true, false],
] as const)('%s of %j and %j, both read: %s, was seen: %s', (column, former, later, isRead, expected) => {
  expect(wasSeen(column, [former, later], isRead)).toBe(expected);
});

test('a difference counts in SQL only where both crawls saw the column', () => {
  const sides = { former: 'f', later: 'l', how: 'h' };
  expect(seenByBoth('depth', sides)).toBe('');
  expect(seenByBoth('title', sides)).toBe(' AND coalesce(h.is_read, true)');
  expect(seenByBoth('status_code', sides)).toMatch(/ OR f.status_code IS NOT NULL AND l.status_code IS NOT/);
  expect(seenByBoth('is_indexable', sides)).toMatch(/l\.observation_reason = 'blocked_by_robots'\)$/);
  expect(valuesDiffer('title', ['a', 'b'])).toContain('nfc_normalize(a)');
  expect(valuesDiffer('depth', ['a', 'b'])).toBe('a IS DISTINCT FROM b');
  expect(partWords('title', 'title')).toBe('title');
  expect(partWords('rel', 'ugc')).toBe('a field with the ugc of rel');
});
