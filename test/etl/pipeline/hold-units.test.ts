import { expect, test } from 'vitest';
import { CrawlhouseError } from '../../../src/core/errors/errors.ts';
import type { NewUnit } from '../../../src/etl/engines/new-units.ts';
import { withHeld } from '../../../src/etl/pipeline/hold-units.ts';
import { unitReport } from '../../../src/etl/project/model/runs/unit-report.ts';
import { PAGES_MODEL, packageProject } from './package-project.ts';

test('a unit whose rows fail a test keeps its previous rows, and other units are published', async () => {
  const { make, load, read, stateOf } = await packageProject(PAGES_MODEL);
  await load(await make('c1', ['a']));
  const { exitCode, report } = await load(await make('c1', ['bad', 'a', 'b']), await make('c2', ['b']));
  expect(exitCode).toBe(4);
  expect(report.units.map(({ unit, status, error }) => [unit, status, error?.code])).toEqual([
    ['crawl_pages/c1', 'refused', 'test_held'],
    ['crawl_pages/c2', 'loaded', undefined],
  ]);
  expect(report.units[0]?.error?.message).toContain('1 row of project p1, crawl c1 fail the test');
  expect(await read('SELECT _crawl_id AS id, url FROM mart.page_urls ORDER BY id')).toEqual([
    { id: 'c1', url: 'a' },
    { id: 'c2', url: 'b' },
  ]);
  expect(await read('SELECT unit, code FROM ops.holds')).toEqual([
    { unit: 'crawl_pages/c1', code: 'test_held' },
  ]);
  expect([await stateOf('crawl_pages/c1'), await stateOf('crawl_pages/c2')]).toEqual([
    'refused',
    'published',
  ]);
});

test('a report names a quarantined unit once, whether the run touched it or not', () => {
  const unit = (id: string) =>
    ({
      dataset: 'crawl_pages',
      source: { kind: 'crawl', id, project_id: 'p' },
      window: null,
      unit: `crawl_pages/${id}`,
    }) as const;
  const error = new CrawlhouseError('test_held', 'no');
  const held = ['a', 'b'].map((id) => ({ unit: unit(id) as unknown as NewUnit, faults: [], error }));
  const reports = ['a', 'c'].map((id) => unitReport(unit(id), 'loaded', null));
  expect(withHeld(reports, held).map((one) => [one.unit, one.status, one.error?.code])).toEqual([
    ['crawl_pages/a', 'refused', 'test_held'],
    ['crawl_pages/c', 'loaded', undefined],
    ['crawl_pages/b', 'refused', 'test_held'],
  ]);
});
