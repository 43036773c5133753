import { expect, test } from 'vitest';
import { findRowCountAnomalies } from '../../../../src/app/operations/alert/incident.ts';
import { isFew, usualRows } from '../../../../src/etl/project/model/route-pace.ts';

test('the usual number is the median of three or more predecessors', () => {
  expect(usualRows([])).toBeNull();
  expect(usualRows([1000, 1000])).toBeNull();
  expect(usualRows([1000, 10, 1200])).toBe(1000);
  expect(usualRows([100, 200, 300, 1000])).toBe(250);
});

test('very small units have no usual row count', () => {
  expect(usualRows([3, 4, 5])).toBeNull();
  expect(usualRows([49, 49, 49])).toBeNull();
  expect(usualRows([50, 50, 50])).toBe(50);
});

test('fewer than the configured share of the usual rows is an anomaly, but not without a usual count', () => {
  expect(isFew(499, 1000, 0.5)).toBe(true);
  expect(isFew(500, 1000, 0.5)).toBe(false);
  expect(isFew(0, null, 0.5)).toBe(false);
  expect(isFew(0, 1000, 0)).toBe(false);
});

test('the row-count anomalies of a project are one incident', () => {
  const units = [
    { project_id: 'p1', what: 'crawl_pages/a: 10 rows, usually 100' },
    { project_id: 'p1', what: 'crawl_links/a: 50 rows, usually 900' },
    { project_id: 'p2', what: 'crawl_pages/b: 1 rows, usually 80' },
  ];
  expect(
    findRowCountAnomalies(
      units.map((one) => ({ ...one, began: null, hint: null })),
      (id) => `name of ${id}`,
    ),
  ).toMatchObject([
    {
      key: 'volume/p1',
      title: 'name of p1: far fewer rows than usual',
      details: [units[0]?.what, units[1]?.what],
    },
    { key: 'volume/p2' },
  ]);
});
