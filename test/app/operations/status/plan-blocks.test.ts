import { expect, test } from 'vitest';
import { printBlocks } from '../../../../src/app/answers/presentation/print-blocks.ts';
import {
  dropTable,
  firstPlanBlocks,
  planBlocks,
  planFacts,
} from '../../../../src/app/operations/status/plan-blocks.ts';

const unit = (name: string, more: object = {}) => ({
  ...{ unit: name, dataset: name.split('/')[0] ?? '', project_name: 'Shop', route: 'stream', format: 'json' },
  ...{ rows: 10, bytes: 1000, seconds: 2, status: 'due', requests: 1, reason: null, limit_seconds: null },
  ...more,
});
const TOTALS = { units: 1, rows: 10, bytes: 1000, seconds: 2, requests: 3, exports: 1, loaded: 2 };
const UNITS = [
  unit('pages/a'),
  unit('links/a', { seconds: null }),
  unit('links/b', { seconds: null, rows: null }),
  unit('pages/b', { status: 'skipped', reason: 'archived' }),
  unit('pages/c', { status: 'failed', reason: 'archived' }),
  unit('pages/d', { status: 'skipped' }),
  unit('pages/e', { status: 'loaded', seconds: null }),
];

test('the facts of a plan are the first due units, and the reasons of those left out', () => {
  const facts = planFacts({ units: UNITS, totals: TOTALS });
  expect(facts.units.map((own) => own.unit)).toEqual(['pages/a', 'links/a', 'links/b']);
  expect(facts.left_out).toEqual([
    { reason: 'archived', units: 2 },
    { reason: 'unknown', units: 1 },
  ]);
  expect(facts.not_loaded).toEqual(['links']);
  expect(planFacts({ units: UNITS, totals: TOTALS }, 1).units).toHaveLength(1);
});

test.each([
  [{}, [], "1 unit due: 10 rows by the service's count, about 1.0 kB; about 2.0 s, based on past loads"],
  [
    { units: 2, seconds: null, bytes: null },
    ['links'],
    "2 units due: 10 rows by the service's count; duration unknown: links has not been loaded yet",
  ],
  [{ seconds: null }, ['a', 'b', 'c'], 'duration unknown: a, b, c have not been loaded yet'],
  [
    { seconds: null },
    ['a', 'b', 'c', 'd'],
    'duration unknown: a, b and 2 more datasets have not been loaded',
  ],
])('the totals %j without %j loaded are summed up', (totals, not_loaded, words) => {
  const facts = { totals: { ...TOTALS, ...totals }, units: [], left_out: [], not_loaded };
  expect(printBlocks(planBlocks(facts)).split('\n')[0]).toContain(words);
});

test('the cost, the loaded units and those left out have lines of their own', () => {
  const facts = planFacts({ units: UNITS, totals: TOTALS });
  const text = printBlocks(planBlocks(facts));
  expect(text).toMatch(/^unit +project/);
  expect(text.split('\n').slice(-5)).toEqual([
    'cost at the service: at least 3 requests, 1 data export',
    '2 units already in the warehouse',
    '2 units left out: archived',
    '1 unit left out: unknown',
    '',
  ]);
  const none = { ...facts, totals: { ...TOTALS, requests: null, exports: null, loaded: 0 }, left_out: [] };
  expect(printBlocks(planBlocks(none)).split('\n').slice(-2)).toEqual([
    'cost at the service: at least 0 requests, 0 data exports',
    '',
  ]);
});

test('the first run shows its datasets, and unknown numbers of rows', () => {
  const facts = planFacts({ units: UNITS, totals: TOTALS });
  const only = { ...facts, units: facts.units.slice(2) };
  expect(printBlocks(firstPlanBlocks(facts, 'all'))).toMatch(
    /^First run: all ended crawls\ndataset +units +rows\npages +1 +10\nlinks +2 +10\n/,
  );
  expect(printBlocks(firstPlanBlocks(only, '2026-01-01'))).toMatch(
    /^First run: crawls that ended since 2026-01-01\n.*\nlinks +1 +-\n/,
  );
});

test('units to drop show their project, if one is known', () => {
  const shown = (project_name: string | null) =>
    dropTable([unit('a', { project_name: null }), unit('b', { project_name })]).columns.map(
      ({ name }) => name,
    );
  expect([shown('Shop'), shown(null)]).toEqual([
    ['unit', 'project', 'rows'],
    ['unit', 'rows'],
  ]);
});
