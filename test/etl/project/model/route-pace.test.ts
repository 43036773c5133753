import { expect, test } from 'vitest';
import {
  LEAST_ROWS,
  pacesByProject,
  type RouteLoad,
  routePaces,
} from '../../../../src/etl/project/model/route-pace.ts';

const STREAMED: RouteLoad = {
  dataset: 'crawl_pages',
  project_id: 'p',
  route: 'stream',
  format: 'json',
  rows: LEAST_ROWS,
  seconds: 10,
  waited: null,
};
const EXPORTED: RouteLoad = { ...STREAMED, route: 'export', format: 'parquet', seconds: 30, waited: 20 };

test('the pace is the median of rows per second, without the wait for a data export', () => {
  const loads = [STREAMED, { ...STREAMED, seconds: 20 }, { ...STREAMED, seconds: 1000 }, EXPORTED];
  expect(routePaces(loads)).toEqual([
    { route: 'stream', format: 'json', loads: 3, rows_per_second: LEAST_ROWS / 20, waited: null },
    { route: 'export', format: 'parquet', loads: 1, rows_per_second: LEAST_ROWS / 10, waited: 20 },
  ]);
});

test('a small data export contributes its wait, and no pace', () => {
  const small = { ...EXPORTED, rows: LEAST_ROWS - 1, waited: 40 };
  expect(routePaces([EXPORTED, small])).toMatchObject([{ rows_per_second: LEAST_ROWS / 10, waited: 30 }]);
  expect(routePaces([small])).toMatchObject([{ loads: 1, rows_per_second: null, waited: 40 }]);
  expect(routePaces([])).toEqual([]);
});

test('loads of one project and dataset do not affect another', () => {
  const pacesOf = pacesByProject([STREAMED, { ...STREAMED, project_id: null, seconds: 5 }]);
  expect(pacesOf('crawl_pages', 'p')).toMatchObject([{ rows_per_second: LEAST_ROWS / 10 }]);
  expect(pacesOf('crawl_pages', null)).toMatchObject([{ rows_per_second: LEAST_ROWS / 5 }]);
  expect([pacesOf('crawl_links', 'p'), pacesOf('crawl_pages', 'q')]).toEqual([[], []]);
});
