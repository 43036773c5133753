import { expect, test } from 'vitest';
import { CrawlhouseError } from '../../../../../src/core/errors/errors.ts';
import { reportedError, unitReport } from '../../../../../src/etl/project/model/runs/unit-report.ts';
import type { Unit } from '../../../../../src/etl/project/model/unit.ts';

const UNIT: Unit = {
  dataset: 'crawl_pages',
  source: { kind: 'crawl', id: 'c1', project_id: 'p1' },
  window: null,
};

test('the report of a unit without requests has no counts, bytes or attempts', () => {
  const error = reportedError(new CrawlhouseError('quota', 'used up'));
  expect(error).toEqual({ code: 'quota', message: 'used up', hint: expect.any(String) });
  expect(unitReport(UNIT, 'failed', error)).toMatchObject({
    unit: 'crawl_pages/c1',
    status: 'failed',
    route: null,
    counts: { reported: null, received: null, staged: null, rejected: null, loaded: null, queryable: null },
    bytes: null,
    attempts: 0,
    error,
  });
});

test('the report of a unit contains its known facts', () => {
  const facts = { route: 'stream', format: 'json', bytes: 12, attempts: 2, seconds: 1.5 };
  expect(unitReport(UNIT, 'loaded', null, facts)).toMatchObject({ ...facts, status: 'loaded', error: null });
});
