import { expect, test } from 'vitest';
import { printBlocks } from '../../../../src/app/answers/presentation/print-blocks.ts';
import { failedTestsOf, isIdle, reportBlocks } from '../../../../src/app/operations/status/run-blocks.ts';
import type {
  RunReport,
  TestReport,
  UnitReport,
} from '../../../../src/etl/project/model/runs/unit-report.ts';

const COUNTS = { reported: 2, received: 2, staged: 2, rejected: 0, loaded: 2, queryable: 2 };
const unit = (project_id: string | null, status: string, more: object = {}) =>
  ({
    ...{ unit: `pages/${project_id}`, dataset: 'pages', source: { kind: 'crawl', id: 'c', project_id } },
    ...{ window: null, route: 'stream', format: 'json', reason: null, counts: COUNTS, bytes: 10, seconds: 3 },
    ...{ attempts: 1, status, error: null, ...more },
  }) as unknown as UnitReport;
const rule = (status: string, more: object = {}) =>
  ({
    ...{ name: 'unique', model: 'mart.a', severity: 'warn', status, failures: 0, sample: [] },
    ...{ query: 'SELECT *\n  FROM a ', ...more },
  }) as TestReport;
const report = (more: Partial<RunReport> = {}) =>
  ({
    ...{ run_id: 'r', status: 'succeeded', started_at: '2026-03-01T03:00:00Z' },
    ...{ ended_at: '2026-03-01T03:00:05Z', units: [], models: [], tests: [], ...more },
  }) as RunReport;
const model = (status: 'built' | 'unchanged') => ({ name: 'mart.a', status, rows: 1, seconds: 1 });
const NAMES = new Map([['p', 'Shop']]);

test.each([
  [{}, true],
  [{ units: [unit('p', 'unchanged')], models: [model('unchanged')] }, true],
  [{ units: [unit('p', 'unchanged')], models: [model('unchanged'), model('built')] }, false],
  [{ units: [unit('p', 'failed')] }, false],
])('a run is idle if it changed nothing: %#', (more, idle) => {
  expect(isIdle(report(more))).toBe(idle);
  expect(reportBlocks(report(more), NAMES, true).length === 0).toBe(idle);
});

test('a run shows each project, the sum of several, and its models and tests', () => {
  const units = [
    unit('p', 'loaded'),
    unit('p', 'failed', { bytes: null }),
    unit('p', 'unchanged'),
    unit('b', 'loaded', { seconds: 4 }),
    unit(null, 'loaded'),
  ];
  const whole = report({ units, models: [model('built'), model('unchanged')], tests: [rule('passed')] });
  const lines = printBlocks(reportBlocks(whole, NAMES, false))
    .trimEnd()
    .split('\n');
  expect(lines.map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
    'project | units | rows | bytes | time',
    'b | 1 loaded | 2 | 10 B | 4.0 s',
    'lists of workspaces | 1 loaded | 2 | 10 B | 3.0 s',
    'Shop | 1 loaded, 1 failed | 2 | 10 B | 6.0 s',
    'all | 3 loaded, 1 failed | 6 | 30 B | 5.0 s',
    '4 units, 1 model built, 1 of 1 data test passed: succeeded after 5.0 s',
  ]);
  const one = printBlocks(reportBlocks(report({ units: units.slice(0, 1) }), NAMES, false));
  expect(one).not.toContain('all');
  expect(one).not.toContain('stream');
  expect(printBlocks(reportBlocks(report({ units: units.slice(0, 1) }), NAMES, true))).toContain('stream');
});

test('a failed test shows rows that break it, and the SELECT for all of them', () => {
  const sample = [{ url: 'a', n: 1, more: null, list: [1] }];
  const failed = [
    rule('passed'),
    rule('failed', { failures: 3, sample }),
    rule('failed', { failures: 1, sample }),
  ];
  const text = printBlocks(failedTestsOf(failed));
  expect(text).toContain('warn: mart.a: unique: some of 3 rows\n');
  expect(text).toContain('warn: mart.a: unique: 1 row\n');
  expect(text).toMatch(/a +1 +NULL +\[1\]\n/);
  expect(text.match(/all rows: SELECT \* FROM a\n/g)).toHaveLength(2);
});
