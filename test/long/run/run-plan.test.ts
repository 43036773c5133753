import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crawlhouse, rawProjectFolder, sandboxFor } from '../../support/project.ts';

test('run --plan shows what a run would load, and loads nothing; discover names the projects', async () => {
  const sandbox = await sandboxFor({ generate: ['crawls=1,pages=7,links=5,columns=8,seed=3'] });
  const folder = await rawProjectFolder();
  const asText = await crawlhouse(folder, sandbox, ['run', 'crawl_pages', '--plan']);
  expect([asText.status, asText.stderr]).toEqual([0, '']);
  expect(asText.stdout).toMatch(
    /^crawl_pages\/\w+ +[a-z]+-[a-z]+-\d +stream +csv +7 .*; CSV, because each field fits in it$/m,
  );
  expect(asText.stdout).toContain("1 unit due: 7 rows by the service's count");
  const asJson = JSON.parse(
    (await crawlhouse(folder, sandbox, ['run', 'crawl_pages', '--plan', '--json'])).stdout,
  );
  const { units, totals } = asJson;
  expect([units.length, totals]).toMatchObject([1, { units: 1, rows: 7, loaded: 0 }]);
  expect(existsSync(join(folder, 'warehouse.duckdb'))).toBe(false);
  expect(units[0].project_name).toMatch(/^[a-z]+-[a-z]+-\d$/);
  const projectId = units[0].source.project_id;
  const discovery = await crawlhouse(folder, sandbox, ['discover']);
  expect(discovery.stdout).toMatch(new RegExp(`^crawl_pages/\\w+ +\\S+ \\(${projectId}\\) +due`, 'm'));
});

test('a plan reports changed pipelines, as text and as JSON', async () => {
  const sandbox = await sandboxFor({ generate: ['crawls=1,pages=7,links=5,columns=8,seed=3'] });
  const folder = await rawProjectFolder();
  await crawlhouse(folder, sandbox, ['run', 'crawl_pages']);
  await appendFile(
    join(folder, 'pipelines', 'crawl_pages.yaml'),
    '\nfilter: { field: [depth, equals, 1] }\n',
  );
  const asText = await crawlhouse(folder, sandbox, ['run', 'crawl_pages', '--plan']);
  expect(asText.stdout).toMatch(
    /^Changed: crawl_pages: its filter has changed since 1 unit was loaded\nTry: /m,
  );
  const asJson = await crawlhouse(folder, sandbox, ['run', 'crawl_pages', '--plan', '--json']);
  expect(JSON.parse(asJson.stdout).drift).toMatchObject([{ dataset: 'crawl_pages', changed: ['filter'] }]);
});
