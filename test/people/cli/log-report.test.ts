import { expect, test } from 'vitest';
import { describeLogs } from '../../../src/people/cli/log-report.ts';
import { blankReport } from '../../../src/service/logs/log-report.ts';

test('lines of a day that has not ended are told of, because they are loaded later', () => {
  const now = Math.floor(Date.now() / 1000);
  const reportOf = (last: number | null): string =>
    describeLogs(
      [{ ...blankReport('access.log'), status: 'added', first_second: 0, last_second: last }],
      [],
      'https://www.example.com/',
    );
  expect(reportOf(now)).toMatch(/\nThe day \d{4}-\d\d-\d\d has not ended \(UTC\): the first logs add after/);
  expect(reportOf(now - 86_400)).not.toContain('has not ended');
  expect(reportOf(null)).not.toContain('has not ended');
});
