import { expect, test } from 'vitest';
import { whyNot } from '../../../../../src/app/answers/explore/compare/compared-crawls.ts';

type Row = Parameters<typeof whyNot>[0];
const [from, to] = [
  { crawl_id: 'c1', crawl_number: 1, ended_at: '2026-03-01T03:00Z' },
  { crawl_id: 'c2', crawl_number: 2, ended_at: '2026-03-08T03:00Z' },
] as const;

test.each([
  [{}, null],
  [{ is_by_days: true }, /depends on days/],
  [{ is_sampled: true }, /sample of pages/],
  [{ lacks_before: 'lacks links' }, /^crawl 1 .* lacks links$/],
  [{ lacks_after: 'lacks links' }, /^crawl 2 .* lacks links$/],
  [{ before: null }, /^the export of crawl 1 .* lacks a field/],
  [{ after: null }, /^the export of crawl 2 .* lacks a field/],
])('an issue with %j is not compared for a reason', (more, why) => {
  const row = {
    is_by_days: false,
    is_sampled: false,
    before: 1,
    after: 2,
    lacks_before: null,
    lacks_after: null,
  };
  const reason = whyNot({ ...row, ...more } as Row, from, to);
  if (why === null) expect(reason).toBeNull();
  else expect(reason).toMatch(why);
});
