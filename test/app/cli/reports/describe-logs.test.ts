import { expect, test } from 'vitest';
import { describeLogs } from '../../../../src/app/cli/reports/describe-logs.ts';
import { blankReport } from '../../../../src/site/access-logs/log-report.ts';

test('lines of an unfinished day are reported, because they are loaded later', () => {
  const now = Math.floor(Date.now() / 1000);
  const reportOf = (last: number | null): string =>
    describeLogs(
      [{ ...blankReport('access.log'), status: 'added', first_second: 0, last_second: last }],
      [],
      { site: 'https://www.example.com/', folder: '/var/log', width: 80 },
    );
  expect(reportOf(now)).toMatch(/\nThe day \d{4}-\d\d-\d\d has not ended \(UTC\): the first logs add after/);
  expect(reportOf(now - 86_400)).not.toContain('has not ended');
  expect(reportOf(null)).not.toContain('has not ended');
});

test('a narrow terminal shows the span of a file below its row, and shortens paths', () => {
  const file = {
    ...blankReport('/srv/tea/logs/access.log'),
    status: 'added' as const,
    format: 'combined',
    lines: 40,
    events: 40,
    first_second: 1_763_971_200,
    last_second: 1_763_974_800,
  };
  const text = (width: number | null): string[] =>
    describeLogs([file], [], { site: 'https://a.example/', folder: '/srv/tea', width }).split('\n');
  expect(text(80)).toEqual([
    'file             status  format    lines  events  rejects  other hosts',
    'logs/access.log  added   combined     40      40        0            0',
    '    from, to (UTC): 2025-11-24 08:00, 2025-11-24 09:00',
    '',
  ]);
  expect(text(null)[1]).toMatch(/^logs\/access\.log .* {2}2025-11-24 08:00, 2025-11-24 09:00$/);
});
