import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { MartContract } from '../../src/etl/project/sql/plan/mart-contract.ts';
import { loadFiles, modelText } from '../etl/pipeline/transform/model-files.ts';
import { openWarehouse } from '../etl/pipeline/transform/test-warehouse.ts';
import { unsaidChanges } from './compare-models.ts';
import { formerModels } from './former-models.ts';

/** Search results by page, and two tables that are made from each other. */
function filesOf(clicks: string, total = 'sum(clicks)'): Record<string, string> {
  const reads = 'reads:\n  raw.ranking: {url: VARCHAR, clicks: BIGINT}';
  const demand = `SELECT url, ${clicks} AS clicks, length(url) AS size FROM raw.ranking`;
  return {
    'mart/demand.sql': modelText('demand', {
      grain: '[url]',
      columns: ['url', 'clicks', 'size'],
      more: reads,
      sql: demand,
    }),
    'mart/kpis.sql': modelText('kpis', {
      kind: 'view',
      columns: ['clicks'],
      sql: `SELECT ${total} AS clicks FROM mart.demand`,
    }),
  };
}

const contractOf = (...changes: MartContract['changes']): MartContract => ({
  version: 3,
  changes,
  tables: { 'mart.demand': ['url', 'clicks', 'size'], 'mart.kpis': ['clicks'] },
});

async function unsaidOf(present: Record<string, string>, contract: MartContract): Promise<string[]> {
  await using warehouse = await openWarehouse();
  const { connection } = warehouse;
  await connection.run("CREATE TABLE raw.ranking AS FROM (VALUES ('/a', 3), ('/b', 0)) AS t(url, clicks)");
  const former = { version: '0.1.0', contract: 2, models: await loadFiles(filesOf('clicks')) };
  return await unsaidChanges(connection, 'warehouse', { former, models: await loadFiles(present), contract });
}

test('a table changed by its own definition needs an entry, which covers the tables made from it', async () => {
  const twice = filesOf('2 * clicks');
  const shown = 'mart.demand.clicks: 1 rows differ, such as 3 → 6 of {"url":"/a"}';
  expect(await unsaidOf(twice, contractOf())).toEqual([shown]);
  const says = 'clicks of both devices';
  // An entry of a version that the former program had says nothing of this one.
  expect(await unsaidOf(twice, contractOf({ version: 2, table: 'mart.demand', says }))).toEqual([shown]);
  expect(await unsaidOf(twice, contractOf({ version: 3, table: 'mart.demand', says }))).toEqual([]);
  const ofSize = { version: 3, table: 'mart.demand', column: 'size', says: 'bytes' };
  expect(await unsaidOf(twice, contractOf(ofSize))).toEqual([shown]);
});

test('added and removed rows are shown, also without a grain; equal figures need no entry', async () => {
  expect(await unsaidOf(filesOf('clicks', 'max(clicks) + 1'), contractOf())).toEqual([
    'mart.kpis.clicks: 1 rows differ, such as "3" → "4" of {}',
  ]);
  expect(await unsaidOf(filesOf('clicks', 'max(clicks)'), contractOf())).toEqual([]);
  const fewer = Object.fromEntries(
    Object.entries(filesOf('clicks')).map(([file, text]) => [
      file,
      text.replace('raw.ranking\n', 'raw.ranking WHERE clicks > 0\n'),
    ]),
  );
  expect(await unsaidOf(fewer, contractOf())).toEqual([
    'mart.demand: 1 rows only before, 0 only now, such as {"url":"/b","clicks":0,"size":"2"}',
  ]);
});

test('the kept models belong to the last published version, in few bytes', async () => {
  const changelog = await readFile(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');
  const [, published] = /^## \[(\d[^\]]*)\]/m.exec(changelog) ?? [];
  const { version, models } = await formerModels();
  // Nothing is published yet: the commit is the one whose project test/formats keeps.
  expect(version, 'node test/formats/former-models.ts VERSION').toBe(published ?? 'd6ccd19a');
  expect(models.map(({ name }) => name)).toContain('mart.crawl_kpis');
  const kept = (await readdir(import.meta.dirname)).filter((name) => name.startsWith('models.'));
  expect(kept).toHaveLength(1);
  expect((await stat(join(import.meta.dirname, kept[0] ?? ''))).size).toBeLessThan(200_000);
});
