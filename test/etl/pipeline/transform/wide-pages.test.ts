import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Connection, ident, relationTable } from '../../../../src/core/duckdb/duckdb.ts';
import { loadModels } from '../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { planModels } from '../../../../src/etl/project/sql/plan/plan-models.ts';
import { createTable, openWarehouse } from './test-warehouse.ts';

const SQL = join(import.meta.dirname, '../../../../sql');
/** Columns of `mart.pages` that only a wide project has. */
const SCRAPED = Array.from({ length: 30 }, (_, index) => `custom_${index}`);

interface Node {
  readonly name: string;
  readonly extra_info?: { readonly Projections?: string | readonly string[] };
  readonly children?: readonly Node[];
}

/** The scraped columns that a statement reads from its tables. DuckDB prunes the others, or should. */
async function scrapedColumns(connection: Connection, sql: string): Promise<number> {
  const [row] = await connection.rows<{ explain_value: string }>(`EXPLAIN (FORMAT json) ${sql}`);
  const all = (nodes: readonly Node[]): Node[] =>
    nodes.flatMap((node) => [node, ...all(node.children ?? [])]);
  const scans = all(JSON.parse(row?.explain_value ?? '[]')).filter(({ name }) => name.includes('SCAN'));
  return Math.max(
    0,
    ...scans.map(
      ({ extra_info }) =>
        [extra_info?.Projections ?? []].flat().filter((column) => column.startsWith('custom_')).length,
    ),
  );
}

// With 700 columns, a model that read them all needed more than the default memory for 60 pages.
test('no model reads all columns of wide pages', async () => {
  await using warehouse = await openWarehouse();
  const { connection } = warehouse;
  await createTable(
    connection,
    'raw.crawl_pages',
    {
      _crawl_id: 'VARCHAR',
      _project_id: 'VARCHAR',
      url: 'VARCHAR',
      status_code: 'BIGINT',
      ...Object.fromEntries(SCRAPED.map((name) => [name, 'VARCHAR'])),
    },
    [{ _crawl_id: 'c1', _project_id: 'p1', url: 'https://s/', status_code: 200 }],
  );
  const wide: string[] = [];
  const plan = await planModels({ connection, models: await loadModels([sqlFolder(SQL)]) });
  for (const { model, sql, outputs } of plan) {
    const name = relationTable(model.name);
    if (model.kind === 'view') {
      await connection.run(`CREATE VIEW ${name} AS ${sql}`);
      continue;
    }
    if ((await scrapedColumns(connection, sql)) > 0) wide.push(model.file);
    // Empty: what a model reads depends on the columns alone.
    const columns = [...outputs].map(([column, type]) => `${ident(column)} ${type}`);
    await connection.run(`CREATE TABLE ${name} (${columns.join(', ')})`);
  }
  expect(wide).toEqual([]);
  expect(await scrapedColumns(connection, 'FROM mart.pages')).toBe(SCRAPED.length);
});
