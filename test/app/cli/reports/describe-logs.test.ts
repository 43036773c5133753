import { expect, test } from 'vitest';
import { describeLogs, logErrors } from '../../../../src/app/cli/reports/describe-logs.ts';
import { blankReport, type LogFileReport } from '../../../../src/site/access-logs/log-report.ts';

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

const report = (more: object = {}) => ({ ...blankReport('/logs/a.log'), ...more }) as LogFileReport;
const PLACE = { site: 'https://a.example/', folder: '/logs', width: null };
const describe = (...files: object[]) => describeLogs(files.map(report), [], PLACE);

test.each([
  [
    { status: 'added', rejected: 1, lines: 3, reasons: { bad_time: 1 }, places: { bad_time: [2] } },
    '1 line of 3 skipped: bad time in line 2',
  ],
  [
    {
      status: 'added',
      rejected: 7,
      lines: 9,
      reasons: { bad_time: 7 },
      places: { bad_time: [1, 2, 3, 4, 5, 6] },
    },
    '7 lines of 9 skipped: bad time in lines 1, 2, 3, 4, 5, …',
  ],
  [
    {
      status: 'added',
      rejected: 5,
      lines: 9,
      reasons: { bad_time: 5 },
      places: { bad_time: [1, 2, 3, 4, 5] },
    },
    'bad time in lines 1, 2, 3, 4, 5.',
  ],
  [
    { status: 'added', rejected: 1, lines: 9, reasons: { implausible_day: 1 }, places: {}, odd_year: 1900 },
    'implausible day in line  (the year 1900)',
  ],
  [
    { status: 'added', known_lines: 4, earlier_name: 'old.log' },
    '4 of its lines were read before, in old.log',
  ],
  [{ status: 'known', earlier_name: 'old.log' }, 'it is the same as old.log, which was read before'],
  [{ unfinished_bytes: 1 }, 'its last line is incomplete'],
  [
    { other_hosts: 2, other_host_names: ['b.example'] },
    '2 lines name other hosts (b.example); --host adds one',
  ],
  [{ assumed_zone: true }, 'Times have no offset'],
  [{ format: 'combined', later_formats: ['w3c'] }, 'its format changes: some lines are combined, others w3c'],
  [{ lacks_forwarded: true }, '--forwarded has no effect'],
  [{ unknown_agents: 2 }, '2 lines without a user agent'],
  [{ assumed_scheme: true }, 'Requests have http:// without a port'],
  [{ assumed_host: true }, 'Lines name no host: https://a.example/ is assumed'],
  [
    { days: 2, first_second: 0, last_second: 86_400 * 900 },
    '2 days that are far apart: check 1970-01-01 00:00, 1972-',
  ],
])('a report with %j has a remark', (file, remark) => {
  expect(describe(file)).toContain(remark);
});

test('a plain report has no remark, and a remark appears once', () => {
  expect(describe({ status: 'added', lines: 3, events: 3 }).trim().split('\n')).toHaveLength(2);
  expect(describe({ status: 'known', known_lines: 4 }).trim().split('\n')).toHaveLength(2);
  expect(describe({ status: 'refused', rejected: 4, lines: 9 })).not.toContain('skipped');
  expect(describe({ assumed_zone: true }, { assumed_zone: true }).match(/no offset/g)).toHaveLength(1);
});

test('several files have sums, and of many only those with problems are listed', () => {
  const file = { status: 'added', lines: 2, events: 1, rejected: 0, other_hosts: 1 };
  expect(describe(file, file)).toMatch(/2 files\D+4 +2 +0 +2/);
  expect(describe(file)).not.toContain('1 file');
  const rows = (...files: object[]) => describe(...files).match(/a\.log {2}/g)?.length ?? 0;
  const many = (count: number, more: object) => Array.from({ length: count }, () => ({ ...file, ...more }));
  expect(rows(...many(20, {}))).toBe(20);
  expect(rows(...many(21, {}))).toBe(0);
  expect(rows(...many(21, { status: 'known' }))).toBe(0);
  expect(rows(...many(21, { status: 'failed' }))).toBe(20);
  expect(rows(...many(20, {}), { ...file, rejected: 1, lines: 3 })).toBe(1);
  expect(describe()).toBe('');
});

test('bots are listed, and nearly all refuted ones suggest a proxy', () => {
  const bots = (...all: [number, number][]) =>
    describeLogs(
      [],
      all.map(([verified, refuted], at) => ({ bot: `bot${at}`, verified, refuted, unchecked: 0 })),
      PLACE,
    );
  expect(bots([3, 2])).toMatch(/^bot by its user agent .*\n.*bot0 +3 +2 +0/);
  expect(bots(...Array.from({ length: 9 }, (): [number, number] => [1, 0]))).not.toContain('bot8');
  for (const [verified, refuted, isProxy] of [
    [0, 100, true],
    [0, 99, false],
    [100, 900, true],
    [100, 899, false],
  ] as const)
    expect(bots([verified, refuted]).includes('use --forwarded'), `${verified} ${refuted}`).toBe(isProxy);
});

test('a file that failed, or whose rejects are too many, is an error', () => {
  const error = { code: 'bad_log', message: 'no', hint: 'h' };
  expect(logErrors([report({ status: 'added', rejected: 1 })])).toEqual([]);
  expect(logErrors([report({ status: 'failed', error })])).toMatchObject([error]);
  expect(
    logErrors([report({ status: 'refused', rejected: 2, lines: 3, reasons: { bad_time: 2 }, places: {} })]),
  ).toMatchObject([
    { code: 'rejected_values', message: expect.stringContaining('2 lines of 3 cannot be read') },
  ]);
});
