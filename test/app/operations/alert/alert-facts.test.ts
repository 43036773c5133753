import { expect, test } from 'vitest';
import { alertFacts, type PublishedFacts } from '../../../../src/app/operations/alert/alert-facts.ts';
import type { LedgerUnit } from '../../../../src/etl/project/model/runs/ledger-records.ts';

const PUBLISHED: PublishedFacts = {
  names: new Map([['p1', 'Shop']]),
  rhythms: [{ project_id: 'p1', name: 'Shop', ends: [1] }],
  ...{ changes: [], fields: [] },
  anomalies: [{ project_id: 'p1', what: 'few rows', began: '2026-03-01', hint: 'look' }],
};
const unit = (status: string, more: object = {}): LedgerUnit =>
  ({
    ...{ unit: `${status} unit`, status, failing_since: null, updated_at: '2026-03-02' },
    source: { kind: 'crawl', id: 'c1', project_id: 'p1' },
    error: { code: 'connection', message: 'no answer', hint: 'try again' },
    ...more,
  }) as unknown as LedgerUnit;

test('failed and refused units are facts, since they began to fail', () => {
  const { failed, anomalies, rhythms } = alertFacts(PUBLISHED, [
    unit('failed'),
    unit('refused', { failing_since: '2026-02-27' }),
    unit('loaded'),
    unit('failed', { error: null }),
  ]);
  expect(failed.map(({ unit, failing_since }) => [unit, failing_since])).toEqual([
    ['failed unit', '2026-03-02'],
    ['refused unit', '2026-02-27'],
  ]);
  expect(failed[0]).toMatchObject({ project_id: 'p1', workspace_id: null, message: 'no answer' });
  expect([anomalies, rhythms]).toEqual([PUBLISHED?.anomalies, PUBLISHED?.rhythms]);
});

test('a list of a workspace fails for the workspace, one of a project for the project', () => {
  const source = (project_id: string | null, kind = 'resource') => ({
    source: { kind, id: 'w1', project_id },
  });
  const { failed } = alertFacts(undefined, [
    unit('failed', source(null)),
    unit('failed', source('p1')),
    unit('failed', source(null, 'crawl')),
  ]);
  expect(failed.map(({ workspace_id }) => workspace_id)).toEqual(['w1', null, null]);
});

test('a unit that was held back for its few rows is an anomaly of its project', () => {
  const error = { code: 'volume_held', message: '3 rows, usually 100', hint: 'check it' };
  const { anomalies } = alertFacts(PUBLISHED, [
    unit('refused', { error, failing_since: '2026-02-27' }),
    unit('refused', { error, source: { kind: 'resource', id: 'w1', project_id: null } }),
    unit('failed'),
  ]);
  expect(anomalies).toEqual([
    { project_id: 'p1', what: '3 rows, usually 100; not loaded', began: '2026-02-27', hint: 'check it' },
    ...(PUBLISHED?.anomalies ?? []),
  ]);
});

test('without a publication, facts are of the units only, and a project has its identifier as name', () => {
  const facts = alertFacts(undefined, []);
  expect(facts).toMatchObject({ failed: [], rhythms: [], anomalies: [], changes: [], fields: [] });
  expect([facts.nameOf('p1'), alertFacts(PUBLISHED, []).nameOf('p1')]).toEqual(['p1', 'Shop']);
});
