import { expect, test } from 'vitest';
import { printBlocks } from '../../../../src/app/answers/presentation/print-blocks.ts';
import {
  foundRunBlocks,
  type PublishedRun,
  pastRun,
} from '../../../../src/app/operations/status/past-run-blocks.ts';
import { ledgerRun, ledgerUnit } from '../../../support/console-project.ts';

const load = {
  unit: 'crawl_pages/c1',
  dataset: 'crawl_pages',
  source_kind: 'crawl',
  source_id: 'c1',
  project_id: 'p',
  reported: 2,
  received: 2,
  staged: 2,
  rejected: 0,
  loaded: 2,
  queryable: 2,
  flag: null,
  usual: null,
  route: 'stream',
  format: 'json',
  reason: null,
  bytes: 10,
  seconds: 0.1,
  attempts: 1,
  filter: null,
  run_id: 'run-two-of-all',
  loaded_at: '2026-11-20T06:00:00.000Z',
};
const facts: PublishedRun = {
  loads: [load],
  loads_total: 3,
  models: [{ name: 'mart.pages', kind: 'table', rows: 12 }],
  tests: [{ model: 'mart.pages', name: 'unique_url', severity: 'warn', status: 'failed', failures: 3 }],
};
const error = { code: 'cut_short' as const, message: 'it ended early', hint: 'run again' };
const units = [
  ledgerUnit('crawl_links/c1', {
    status: 'failed',
    error,
    attempts: 3,
    updated_at: '2026-11-20T05:59:30.000Z',
  }),
  ledgerUnit('crawl_links/c0', { status: 'failed', error, updated_at: '2026-11-19T05:59:30.000Z' }),
];
const run = ledgerRun('run-two-of-all', {
  status: 'partial',
  summary: {
    units: { loaded: 3, failed: 1 },
    rows: 1234,
    error: error.message,
    errors: 2,
    seconds: { units: 40, after: 20 },
    failure: null,
  },
});

test('a single run shows its end, error, failures, loads, models and tests', () => {
  const said = printBlocks(foundRunBlocks(pastRun(run, units, facts), facts), { indent: 2 });
  for (const line of [
    /^Run run-two-\n {2}run: partial\. Began .* UTC, ended .* UTC, took .*\. Its id: run-two-of-all\n {2}it ended early \(and 1 more error\)\n {2}units: 3 loaded, 1 failed · rows loaded: 1,234 · units took 40 s, the later steps 20 s\n\n/,
    /^ {2}Units that failed or were skipped\n.*\n {4}crawl_links\/c1 +failed +3 +it ended early +run again\n\n/m,
    /^ {2}crawl_pages\/c1 +loaded +2 +2 +2 +0 +2 +2 +10 B +0\.1 s +stream +json +1\n {2}and 2 more units\n\n/m,
    /^ {2}mart\.pages +table +12\n\n/m,
    /^ {2}mart\.pages +unique_url +warn +failed +3\n {2}0 data tests passed\.\n$/m,
  ])
    expect(said).toMatch(line);
});

test('a run with a dead process reports that, and that the warehouse contains nothing from it', () => {
  const killed = ledgerRun('run-one', { status: 'killed', ended_at: null });
  const said = printBlocks(foundRunBlocks(pastRun(killed, [], undefined), undefined), { indent: 2 });
  expect(said).toContain(
    '  Its process ended without recording a result. The next run continues its work.\n',
  );
  expect(said).toContain(
    'Units that it loaded\n  It loaded nothing, or a later run loaded the same units again.\n',
  );
});
