import { expect, test } from 'vitest';
import type { AlertFacts } from '../../../../src/app/operations/alert/alert-facts.ts';
import { incidentsOf } from '../../../../src/app/operations/alert/incidents.ts';
import type { LedgerRun } from '../../../../src/etl/project/model/runs/ledger-records.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const DAY = 86_400_000;
const FACTS: AlertFacts = {
  ...{ failed: [], rhythms: [], anomalies: [], changes: [], fields: [] },
  nameOf: (id) => id,
};
const SETTINGS = { projects: 'all', warehouse: '/none', state_dir: '/none' } as unknown as Parameters<
  typeof incidentsOf
>[0];

const failure = (message: string) => ({ code: 'connection', message, hint: 'try again' });
const ran = (day: number, more: object = {}): LedgerRun =>
  ({
    ...{ run_id: `r${day}`, command: 'run', status: 'done', summary: {} },
    started_at: new Date(Date.parse('2026-03-01T06:00:00Z') + day * DAY).toISOString(),
    ...more,
  }) as unknown as LedgerRun;

const incidents = (runs: readonly LedgerRun[], facts: Partial<AlertFacts> = {}, settings: object = {}) =>
  incidentsOf({ ...SETTINGS, ...settings }, { ...FACTS, ...facts }, runs, NOW);

test('without failures and facts, no incident is open', () => {
  expect(incidents([])).toEqual([]);
  expect(incidents([ran(1), ran(0)])).toEqual([]);
});

test('a failed run is open since the first of the failed runs in a row', () => {
  const failed = (day: number) => ran(day, { summary: { failure: failure('no answer') } });
  expect(incidents([failed(5), failed(4), ran(3), failed(2)])).toMatchObject([
    { key: 'run/run/connection', event: 'failure', began: '2026-03-05T06:00:00.000Z' },
  ]);
  expect(incidents([failed(1), failed(0)])).toMatchObject([{ began: '2026-03-01T06:00:00.000Z' }]);
  expect(incidents([ran(5), failed(4)])).toEqual([]);
  // A run that is active, and a command that loads nothing, say nothing about it.
  const others = [ran(7, { summary: null }), ran(6, { command: 'transform' })];
  expect(incidents([...others, failed(5), ran(4)])).toMatchObject([{ began: '2026-03-06T06:00:00.000Z' }]);
});

test('a killed run says how to continue', () => {
  const killed = ran(5, { status: 'killed', summary: null });
  expect(incidents([killed, ran(4)])).toMatchObject([
    {
      ...{ key: 'run/run/killed', title: 'run was cut off', began: '2026-03-06T06:00:00.000Z' },
      hint: 'crawlhouse run continues from there',
    },
  ]);
  expect(incidents([ran(6), killed])).toEqual([]);
});

test('a website whose last crawls failed is open since the first of them', () => {
  const rhythms = [
    { project_id: 'p1', name: 'https://shop.example/', ends: [Date.parse('2026-03-03T07:00:00Z')] },
  ];
  const crawl = (day: number, summary: object, site = 'shop.example') =>
    ran(day, { command: `crawl ${site}`, summary });
  const failed = { failure: failure('robots.txt forbids it') };
  expect(incidents([crawl(5, failed), crawl(4, failed), crawl(1, failed)], { rhythms })).toMatchObject([
    {
      ...{ key: 'crawl/p1', event: 'failure', project_id: 'p1', began: '2026-03-05T06:00:00.000Z' },
      ...{ details: ['robots.txt forbids it'], hint: 'try again' },
    },
  ]);
  expect(incidents([crawl(5, {}), crawl(4, failed)], { rhythms })).toEqual([]);
  expect(incidents([crawl(5, failed, 'blog.example'), crawl(1, failed)], { rhythms })).toEqual([]);
});

test('stale projects count if they are loaded, and the oldest incident is first', () => {
  const daily = [0, 1, 2, 3].map((day) => Date.parse('2026-03-02T04:00:00Z') + day * DAY);
  const rhythms = [{ project_id: 'p1', name: 'Shop', ends: daily }];
  const failed = ran(0, { summary: { failure: failure('no answer') } });
  expect(incidents([failed], { rhythms }).map(({ key }) => key)).toEqual(['run/run/connection', 'stale/p1']);
  expect(incidents([], { rhythms }, { projects: ['other'] })).toEqual([]);
  expect(incidents([], { rhythms }, { projects: ['Shop'] })).toHaveLength(1);
});
