import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Database } from '../../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { withNewUnits } from '../../../src/etl/engines/new-units.ts';
import { WorkingCopy } from '../../../src/etl/engines/working-copy.ts';
import { publish } from '../../../src/etl/pipeline/publish/publish.ts';
import { IN_DUCKDB } from '../../support/in-duckdb.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { toVersion9 } from '../../support/to-version-9.ts';
import { withWorking } from './open-working.ts';

async function openWorking(): Promise<WorkingCopy> {
  const folder = await temporaryFolder();
  const database = await Database.open({
    memoryLimit: '400MB',
    threads: 2,
    tempDirectory: join(folder, 't'),
  });
  onTestFinished(() => database[Symbol.asyncDispose]());
  return WorkingCopy.open(
    database,
    { stateDir: folder, warehouse: join(folder, 'warehouse.duckdb'), engine: IN_DUCKDB },
    silentLogger,
  );
}

const loadLine = (unit: string, run: string, kind = 'crawl'): string =>
  `INSERT INTO ops.loads BY NAME SELECT '${unit}' AS unit, 'crawl_pages' AS dataset, '${kind}' AS source_kind,
     '${unit}' AS source_id, 'p' AS project_id, 1 AS loaded, '${run}' AS run_id, now() AS loaded_at,
     '7' AS fingerprint`;

test('a unit is restored to its published rows, with the current column types', async () => {
  const working = await openWorking();
  const { connection } = working;
  const run = async (...statements: string[]): Promise<void> => {
    for (const statement of statements) await connection.run(statement);
  };
  await run(
    'CREATE TABLE raw.crawl_pages (_unit VARCHAR, n BIGINT, tags VARCHAR, day DATE)',
    "INSERT INTO raw.crawl_pages VALUES ('a', 1, 'x', '2026-03-01'), ('b', 2, NULL, NULL)",
    loadLine('a', 'r1'),
    loadLine('b', 'r1'),
    loadLine('list', 'r1', 'resource'),
    "INSERT INTO ops.unit_fields VALUES ('a', 'crawl_pages', 'n', 'natural', 'one', 'n')",
    "UPDATE ops.loads SET loaded = 0 WHERE unit = 'list'",
    'UPDATE ops.loads SET fingerprint = NULL',
  );
  expect(await withNewUnits(working, async ({ units }) => units.map(({ unit }) => unit))).toEqual(['a', 'b']);
  await publish(working, silentLogger, new AbortController().signal);
  expect(await withNewUnits(working, async ({ units }) => units)).toEqual([]);
  const lines = (): Promise<unknown> => connection.jsonRows("FROM ops.loads WHERE unit <> 'c' ORDER BY unit");
  const published = await lines();

  await run(
    'ALTER TABLE raw.crawl_pages ALTER n TYPE DECIMAL(38, 0)',
    'ALTER TABLE raw.crawl_pages ALTER tags TYPE VARCHAR[] USING CASE WHEN tags IS NOT NULL THEN [tags] END',
    'ALTER TABLE raw.crawl_pages ALTER day TYPE VARCHAR',
    'ALTER TABLE raw.crawl_pages ADD COLUMN more VARCHAR',
    "DELETE FROM raw.crawl_pages WHERE _unit = 'a'",
    "INSERT INTO raw.crawl_pages VALUES ('a', 9, ['y'], 'z', 'm'), ('a', 9, ['y'], 'z', 'm'), ('c', 3, NULL, NULL, NULL)",
    "DELETE FROM ops.loads WHERE unit IN ('a', 'list')",
    'DELETE FROM ops.unit_fields',
    loadLine('a', 'r2'),
    loadLine('c', 'r2'),
    loadLine('list', 'r2', 'resource'),
    "INSERT INTO ops.rejects (unit) VALUES ('a')",
  );
  await withNewUnits(working, async ({ units, putBack }) => {
    expect(units.map(({ unit }) => unit)).toEqual(['a', 'c']);
    await connection.transaction(() => putBack(['a', 'c']));
  });
  expect(await connection.jsonRows('FROM raw.crawl_pages ORDER BY _unit')).toEqual([
    { _unit: 'a', n: '1', tags: ['x'], day: '2026-03-01', more: null },
    { _unit: 'b', n: '2', tags: null, day: null, more: null },
  ]);
  await run("DELETE FROM ops.loads WHERE unit = 'list'");
  expect(await lines()).toEqual((published as { unit: string }[]).filter(({ unit }) => unit !== 'list'));
  expect(await connection.jsonRows('SELECT unit, field FROM ops.unit_fields')).toEqual([
    { unit: 'a', field: 'n' },
  ]);
  expect(await connection.jsonRows('FROM ops.rejects')).toEqual([]);
});

test('a unit is restored to rows published by an earlier version with other column names', async () => {
  const folder = await temporaryFolder();
  await withWorking(folder, async (working) => {
    const { connection } = working;
    await connection.run('CREATE TABLE raw.crawl_pages (_unit VARCHAR)');
    await connection.run("INSERT INTO raw.crawl_pages VALUES ('a')");
    await connection.run(loadLine('a', 'r1'));
    await connection.run('UPDATE ops.loads SET fingerprint = NULL, pinned = true');
    await toVersion9(connection);
    await publish(working, silentLogger, new AbortController().signal);
  });
  await withWorking(folder, async (working) => {
    const { connection } = working;
    await connection.run('DELETE FROM ops.loads');
    await connection.run(loadLine('a', 'r2'));
    await withNewUnits(working, ({ putBack }) => connection.transaction(() => putBack(['a'])));
    expect(await connection.rows('SELECT unit, run_id, pinned FROM ops.loads')).toEqual([
      { unit: 'a', run_id: 'r1', pinned: true },
    ]);
  });
});
