import { expect, test } from 'vitest';
import { describeRun } from '../../src/cli/run-report.ts';
import type { RunReport, UnitReport } from '../../src/model/report.ts';

const unit: UnitReport = {
  unit: 'crawl_pages/c1',
  dataset: 'crawl_pages',
  source: { kind: 'crawl', id: 'c1', project_id: 'p' },
  window: null,
  route: 'stream',
  format: 'json',
  reason: null,
  status: 'loaded',
  counts: { reported: 2, received: 2, staged: 2, rejected: 0, loaded: 2, queryable: 2 },
  bytes: 10,
  seconds: 0.1,
  attempts: 1,
  error: null,
};
const report: RunReport = {
  run_id: 'r',
  status: 'done',
  started_at: '',
  ended_at: '',
  units: [],
  models: [{ name: 'mart.pages', status: 'built', rows: 2, seconds: 0.1 }],
  tests: [
    {
      name: 'unique',
      model: 'mart.pages',
      severity: 'error',
      status: 'passed',
      failures: 0,
      sample: [],
      query: '',
    },
    {
      name: 'few',
      model: 'mart.pages',
      severity: 'warn',
      status: 'failed',
      failures: 9,
      sample: [{ url: 'a', n: 2 }],
      query: 'SELECT url, n\n  FROM few',
    },
  ],
};

test('a run is told as its reconciliation and one line of sums', () => {
  const text = describeRun({
    ...report,
    units: [unit, { ...unit, unit: 'crawl_pages/c2', status: 'unchanged' }],
  });
  expect(text.split('\n')).toEqual([
    'unit            status  reported  received  staged  rejected  loaded  queryable  bytes  seconds',
    'crawl_pages/c1  loaded         2         2       2         0       2          2  10 B       0.1',
    '1 units, 1 models built, 1 of 2 data tests passed: done',
    '',
    'warn: mart.pages: few: some of 9 rows',
    'url  n',
    'a    2',
    'all of them: SELECT url, n FROM few',
    '',
  ]);
});

test('a run without changes says so, a failed one shows its errors only', () => {
  const idle = { ...report, models: [] };
  expect(describeRun(idle)).toBe('Nothing new: every finished unit is in the warehouse.\n');
  expect(describeRun({ ...idle, status: 'failed' })).toBe('');
});
