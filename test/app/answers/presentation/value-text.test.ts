import { expect, test } from 'vitest';
import { columnName, columnNames } from '../../../../src/app/answers/presentation/value-text.ts';

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
