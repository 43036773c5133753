import { expect, test } from 'vitest';
import {
  columnName,
  columnNames,
  crawlName,
  isDimension,
  numberText,
  valueText,
} from '../../../../src/app/answers/presentation/value-text.ts';

test.for([
  ['nb_inlinks', 'Inlinks'],
  ['is_indexable', 'Indexability'],
  ['depth', 'Crawl depth'],
  ['inrank_decimal', 'Link score'],
  ['status_code', 'Status code'],
  ['follow_inlinks', 'Follow inlinks'],
  ['is_redirect_loop', 'Redirect loop'],
  ['num_h1', 'Number of H1'],
  ['url', 'URL'],
  ['constructor', 'Constructor'],
  ['count_star()', 'count_star()'],
  ['Preis in €', 'Preis in €'],
  ['', ''],
])('the readable name of column %j is %j', ([column = '', name]) => {
  expect(columnName(column)).toBe(name);
});

test('column names of a table are unique', () => {
  expect(columnNames(['depth', 'crawl_depth', 'url', 'Crawl depth'])).toEqual([
    'Crawl depth',
    'Crawl depth (crawl_depth)',
    'URL',
    'Crawl depth (Crawl depth)',
  ]);
});

test.each([
  ['depth', 1234, '1234'],
  ['crawl_id', 12_345n, '12345'],
  ['clicks_percent', 12.345, '12.3 %'],
  ['clicks_percent_change', -5, '−5 %'],
  ['ctr', 0.1234, '12.3 %'],
  ['ctr', 1, '100 %'],
  ['ctr', 1.5, '1.5'],
  ['clicks', 1234, '1,234'],
  ['clicks', 1234n, '1,234'],
  ['score', 0.000_123_45, '0.000123'],
  ['score', -0.5, '−0.5'],
  ['score', 1.006, '1.01'],
  ['score', -1234.567, '−1,234.57'],
])('%s %s is shown as %s', (name, value, text) => {
  expect(numberText(name, value)).toBe(text);
});

test('codes and identifiers are dimensions, and their averages are not', () => {
  const names = [
    'status_code',
    'STATUS_CODE',
    'depth_before',
    'day_of_week',
    'average_depth',
    'p95_depth',
    'clicks',
  ];
  expect(names.map(isDimension)).toEqual([true, true, true, true, false, false, false]);
});

test.each([
  [null, 13, 'Crawl c'],
  ['2026-11-22T06:00:00Z', null, 'Crawl of 2026-11-22'],
  ['2026-11-22T06:00:00Z', 1300, 'Crawl 1,300 · 2026-11-22'],
])('a crawl that ended %s with the number %s is %s', (ended_at, crawl_number, name) => {
  expect(crawlName({ crawl_id: 'c', ended_at, crawl_number })).toBe(name);
});

test.each([
  ['2026-11-21T06:07:08Z', 'time', '2026-11-21 06:07'],
  ['soon', 'time', 'soon'],
  ['12', 'count', '12'],
  [12_345, 'count', '12,345'],
  [49e6, 'bytes', '49.0 MB'],
  [61, 'duration', '61 s'],
  [86_400 * 2 - 1, 'age', '48 h'],
  [86_400 * 2, 'age', '2 days'],
  [-7, 'code', '−7'],
] as const)('%s of the kind %s is shown as %s', (value, kind, text) => {
  expect(valueText(value, kind)).toBe(text);
});
