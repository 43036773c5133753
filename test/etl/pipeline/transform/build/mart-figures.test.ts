import { expect, test } from 'vitest';
import {
  martFigures,
  movedTables,
  movedText,
} from '../../../../../src/etl/pipeline/transform/build/mart-figures.ts';
import { openWarehouse } from '../test-warehouse.ts';

test('an upgrade reports changed figures by project, for tables and columns of both versions', async () => {
  await using warehouse = await openWarehouse();
  const { connection } = warehouse;
  const tables = ['mart.kpis', 'mart.totals', 'mart.gone'];
  const figures = () => martFigures(connection, connection, tables);
  await connection.run(`
    CREATE TABLE mart.kpis AS SELECT * FROM (VALUES ('a', 7, 1, 0.5, 'x'), ('a', 7, 2, NULL, 'y'), ('b', 8, 3, 1, 'z'))
      AS t(project_id, crawl_id, clicks, position, name);
    CREATE TABLE mart.totals AS SELECT 5 AS pages;
    CREATE TABLE mart.gone AS SELECT 1 AS n`);
  const before = await figures();
  expect(before.get('mart.kpis')?.get('a')).toEqual({ rows: 2, clicks: 3, position: 0.5 });
  await connection.run(`
    UPDATE mart.kpis SET clicks = 10 WHERE name = 'x';
    DELETE FROM mart.kpis WHERE project_id = 'b';
    ALTER TABLE mart.kpis ADD COLUMN hits INTEGER DEFAULT 4;
    UPDATE mart.totals SET pages = 1000;
    DROP TABLE mart.gone`);
  const plan = [
    { model: { name: 'mart.kpis' }, models: new Set(['mart.demand']) },
    { model: { name: 'mart.demand' }, models: new Set(['mart.days']) },
  ] as unknown as Parameters<typeof movedTables>[3];
  const moved = movedTables(before, await figures(), new Set(['mart.days', 'mart.pages']), plan);
  expect(moved.map(movedText)).toEqual([
    'mart.kpis, project a: clicks 3 → 12; changed definition: mart.days',
    'mart.kpis, project b: rows 1 → 0, clicks 3 → none, position 1 → none; changed definition: mart.days',
    'mart.totals: pages 5 → 1,000',
  ]);
  expect(movedTables(before, before, new Set(), plan)).toEqual([]);
});
