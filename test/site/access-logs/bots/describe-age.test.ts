import { expect, test } from 'vitest';
import { describeAge } from '../../../../src/site/access-logs/bots/bot-list.ts';

const ranges = ['2024-01-03', '2026-01-01', null].map((published) => ({
  range_list: 'a',
  prefix: '1.2.3.0/24',
  source: null,
  published,
  copied_from: null,
}));

test.each([
  ['2026-01-01', null],
  ['2026-06-30', null],
  ['2026-07-01', 'the newest list of address ranges is from 2026-01-01, 181 days ago'],
])('on %s', (today, expected) => {
  expect(describeAge({ ranges }, today)).toEqual(
    expected === null ? null : expect.stringContaining(expected),
  );
});

test('ranges without a day have no age', () => {
  expect(describeAge({ ranges: ranges.slice(2) }, '2026-07-01')).toBeNull();
  expect(describeAge({ ranges: [] }, '2026-07-01')).toBeNull();
});
