import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROUTE_NAMES, ROUTES } from '../../../../src/etl/pipeline/routes/registry.ts';
import { gaps } from '../../../support/gaps.ts';

const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'src', 'etl', 'pipeline', 'routes');
const PAGES = { kind: 'crawl', data_type: 'pages' } as const;

test('every folder of routes, except the shared one, contains a route', () => {
  const folders = readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'download')
    .map(({ name }) => (name === 'aggregates' ? 'aggs' : name));
  const found = gaps(folders, ROUTE_NAMES, {
    adds: 'a route',
    missing: (name) => `src/etl/pipeline/routes/${name}/ has no line in src/etl/pipeline/routes/registry.ts`,
    extra: (name) => `src/etl/pipeline/routes/registry.ts has ${name}, and there is no such folder beside it`,
  });
  expect(found).toEqual([]);
});

test.for([
  ['stream', PAGES, ['json', 'csv']],
  ['export', PAGES, ['parquet', 'json', 'csv']],
  ['export', { kind: 'crawl', data_type: 'clusters' }, []],
  ['search', { kind: 'log_monitoring', data_type: 'events' }, ['json']],
  ['aggs', { kind: 'ranking_performance', data_type: 'ranking_performance' }, ['json']],
  ['aggs', PAGES, []],
  ['list', { kind: 'crawl', data_type: 'fields' }, ['json']],
  ['list', { kind: 'resource', data_type: 'crawls' }, ['json']],
  ['list', PAGES, []],
] as const)('%s loads %o as %o', ([name, source, formats]) => {
  expect(ROUTES[name].formats(source)).toEqual(formats);
});

test.for([
  ['stream', null, true],
  ['export', null, false],
  ['export', 5_000_000, false],
  ['search', null, false],
  ['search', 10_000, true],
  ['search', 10_001, false],
] as const)('%s is chosen automatically for %o rows: %o', ([name, rows, suits]) => {
  expect(ROUTES[name].suits(rows)).toBe(suits);
});

test.for([
  ['stream', PAGES, 100, 3],
  ['export', PAGES, 100, 5],
  ['search', PAGES, 4_001, 5],
  ['search', { kind: 'log_monitoring', data_type: 'events' }, null, 1],
  ['aggs', { kind: 'ranking_performance', data_type: 'ranking_performance' }, null, 2],
  ['list', { kind: 'crawl', data_type: 'fields' }, null, 4],
  ['list', { kind: 'resource', data_type: 'crawls' }, null, 0],
  ['list', { kind: 'resource', data_type: 'ingest_files' }, null, 1],
] as const)('%s of %o with %o rows costs at least %o requests', ([name, source, rows, requests]) => {
  expect(ROUTES[name].requests(source, rows)).toBe(requests);
});
