import { expect, test } from 'vitest';
import { printBlocks } from '../../../../src/app/answers/presentation/print-blocks.ts';
import { type PublishedUnit, unitBlocks } from '../../../../src/app/operations/status/unit-blocks.ts';
import { ledgerUnit } from '../../../support/console-project.ts';

const NOW = Date.parse('2026-11-21T08:00:00Z');
const HUGE = 2n ** 53n + 1n;
const facts: PublishedUnit = {
  load: {
    counts: {
      reported: null,
      received: HUGE,
      staged: HUGE - 60n,
      rejected: 60,
      loaded: HUGE - 61n,
      queryable: HUGE - 61n,
    },
    differing: ['loaded'],

    route: 'stream',
    reason: 'it carries every row',
    format: 'csv',
    bytes: 5000,
    seconds: 1.5,
    attempts: 1,
    filter: null,
    usual: null,
    run_id: '0123456789',
    loaded_at: '2026-11-20T06:00:00.000Z',
  },
  project_name: 'shop',
  rejects: [{ file: 'part-1.csv', line: 3, field: null, value: '', reason: 'not a number' }],
  rejects_total: 60,
  schema_changes: [],
};

test('a single unit shows its state, six counts, rejects, and changes of its dataset', () => {
  const failed = ledgerUnit('crawl_pages/c1', {
    status: 'failed',
    failures: 3,
    attempts: 4,
    failing_since: '2026-11-18T06:00:00.000Z',
    error: { code: 'cut_short', message: 'it ended early', hint: 'run again' },
    next_try_at: '2026-11-21T09:00:00.000Z',
  });
  expect(printBlocks(unitBlocks(failed, facts, NOW), { indent: 2 }).split('\n')).toEqual([
    'crawl_pages/c1',
    '  failed since 2026-11-20 06:00 UTC. Project shop. Crawl: c1.',
    '  it ended early (cut_short)',
    '    3 runs in a row, since 2026-11-18 06:00 UTC; 4 attempts in the last run. crawlhouse tries the unit again after 2026-11-21 09:00 UTC.',
    '    to do: run again',
    '',
    'From the service to the warehouse',
    '  reported   unknown',
    '  received   9,007,199,254,740,993',
    '  staged     9,007,199,254,740,933',
    '  rejected   60',
    '  loaded     9,007,199,254,740,932',
    '  queryable  9,007,199,254,740,932',
    '  loaded: differs from the previous count.',
    '  received = staged + rejected. The service reports no count.',
    '  These are the rows of its last load. They stay until it is loaded again.',
    '  route         stream (it carries every row)',
    '  format        csv',
    '  bytes         5.0 kB',
    '  took          1.5 s',
    '  attempts      1',
    '  loaded (UTC)  2026-11-20 06:00',
    '  run           01234567',
    '',
    'Rejects',
    '  file        line  field  value  reason',
    '  part-1.csv     3  -             not a number',
    '  and 59 more rejects',
    '',
    'Schema changes of crawl_pages',
    '  Its fields have not changed.',
    '',
  ]);
});

test('a unit that is not loaded is reported, even before the first publication', () => {
  const said = printBlocks(unitBlocks(ledgerUnit('crawl_pages/c1'), undefined, NOW), { indent: 2 });
  expect(said).toContain('From the service to the warehouse\n  It is not in the warehouse.\n');
});
