import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLogger } from '../../../../../src/core/logs/logger.ts';
import { loadModels } from '../../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../../src/etl/project/sql/models/sql-folders.ts';
import { planModels } from '../../../../../src/etl/project/sql/plan/plan-models.ts';
import { selectModels } from '../../../../../src/etl/project/sql/plan/select-models.ts';
import { runModels } from '../../../../support/run-models.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';
import { openWarehouse } from '../../../pipeline/transform/test-warehouse.ts';

const SQL = join(import.meta.dirname, '../../../../../sql');

const TICKET = `tickets:
  - id: t1
    project: shop
    issue: slow
    crawl: c1
    urls: [https://a.example/, "https://a.example/?q='--"]
    owner: "O'Hara"
    state: STATE
    note: |
      "first" -- no comment
      $second
    due: 2020-01-01
    created_at: 2026-11-29T09:30:00.125Z
    changed_at: 2026-11-29T10:30:00+01:00
`;

/** The rows of mart.tickets, and the models that were built for them. */
async function build(warehouse: Awaited<ReturnType<typeof openWarehouse>>, dir: string) {
  const { connection } = warehouse;
  const models = await loadModels([{ ...sqlFolder(SQL), project: { dir, issues: {} } }]);
  const plan = selectModels(await planModels({ connection, models }), ['+tickets']);
  const report = await runModels({
    connection,
    // Each model that reads a view would plan it again.
    models: plan.map(({ model }) => ({ ...model, kind: 'table' })),
    changed: new Set(),
    runId: 'run',
    logger: silentLogger,
  });
  return {
    rows: await connection.jsonRows('SELECT * FROM mart.tickets'),
    built: report.models.filter(({ status }) => status === 'built').map(({ name }) => name),
  };
}

test('tickets become rows, whatever their text, and a change rebuilds only their models', async () => {
  await using warehouse = await openWarehouse();
  const dir = await temporaryFolder();
  expect((await build(warehouse, dir)).rows).toEqual([]);
  await writeFile(join(dir, 'tickets.yaml'), TICKET.replace('STATE', 'open'));
  const { rows, built } = await build(warehouse, dir);
  expect(rows).toMatchObject([
    {
      ticket_id: 't1',
      project_id: 'shop',
      has_urls: true,
      owner: "O'Hara",
      note: '"first" -- no comment\n$second',
      effective_state: 'overdue',
      created_at: '2026-11-29 09:30:00.125+00',
      changed_at: '2026-11-29 09:30:00+00',
      pages: null,
    },
  ]);
  expect(built.sort()).toEqual(['mart.ticket_pages', 'mart.tickets']);
  await writeFile(join(dir, 'tickets.yaml'), TICKET.replace('STATE', 'done'));
  expect((await build(warehouse, dir)).rows).toMatchObject([
    { effective_state: 'unknown', reason: 'crawl_not_loaded' },
  ]);
});
