import { expect, test } from 'vitest';
import { partOfRows, unitsOf, withinBudget } from '../../../src/app/mcp/part-of-rows.ts';

const ROWS = [1, 2, 3, 4, 5];
const part = (limit: number, cursor: string, ...total: [(number | null)?]) =>
  partOfRows(ROWS, { limit, cursor }, ...total);

test('a part has a cursor if more rows follow and were read', () => {
  expect(part(2, '0')).toEqual({ total: 5, rows: [1, 2], next_cursor: '2' });
  expect(part(2, '4')).toEqual({ total: 5, rows: [5] });
  expect(part(5, '0')).toEqual({ total: 5, rows: ROWS });
  expect(part(5, '0', 9)).toEqual({ total: 9, rows: ROWS, next_cursor: '5' });
  expect(part(6, '0', 9)).toEqual({ total: 9, rows: ROWS });
  expect(part(2, '0', null)).toEqual({ total: null, rows: [1, 2] });
  expect(part(2, '9', null)).toEqual({ total: null, rows: [] });
});

test('a cursor after the last row is refused, but an empty answer is not', () => {
  expect(() => part(2, '5')).toThrow('the cursor is after the last of 5 rows');
  expect(() => part(2, '6')).toThrow('the cursor is after');
  expect(partOfRows([], { limit: 2, cursor: '0' })).toEqual({ total: 0, rows: [] });
});

test('columns have their units', () => {
  expect(unitsOf([{ depth: 1 }, { average_load_time: 2, title: 'a' }])).toEqual({
    units: { depth: 'clicks from the start', average_load_time: 'milliseconds' },
  });
  expect(unitsOf([{ title: 'a' }])).toEqual({});
});

test('an answer that is too long for an assistant has fewer rows, and its cursor leads to the others', async () => {
  const rows = Array.from({ length: 1000 }, (_, row) => `${row} ${'x'.repeat(row < 500 ? 90 : 900)}`);
  const limits: number[] = [];
  const answer = async (asked: { limit: number; cursor: string }) => {
    limits.push(asked.limit);
    return partOfRows(rows, asked);
  };
  const seen: string[] = [];
  for (let cursor: string | undefined = '0'; cursor !== undefined; ) {
    const found = (await withinBudget({ limit: 1000, cursor }, answer)) as ReturnType<
      typeof partOfRows<string>
    >;
    expect(JSON.stringify(found).length).toBeLessThan(60_200);
    seen.push(...found.rows);
    cursor = found.next_cursor;
  }
  expect(seen).toEqual(rows);
  expect(limits.length).toBeLessThan(50);
  expect(await withinBudget({ limit: 2, cursor: '0' }, answer)).toEqual(
    partOfRows(rows, { limit: 2, cursor: '0' }),
  );
  expect(await withinBudget({ limit: 700, cursor: '0' }, answer)).toHaveProperty(
    'note',
    expect.stringMatching(/^limit is \d+ instead of 700: an answer has at most 60000 characters$/),
  );
});

test('an answer of few long rows is requested a few times', async () => {
  const limits: number[] = [];
  const answer = async ({ limit }: { limit: number }) => {
    limits.push(limit);
    return ['a', 'b', 'c'].slice(0, limit).map((row) => row.repeat(25_000));
  };
  await withinBudget({ limit: 1000 }, answer);
  expect(limits).toEqual([1000, 719, 26, 5, 2]);
});

test.for([{ limit: 1000 }, {}])('an answer whose rows cannot be fewer is refused with %j', async (asked) => {
  await expect(withinBudget(asked, async () => ({ text: 'x'.repeat(60_000) }))).rejects.toMatchObject({
    code: 'query_limit',
    message: 'the answer has 60011 characters; the maximum is 60000',
    hint: 'request less: fewer columns, one part, or a narrower question',
  });
});
