import { expect, test } from 'vitest';
import type { AskCrawls } from '../../../../../src/app/answers/explore/chosen-crawls.ts';
import {
  comparedOfAnswers,
  isDifferent,
  OF_ANSWER,
  untoldParts,
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
