import { expect, test } from 'vitest';
import { describedRows, type RouteRequest } from '../../../../src/etl/pipeline/routes/route.ts';

test('a route with described rows gets their description, and fails without one', () => {
  const rows = { source: { kind: 'crawl', id: 'c', dataType: 'pages' }, fields: [], reported: 3 } as const;
  const unit = { task: { unit: { dataset: 'crawl_pages' } }, rows } as unknown as RouteRequest;
  expect(describedRows(unit)).toBe(rows);
  expect(() => describedRows({ ...unit, rows: null })).toThrow('crawl_pages: the rows were not described');
});
