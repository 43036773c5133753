import { expect, test } from 'vitest';
import * as data from '../../../src/client/data-endpoints.ts';
import {
  type DataSource,
  describeSource,
  requiredFields,
  sourceEndpoints,
  uniqueFields,
} from '../../../src/client/resources/data-source.ts';

const crawl = (dataType: 'pages' | 'links' | 'requests' | 'clusters'): DataSource => {
  return { kind: 'crawl', id: 'c1', dataType };
};

test.each<[DataSource, string, readonly string[], readonly string[]]>([
  [crawl('pages'), 'pages of crawl c1', ['url'], ['url']],
  [crawl('requests'), 'requests of crawl c1', [], ['url']],
  [crawl('links'), 'links of crawl c1', [], ['origin', 'target']],
  [crawl('clusters'), 'clusters of crawl c1', [], []],
  [{ kind: 'crawl_over_crawl', id: 'x' }, 'pages of crawl over crawl x', [], []],
  [{ kind: 'log_events', projectId: 'p' }, 'log events of project p', [], []],
  [{ kind: 'log_pages', projectId: 'p', granularity: 'days' }, 'log pages by days of project p', [], []],
])('%j: its name, and what its rows always have', (source, name, unique, required) => {
  expect(describeSource(source)).toBe(name);
  expect(uniqueFields(source)).toEqual(unique);
  expect(requiredFields(source)).toEqual(required);
});

test('requests are data of the local service, pages are data of every service', () => {
  expect(sourceEndpoints(crawl('requests'))).toMatchObject(data.LOCAL_CRAWL);
  expect(sourceEndpoints(crawl('pages'))).toMatchObject(data.CRAWL);
});
