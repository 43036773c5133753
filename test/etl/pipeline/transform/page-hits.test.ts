import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLogger } from '../../../../src/core/logs/logger.ts';
import { loadModels } from '../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { runModels } from '../../../support/run-models.ts';
import { createTable, openWarehouse } from './test-warehouse.ts';

/** Those that page_hits follows from, and itself. */
const NEEDED =
  /^mart\.(projects|crawls|crawl_coverage|crawl_fields|crawl_files|pages|assistants|bots|user_agents|log_(days|events|pages_days|url_days)|ranking_\w+|crawl_days|page_hits)$/;
const models = (await loadModels([sqlFolder(join(import.meta.dirname, '../../../../sql'))])).filter(
  ({ name }) => NEEDED.test(name),
);
const unit = (dataset: string, day: number): string => `${dataset}/p1/2025-01-0${day}`;

test('hits are recomputed for the crawls of a changed day, and for the neighbors of a new crawl', async () => {
  await using warehouse = await openWarehouse();
  const { connection } = warehouse;
  const load = { unit: 'VARCHAR', dataset: 'VARCHAR', source_kind: 'VARCHAR', source_id: 'VARCHAR' };
  const stamp = { project_id: 'VARCHAR', run_id: 'VARCHAR', loaded_at: 'TIMESTAMPTZ' };
  const logs = { _unit: 'VARCHAR', _project_id: 'VARCHAR', _window: 'VARCHAR', url: 'VARCHAR' };
  const record = { id: 'VARCHAR', project_id: 'VARCHAR', ended_at: 'BIGINT' };
  const loads = [1, 2, 3].flatMap((day) => [
    { unit: `crawl_pages/c${day}`, dataset: 'crawl_pages', source_kind: 'crawl', source_id: `c${day}` },
    { unit: unit('log_events', day), dataset: 'log_events', source_kind: 'project', source_id: 'p1' },
  ]);
  const counts = { unit: unit('log_pages_days', 2), dataset: 'log_pages_days', source_kind: 'project' };
  const line = (dataset: string, day: number) => ({
    _unit: unit(dataset, day),
    _project_id: 'p1',
    _window: `2025-01-0${day}`,
    url: 'u',
  });
  await createTable(
    connection,
    'raw.crawls',
    record,
    [1, 2, 3].map((day) => ({ id: `c${day}`, project_id: 'p1', ended_at: Date.UTC(2025, 0, day) })),
  );
  await createTable(connection, 'ops.loads', { ...load, ...stamp }, [...loads, counts]);
  await connection.run(
    "UPDATE ops.loads SET project_id = 'p1', loaded_at = TIMESTAMPTZ '2025-01-05 00:00:00+00'",
  );
  await createTable(
    connection,
    'raw.log_events',
    logs,
    [1, 2, 3].map((day) => line('log_events', day)),
  );
  await createTable(connection, 'raw.log_pages_days', { ...logs, hits: 'BIGINT' }, [
    { ...line('log_pages_days', 2), hits: 7 },
  ]);

  let said: string[] = [];
  const logger = createLogger('info', (text) => said.push(text));
  const make = async (): Promise<string> => {
    said = [];
    await runModels({ connection, models, changed: new Set(['raw.log_events']), runId: 'r', logger });
    return said.find((text) => text.includes('mart.page_hits'))?.match(/partitions=\w+/)?.[0] ?? 'none';
  };
  const again = async (name: string): Promise<string> => {
    await connection.run('UPDATE ops.loads SET loaded_at = loaded_at + INTERVAL 1 DAY WHERE unit = $1', [
      name,
    ]);
    return make();
  };
  const rows = () => connection.jsonRows('SELECT crawl_id, hits FROM mart.page_hits ORDER BY ALL');

  const hits = async () => Object.fromEntries((await rows()).map(({ crawl_id, hits: n }) => [crawl_id, n]));

  expect(await make()).toBe('partitions=all');
  // Each crawl has the days before it, and those up to the next one.
  expect(await hits()).toEqual({ c1: '1', c2: '2', c3: '3' });
  expect(await again(unit('log_events', 3))).toBe('partitions=1');
  expect(await again(unit('log_events', 2))).toBe('partitions=2');
  expect(await again(unit('log_pages_days', 2))).toBe('none');

  await connection.run('DELETE FROM raw.log_events WHERE _unit = $1', [unit('log_events', 2)]);
  await connection.run('DELETE FROM ops.loads WHERE unit = $1', [unit('log_events', 2)]);
  expect(await make()).toBe('partitions=2');
  expect(await hits()).toEqual({ c1: '1', c2: '8', c3: '9' });

  // A new crawl changes itself and the one before it, whose days end with its start.
  await connection.run("INSERT INTO raw.crawls VALUES ('c4', 'p1', $1)", [Date.UTC(2025, 0, 3, 12)]);
  await connection.run(
    `INSERT INTO ops.loads SELECT * REPLACE ('crawl_pages/c4' AS unit, 'c4' AS source_id) FROM ops.loads WHERE source_id = 'c3'`,
  );
  expect(await make()).toBe('partitions=2');
  expect(await hits()).toEqual({ c1: '1', c2: '8', c3: '8', c4: '9' });
}, 180_000);
