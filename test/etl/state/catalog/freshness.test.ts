import { expect, test } from 'vitest';
import { freshness } from '../../../../src/etl/state/catalog/freshness.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { openWorking } from '../../engines/open-working.ts';

test('a project, even a removed one, has its last name', async () => {
  const { connection } = await openWorking(await temporaryFolder());
  await connection.run(`
    CREATE TABLE raw.projects AS SELECT * FROM (VALUES
      ('p1', 'the old shop', TIMESTAMPTZ '2026-01-01', TIMESTAMPTZ '2026-02-01'),
      ('p1', 'a new shop', TIMESTAMPTZ '2026-02-01', NULL),
      ('p2', 'zoo', TIMESTAMPTZ '2026-01-01', TIMESTAMPTZ '2026-01-02'),
      ('p2', 'aquarium', TIMESTAMPTZ '2026-01-02', TIMESTAMPTZ '2026-03-01')
    ) AS listed (id, name, _seen_from, _seen_to)`);
  await connection.run(`
    INSERT INTO ops.loads BY NAME SELECT 'crawl_pages/' || id AS unit, 'crawl_pages' AS dataset, 'crawl' AS source_kind,
      id AS source_id, project AS project_id, now() AS loaded_at
    FROM (VALUES ('c1', 'p1'), ('c2', 'p2'), ('c3', 'p3')) AS loaded (id, project)`);
  const names = (await freshness(connection)).map(({ project_id, project_name }) => [
    project_id,
    project_name,
  ]);
  expect(names).toEqual([
    ['p1', 'a new shop'],
    ['p2', 'aquarium'],
    ['p3', null],
  ]);
});
