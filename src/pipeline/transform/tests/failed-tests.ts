import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { TestReport } from '../../../project/model/runs/report.ts';

/** An error for each data test of severity `error` that failed: any of them keeps the former publication. */
export function failedTests(tests: readonly TestReport[]): CrawlhouseError[] {
  return tests
    .filter((test) => test.status === 'failed' && test.severity === 'error')
    .map(
      (test) =>
        new CrawlhouseError('test_failed', `${test.model}: ${test.name}: ${test.failures} rows break it`),
    );
}
