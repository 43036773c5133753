import { expect, test } from 'vitest';
import { describeDemand } from '../../../../src/app/cli/reports/demand-report.ts';
import { understoodDemand } from '../../../../src/app/cli/reports/understood-demand.ts';
import type { AddedDemand } from '../../../../src/service/ranking/store-demand.ts';
import type { DemandExport } from '../../../../src/site/search-data/demand-row.ts';

const SOURCE: DemandExport = {
  format: 'table',
  engine: 'google',
  files: ['/data/demand.csv'],
  hash: 'h',
  period: null,
  tables: [],
  notes: [],
};
const ADDED: AddedDemand = {
  status: 'added',
  rejected: { rows: 0, places: [] },
  leftOut: {},
  otherHosts: {},
  sums: [
    {
      by: 'date, url',
      rows: 2n,
      from: '2026-11-01',
      to: '2026-11-02',
      days: 2n,
      clicks: 3n,
      impressions: 40n,
      anonymized_clicks: 0n,
      anonymized_impressions: 0n,
    },
  ],
  differences: [],
  changed: null,
  replaced_days: 0,
  kept_days: 0,
};
const outcome = { source: SOURCE, understood: null, replaced: null, error: null };
const NOTHING = { days: 0, lost_urls: 0, lost_clicks: 0n, totals: [], hidden: null };

test('what was added is a table; what was not stored has no text', () => {
  expect(describeDemand({ ...outcome, added: ADDED }, '/data')).toContain('date, url');
  expect(describeDemand({ ...outcome, added: { ...ADDED, status: 'unchanged' } }, '/data')).toMatch(
    /^demand\.csv: a table of search results\nNothing new/,
  );
  expect(describeDemand({ ...outcome, added: { ...ADDED, status: 'planned' } }, '/data')).toBe('');
  expect(describeDemand({ ...outcome, added: null }, '/data')).toBe('');
});

test('a row is told by the names that it has', () => {
  const first = {
    date: '2026-11-01',
    url: 'https://a.example/',
    query: null,
    device: null,
    country: 'deu',
    clicks: 1n,
    impressions: 20n,
    position: 2.5,
    isAnonymized: false,
  };
  const meaning = { planned: ADDED, replaced: NOTHING, first, last: { ...first, position: null } };
  const { facts } = understoodDemand(SOURCE, meaning, { site: 'https://a.example/', folder: '/data' });
  const row = '2026-11-01, https://a.example/, deu, 1 click, 20 impressions';
  expect(facts).toContainEqual({ name: 'first row', value: `${row}, position 2.5` });
  expect(facts).toContainEqual({ name: 'last row', value: row });
  expect(facts).toContainEqual({ name: 'days', value: '2026-11-01 to 2026-11-02, 2 days with rows' });
});
