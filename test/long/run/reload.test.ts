import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crawlhouse, published, rawProjectFolder, runProject, sandboxFor } from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

test('a reload plan changes nothing, and a reload replaces the rows', async () => {
  const sandbox = await sandboxFor({
    generate: ['projects=1,crawls=2,pages=300,links=1500,columns=40,seed=3'],
  });
  const empty = await rawProjectFolder();
  const window = ['--from', '2000-01-01', '--to', '2100-01-01'];
  const plan = JSON.parse(
    (await crawlhouse(empty, sandbox, ['backfill', ...window, '--plan', '--json'])).stdout,
  );
  expect(plan.totals).toMatchObject({ units: 18, rows: 300 + 300 + 1500 + 1500 + 1 + 2 });
  expect(existsSync(join(empty, 'warehouse.duckdb'))).toBe(false);
  const folder = await rawProjectFolder();
  await runProject(folder, sandbox);
  const reload = await crawlhouse(folder, sandbox, ['backfill', ...window, '--reload', '--json']);
  expect(reload.status).toBe(0);
  const { units } = JSON.parse(reload.stdout) as { units: { status: string }[] };
  expect(units.filter((unit) => unit.status === 'loaded')).toHaveLength(18);
  const connection = await temporaryConnection(await temporaryFolder());
  const [row] = await published(
    connection,
    folder,
    'SELECT count(*) AS n, count(DISTINCT _run_id) AS runs FROM raw.crawl_links',
  );
  expect(row).toEqual({ n: '3000', runs: '1' });
});

test('run --crawl ID --reload loads that crawl again, and no other', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=2,pages=10,columns=8,seed=3'] });
  const folder = await rawProjectFolder();
  const crawls = { pipelines: ['crawl_pages'] };
  const [one] = (await runProject(folder, sandbox, crawls)).report.units;
  const args = ['run', 'crawl_pages', '--crawl', one?.source.id ?? '', '--json'];
  const unitsOf = async (...more: string[]) => {
    const { units } = JSON.parse((await crawlhouse(folder, sandbox, [...args, ...more])).stdout) as {
      units: { unit: string; status: string }[];
    };
    return units.map(({ unit, status }) => [unit, status]);
  };
  expect(await unitsOf()).toEqual([]);
  expect(await unitsOf('--reload')).toEqual([[one?.unit, 'loaded']]);
});
