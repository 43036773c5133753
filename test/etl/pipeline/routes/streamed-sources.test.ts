import { expect, test } from 'vitest';
import { describingRequests, isStreamed } from '../../../../src/etl/pipeline/routes/route.ts';

test.for([
  ['crawl', 'pages', true],
  ['crawl', 'structured_data', true],
  ['crawl', 'fields', false],
  ['crawl_over_crawl', 'pages', true],
  ['crawl_over_crawl', 'links', false],
  ['log_monitoring', 'pages', true],
  ['log_monitoring', 'events', true],
  ['log_monitoring', 'files', false],
  ['resource', 'pages', false],
  ['ranking_performance', 'ranking_performance', false],
] as const)('%s %s can be searched and exported: %o', ([kind, data_type, can]) => {
  expect(isStreamed({ kind, data_type })).toBe(can);
});

test('only crawls are asked for both fields and count', () => {
  expect(describingRequests({ kind: 'crawl', data_type: 'pages' })).toBe(2);
  expect(describingRequests({ kind: 'log_monitoring', data_type: 'events' })).toBe(1);
});
