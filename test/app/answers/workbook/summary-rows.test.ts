import { expect, test } from 'vitest';
import { summaryRows } from '../../../../src/app/answers/workbook/summary-rows.ts';

type Report = Parameters<typeof summaryRows>[0];
const point = (crawl_id: string, pages: number, error_pages: number | null) => ({
  crawl_id,
  pages,
  indexable_pages: 5,
  error_pages,
  average_load_time: null,
});
const REPORT = {
  project_id: 'p1',
  project_name: 'Shop',
  crawl_id: 'c2',
  crawl_config_name: null,
  previous_crawl_id: 'c1',
  scope_note: null,
  ended_at: '2026-03-08T03:00:00Z',
  previous_ended_at: '2026-03-01T03:00:00Z',
  trend: [point('c1', 8, 2), point('c2', 10, null)],
  funnel: [{ known: 20, fetched: 'x' }],
  changes: [{ change: 'added', pages: 3 }],
  missing_pages: [{ reason: 'blocked_by_robots', pages: 1 }],
};
const day = (text: string) => ({ milliseconds: Date.parse(text), isDay: true });
const [OWN, PREVIOUS] = [day('2026-03-08'), day('2026-03-01')];
const rows = (more: object = {}, remark?: string) =>
  new Map(
    summaryRows(
      { ...REPORT, ...more } as unknown as Report,
      [
        { pages: 2, severity: 'high' },
        { pages: 1, severity: 'low' },
        { pages: 0, severity: 'high' },
      ] as unknown as Parameters<typeof summaryRows>[1],
      remark,
    ).map(([name, ...cells]) => [name, cells]),
  );

test('a figure has its crawl, and the previous value with the change', () => {
  const all = rows();
  expect(all.get('Pages')).toEqual([10, 'pages', OWN, 8, PREVIOUS, 2]);
  expect(all.get('Pages with errors')).toEqual([null, 'pages', OWN, 2, PREVIOUS, null]);
  expect(all.get('Average load time')).toEqual([null, 'ms', OWN, null, null, null]);
  expect(all.get('Issues')).toEqual([2, 'issues', OWN, null, null, null]);
  expect(all.get('Issues of high severity')?.[0]).toBe(1);
  const first = rows({ previous_crawl_id: null, previous_ended_at: null, trend: [] });
  expect(first.get('Pages')).toEqual([null, 'pages', OWN, null, null, null]);
});

test('known facts, steps of the funnel and changes have rows', () => {
  const names = [...rows({}, 'Mind this.').keys()];
  expect(names.slice(0, 4)).toEqual(['Project', 'Crawl', 'Previous crawl', 'Note']);
  expect(names.filter((name) => String(name).startsWith('URLs: '))).toHaveLength(1);
  const changes = [...rows()].filter(([name]) => /^(Changed|Not read again): /.test(String(name)));
  expect(changes.map(([, cells]) => cells)).toEqual([
    [3, 'pages', OWN, null, PREVIOUS, null],
    [1, 'pages', OWN, null, PREVIOUS, null],
  ]);
  expect(rows({ project_name: null }).get('Project')).toEqual(['p1']);
  expect(rows({ funnel: [], scope_note: 'A part.' }).get('Scope')).toEqual(['A part.']);
});
