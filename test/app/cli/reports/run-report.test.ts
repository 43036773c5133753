import { expect, test, vi } from 'vitest';
import { printBlocks } from '../../../../src/app/answers/presentation/print-blocks.ts';
import type { Invocation } from '../../../../src/app/cli/command.ts';
import { printErrors, runSummary } from '../../../../src/app/cli/reports/run-report.ts';
import { reportBlocks } from '../../../../src/app/operations/status/run-blocks.ts';
import { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import type { RunReport, UnitReport } from '../../../../src/etl/project/model/runs/unit-report.ts';
import type { Settings } from '../../../../src/etl/project/settings/settings.ts';

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
  started_at: '2026-11-21T06:00:00.000Z',
  ended_at: '2026-11-21T06:00:12.000Z',
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

const units: readonly UnitReport[] = [unit, { ...unit, unit: 'crawl_pages/c2', status: 'unchanged' }];
const NAMES = new Map([['p', 'shop']]);

/** A run as a terminal shows it. */
function describeRun(
  of: RunReport,
  names: ReadonlyMap<string, string>,
  isVerbose: boolean,
  width?: number,
): string {
  return printBlocks(reportBlocks(of, names, isVerbose), { width });
}

test('a run prints one line per project and one line of sums', () => {
  const failed = { ...unit, unit: 'crawl_pages/c3', status: 'failed', bytes: null } as const;
  const list = {
    ...unit,
    unit: 'crawls/w',
    source: { kind: 'resource', id: 'w', project_id: null },
  } as const;
  const text = describeRun({ ...report, units: [...units, failed, list] }, NAMES, false);
  expect(text.split('\n').slice(0, 5)).toEqual([
    'project              units               rows  bytes   time',
    'lists of workspaces  1 loaded               2   10 B  0.1 s',
    'shop                 1 loaded, 1 failed     2   10 B  0.2 s',
    'all                  2 loaded, 1 failed     4   20 B   12 s',
    '3 units, 1 model built, 1 of 2 data tests passed: done after 12 s',
  ]);
});

test('with --verbose, each unit has a line with its reconciliation', () => {
  const text = describeRun({ ...report, units }, NAMES, true);
  expect(text.split('\n')).toEqual([
    'unit            status  reported  received  staged  rejected  loaded  queryable  bytes   took  route   format  attempts',
    'crawl_pages/c1  loaded         2         2       2         0       2          2   10 B  0.1 s  stream  json           1',
    '',
    'project  units     rows  bytes   time',
    'shop     1 loaded     2   10 B  0.1 s',
    '1 unit, 1 model built, 1 of 2 data tests passed: done after 12 s',
    '',
    'warn: mart.pages: few: some of 9 rows',
    'url  n',
    'a    2',
    'all rows: SELECT url, n FROM few',
    '',
  ]);
});

test('a run without changes prints only what was requested, a failed run only its errors', async () => {
  const idle = { ...report, models: [] };
  const settings = {} as Settings;
  const on = { has: () => false, terminal: null } as unknown as Invocation;
  expect(await runSummary(on, settings, idle)).toBe(
    'Nothing new: every finished unit is in the warehouse.\n',
  );
  expect(await runSummary(on, settings, idle, 'Nothing to build.')).toBe('Nothing to build.\n');
  expect(await runSummary(on, settings, { ...idle, status: 'failed' })).toBe('');
});

test('in the rows of a failed test, NULL is shown and empty text stays empty', () => {
  const sample = [
    { url: '', n: null },
    { url: 'a', n: 1 },
  ];
  const tests = report.tests.map((one) => ({ ...one, sample }));
  const said = describeRun({ ...report, units, tests }, NAMES, false).split('\n');
  expect(said).toEqual(expect.arrayContaining(['     NULL', 'a       1']));
});

test('on a narrow terminal, the units of a project are listed below it', () => {
  const statuses = ['loaded', 'failed', 'refused', 'skipped'] as const;
  const many = statuses.map((status, index) => ({ ...unit, unit: `crawl_pages/c${index}`, status }));
  const names = new Map([['p', 'a-project-with-a-long-name']]);
  const text = describeRun({ ...report, units: many }, names, false, 80);
  expect(text.split('\n').slice(0, 3)).toEqual([
    'project                     rows  bytes   time',
    'a-project-with-a-long-name     2   40 B  0.4 s',
    '    units: 1 loaded, 1 failed, 1 refused, 1 skipped',
  ]);
});

test('the error of the whole run comes before errors of units', () => {
  const texts = ['a', 'b', 'c', 'd'].map((name) => `${name}: no space`);
  const failed = texts.map((message) => ({ ...unit, error: { code: 'disk', message, hint: null } }) as const);
  const errors = [...texts, 'not published: no space'].map((text) => new CrawlhouseError('disk', text));
  const said: string[] = [];
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  const invocation = { has: () => false, say: (text: string) => said.push(text) } as unknown as Invocation;
  const code = printErrors(invocation, {
    report: { ...report, units: failed },
    errors,
    exitCode: 3,
    yielded: false,
  });
  stderr.mockRestore();
  expect(code).toBe(3);
  expect(said.map((text) => text.split('\n')[0])).toEqual([
    'Error: not published: no space',
    'Error: a: no space',
    'Error: b: no space',
    'and 2 more errors disk: crawlhouse status',
  ]);
});
