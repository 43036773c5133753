import { expect, test } from 'vitest';
import type { ErrorCode } from '../../../../../src/core/errors/error-codes.ts';
import { CrawlhouseError } from '../../../../../src/core/errors/errors.ts';
import { failedTests } from '../../../../../src/etl/pipeline/transform/tests/test-model.ts';
import { exitCodeOf, runStatus } from '../../../../../src/etl/project/model/runs/run-result.ts';

function errors(...codes: readonly ErrorCode[]): CrawlhouseError[] {
  return codes.map((code) => new CrawlhouseError(code, code));
}

test.for([
  [[], 0, 'done'],
  [['missing_feature', 'not_exportable'], 0, 'done'],
  [['connection'], 3, 'partial'],
  [['connection', 'unreconciled'], 4, 'refused'],
  [['unreconciled', 'unauthorized', 'connection'], 5, 'failed'],
  [['unauthorized', 'bad_settings'], 2, 'failed'],
  [['bad_settings', 'internal', 'quota'], 1, 'failed'],
  [['internal', 'interrupted'], 130, 'failed'],
] as const)('a run with the errors %j ends with %i: %s', ([codes, exitCode, status]) => {
  expect([exitCodeOf(errors(...codes)), runStatus(errors(...codes), [{ status: 'loaded' }])]).toEqual([
    exitCode,
    status,
  ]);
});

test.for([
  ['connection', ['failed', 'failed'], 'failed'],
  ['service_unavailable', [], 'failed'],
  ['connection', ['failed', 'skipped'], 'failed'],
  ['connection', ['failed', 'unchanged'], 'partial'],
  ['unreconciled', ['refused'], 'refused'],
] as const)('with %s, a run whose units are %j is %s', ([code, statuses, status]) => {
  expect(
    runStatus(
      errors(code),
      statuses.map((one) => ({ status: one })),
    ),
  ).toBe(status);
});

test('only a failed test of severity error is an error', () => {
  const test = { name: 'unique', model: 'mart.pages', failures: 3, sample: [], query: '' };
  const found = failedTests([
    { ...test, severity: 'error', status: 'passed', failures: 0 },
    { ...test, severity: 'warn', status: 'failed' },
    { ...test, severity: 'error', status: 'failed' },
  ]);
  expect(found.map((error) => [error.code, error.message])).toEqual([
    ['test_failed', 'mart.pages: unique: 3 rows break it'],
  ]);
});
