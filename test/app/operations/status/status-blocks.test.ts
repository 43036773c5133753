import { expect, test } from 'vitest';
import { isAlarm, printBlocks } from '../../../../src/app/answers/presentation/print-blocks.ts';
import type { Status } from '../../../../src/app/operations/status/read-status.ts';
import {
  findInStatus,
  foundBlocks,
  statusBlocks,
} from '../../../../src/app/operations/status/status-blocks.ts';
import { statusFacts } from '../../../../src/app/operations/status/status-facts.ts';

/** A status as a terminal shows it. */
function describeStatus(
  of: Status,
  schedules: Parameters<typeof statusFacts>[1],
  now: number,
  width: number | null = null,
): string {
  return printBlocks(statusBlocks(statusFacts(of, schedules), now), { width, indent: 2 });
}

const NOW = Date.parse('2026-11-21T08:00:00Z');
const unit = (name: string, status: 'failed' | 'published', more = {}) => ({
  unit: name,
  dataset: 'crawl_pages',
  source: { kind: 'crawl' as const, id: 'c1', project_id: 'p1' },
  window: null,
  status,
  attempts: 4,
  error: status === 'failed' ? { code: 'cut_short' as const, message: 'it ended early', hint: null } : null,
  failures: status === 'failed' ? 3 : 0,
  failing_since: null,
  next_try_at: null,
  updated_at: '2026-11-21T06:00:00.000Z',
  ...more,
});
const status: Status = {
  incidents: [
    {
      key: 'units/p1/cut_short',
      event: 'failure',
      title: '1 unit of shop failed: cut_short',
      details: ['crawl_pages/c1: it ended early', 'a second', 'a third'],
      project_id: 'p1',
      began: '2026-11-19T06:00:00.000Z',
      hint: 'run again',
    },
  ],
  discovery: { open: ['c9'], swept_at: '2026-11-20T06:00:00.000Z' },
  units: [
    unit('crawl_pages/c1', 'failed', { next_try_at: '2026-11-21T09:00:00.000Z' }),
    unit('crawl_links/c1', 'published'),
  ],
  exports: [],
  runs: [
    {
      run_id: '0123456789',
      command: 'run',
      status: 'partial',
      started_at: '2026-11-21T06:00:00.000Z',
      ended_at: '2026-11-21T06:00:12.000Z',
      summary: { units: { loaded: 1, failed: 1 }, rows: 1234, error: 'it ended early', errors: 2 },
    },
  ],
  live: null,
  claims: [],
  freshness: [
    {
      project_id: 'p1',
      project_name: 'shop',
      crawl_id: 'c1',
      ended_at: '2026-11-20T08:00:00.000Z',
      loaded_at: '2026-11-20T09:00:00.000Z',
      interval: null,
      expected_by: null,
      late: false,
    },
  ],
  drift: [],
  disk: { warehouse: 2e6, working_copy: 1, spare: 3e6, packages: 0, raw: 0, logs: 0, spill: 0, free: 1e9 },
};

test('one screen shows runs, failures with their next try, freshness, next runs and disk space', () => {
  const said = describeStatus(status, [{ name: 'daily', next_at: '2026-11-22T06:00:00.000Z' }], NOW);
  for (const line of [
    /^ {2}01234567 +2026-11-21 06:00 +12 s +run +partial +1,234 +1 loaded, 1 failed\n {6}it ended early \(and 1 more error\)$/m,
    /^ {2}crawl_pages\/c1 +failed +3 +2026-11-21 09:00\n {6}it ended early \(last try of shop: 2026-11-21 06:00 UTC\)$/m,
    /^ {2}shop +2026-11-20 08:00 +24 h +2026-11-20 09:00 +c1$/m,
    /^Units: 1 published, 0 due, 1 failing, 0 skipped, 0 dropped$/m,
    /^Crawls: 1 open, lists last read in full at 2026-11-20 06:00 UTC$/m,
    /^Schedule daily: next at 2026-11-22 06:00 UTC$/m,
    /^Disk: warehouse 2.0 MB, working copy 1 B, spare 3.0 MB, .*, free 1.0 GB$/m,
  ])
    expect(said).toMatch(line);
});

test('a next try in the past is shown as the next run', () => {
  expect(describeStatus(status, [], Date.parse('2026-11-21T09:00:00Z'))).toContain('next run');
});

test('a run is found by its prefix, a unit by a part of its name, a project by id or name', () => {
  const found = (wanted: string, projects: readonly string[] = []): string =>
    printBlocks(foundBlocks(findInStatus(wanted, projects, status), NOW), { indent: 2 });
  expect(found('01234')).toMatch(/^run .*\n01234567 /);
  expect(found('crawl_pages')).toContain('crawl_pages/c1');
  expect(found('p1').split('\n')).toHaveLength(5);
  expect(found('shop', ['p1']).split('\n')).toHaveLength(5);
  expect(found('nobody')).toBe('No units yet.\n');
});

test('problems come first, with start, error, reason and hint; more than two reasons are counted', () => {
  expect(describeStatus(status, [], NOW).split('\n').slice(0, 7)).toEqual([
    'Incidents: 1',
    '  since 2026-11-19 06:00 UTC  1 unit of shop failed: cut_short',
    '    crawl_pages/c1: it ended early',
    '    a second',
    '    and 1 more',
    '    to do: run again',
    '',
  ]);
  const well = describeStatus({ ...status, incidents: [], units: [] }, [], NOW);
  expect(well).toMatch(/^Nothing is wrong\.\n\nRuns /);
  expect(well).not.toContain('Units that fail');
});

test('the current run shows its progress bar', () => {
  const live = {
    run_id: '0123456789',
    command: 'run',
    started_at: '2026-11-21T06:00:00.000Z',
    at_work: [],
    progress: {
      phase: 'download' as const,
      steps: null,
      units: { done: 1, due: 4 },
      bytes: 0,
      seconds: 5,
      elapsed: 6,
      left: null,
      rows: { received: 25, expected: 50, isGuess: false },
    },
  };
  expect(describeStatus({ ...status, live }, [], NOW)).toContain(
    'Run in progress: 01234567 (run)\n  [█████░░░░░] 50 % download after 6.0 s · 25 of 50 rows · 5 rows/s · 1 of 4 units · 0 B\n',
  );
  const begins = describeStatus({ ...status, live: { ...live, progress: null } }, [], NOW);
  expect(begins).toContain('  it has not started its units\n');
});

test('units on several machines show the process that works on them', () => {
  const claims = [
    {
      unit: 'crawl_pages/c1',
      worker: 'crawlhouse worker (process 12 on b)',

      claimed_at: '2026-11-21T08:59:00.000Z',
      phase: 'download' as const,
      received: 1200,
      reported: 3000,
    },
    {
      unit: 'crawl_links/c1',
      worker: 'crawlhouse run (process 7 on a)',
      claimed_at: '2026-11-21T08:59:30.000Z',
      phase: 'stage' as const,
      received: 50,
      reported: null,
    },
  ];
  expect(describeStatus({ ...status, claims }, [], NOW)).toContain(`Units in progress: 2
  unit            process                              since (UTC)       phase     rows
  crawl_pages/c1  crawlhouse worker (process 12 on b)  2026-11-21 08:59  download  1,200 of 3,000
  crawl_links/c1  crawlhouse run (process 7 on a)      2026-11-21 08:59  stage     50
`);
  expect(describeStatus(status, [], NOW)).not.toContain('Units in progress');
});

test('alarms mark only first lines of incidents, failing units, and unsuccessful runs', () => {
  const alarms = describeStatus(status, [], NOW).split('\n').filter(isAlarm);
  expect(alarms.map((line) => line.trim().split(/ +/)[0])).toEqual(['since', 'crawl_pages/c1', '01234567']);
});

test('on a terminal of 80 columns, no table line is longer', () => {
  const id = 'ec1de5936a935bb6e3f36446';
  const [run] = status.runs;
  const summary = { ...run?.summary, units: { loaded: 1234, failed: 12, skipped: 345, unchanged: 6789 } };
  const wide = {
    ...status,
    runs: [{ ...run, summary }],
    freshness: status.freshness.map((one) => ({ ...one, project_name: 'gentle-harbour-1', crawl_id: id })),
  } as Status;
  const said = describeStatus(wide, [], NOW, 80).split('\n');
  expect(said).toContain('      units: 1,234 loaded, 12 failed, 345 skipped, 6,789 unchanged');
  expect(said).toContain(`      last crawl: ${id}`);
  // The line about the disk is a sentence, and is wrapped.
  expect(said.filter((line) => line.length > 80 && !line.startsWith('Disk: '))).toEqual([]);
});
