import { expect, test } from 'vitest';
import {
  findHealed,
  findRunFailures,
  findUnitFailures,
} from '../../../../src/app/operations/alert/find-failures.ts';

/** What no test here looks at. */
const rest = { hint: null, failing_since: null };
const name = (id: string): string => (id === 'p1' ? 'shop' : id);

test('failing units are one incident per project and code', () => {
  const units = [
    { unit: 'crawl_pages/a', project_id: 'p1', code: 'connection', message: 'reset' },
    { unit: 'crawl_links/a', project_id: 'p1', code: 'connection', message: 'no answer' },
    { unit: 'crawl_pages/b', project_id: 'p1', code: 'unreconciled', message: '3 rows, but 4' },
    { unit: 'projects/w', project_id: null, code: 'connection', message: 'reset' },
  ] as const;
  expect(
    findUnitFailures(
      units.map((one) => ({ ...rest, ...one })),
      name,
      true,
    ),
  ).toMatchObject([
    {
      key: 'units/p1/connection',
      title: '2 units of shop failed: connection',
      details: ['crawl_pages/a: reset', 'crawl_links/a: no answer'],
      wait: false,
    },
    { key: 'units/p1/unreconciled', title: '1 unit of shop failed: unreconciled' },
    { key: 'units/workspace/connection', title: '1 unit failed: connection', project_id: null },
  ]);
});

test('many units are shown as the first unit and a count', () => {
  const units = Array.from({ length: 30 }, (_, index) => {
    return {
      ...rest,
      unit: `crawl_pages/${index}`,
      project_id: 'p2',
      code: 'quota',
      message: 'used up',
    } as const;
  });
  const [incident] = findUnitFailures(units, name, true);
  expect(incident?.title).toBe('30 units of p2 failed: quota');
  expect(incident?.details).toHaveLength(10);
  expect(incident?.details.at(-1)).toBe('and 21 more');
});

test('skipped, interrupted and quarantined units, and a held lock, are not failures', () => {
  const codes = ['missing_feature', 'interrupted', 'timed_out', 'volume_held'] as const;
  const units = codes.map((code) => ({ ...rest, unit: 'u', project_id: 'p1', code, message: code }));
  expect(findUnitFailures(units, name, true)).toEqual([]);
  const errors = (['locked', 'interrupted', 'usage', 'not_exportable'] as const).map((code) => {
    return { code, message: code };
  });
  expect(findRunFailures('morning', errors, true)).toEqual([]);
});

test('errors of a run are one incident per schedule and code, each message once', () => {
  const errors = [
    { code: 'test_failed', message: 'pages: url is not unique' },
    { code: 'test_failed', message: 'pages: url is not unique' },
    { code: 'unauthorized', message: 'the token is not accepted' },
  ] as const;
  expect(findRunFailures('morning', errors, true)).toMatchObject([
    {
      key: 'run/morning/test_failed',
      title: 'morning failed: test_failed',
      details: ['pages: url is not unique'],
    },
    { key: 'run/morning/unauthorized' },
  ]);
});

test('before the last retry, retriable errors raise no alert, refused data does', () => {
  const errors = [
    { code: 'connection', message: 'reset' },
    { code: 'bad_pipeline', message: 'unknown key' },
  ] as const;
  expect(findRunFailures('morning', errors, false).map(({ wait }) => wait)).toEqual([true, false]);
});

test('an incident starts with its earliest unit and shows its hint', () => {
  const units = ['2026-03-02T06:00:00.000Z', '2026-03-01T06:00:00.000Z', null].map((failing_since, index) => {
    const code = 'unreconciled' as const;
    return { unit: `u${index}`, project_id: 'p1', code, message: 'no', hint: 'look', failing_since };
  });
  expect(findUnitFailures(units, name, true)).toMatchObject([
    { began: '2026-03-01T06:00:00.000Z', hint: 'look' },
  ]);
});

test('damaged files that a run replaced are one incident of the run, with a hint to check the disk', () => {
  expect(findHealed('morning', undefined, null)).toEqual([]);
  expect(findHealed('morning', ['w.duckdb is damaged; it was replaced'], 'then')).toMatchObject([
    {
      key: 'run/morning/healed',
      details: ['w.duckdb is damaged; it was replaced'],
      began: 'then',
      hint: expect.stringContaining('check the disk'),
    },
  ]);
});
