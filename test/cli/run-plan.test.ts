import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crawlhouse, rawProjectFolder, sandboxFor } from '../support/project.ts';

test('run --plan says what would be loaded, and loads nothing; discover names the projects', async () => {
  const sandbox = await sandboxFor({ generate: ['crawls=1,pages=7,links=5,columns=8,seed=3'] });
  const folder = await rawProjectFolder();
  const asText = await crawlhouse(folder, sandbox, ['run', 'crawl_pages', '--plan']);
  expect([asText.status, asText.stderr]).toEqual([0, '']);
  expect(asText.stdout).toMatch(/^crawl_pages\/\w+ +stream +json +7 /m);
  expect(asText.stdout).toContain("1 unit due: 7 rows by the service's count");
  const asJson = JSON.parse(
    (await crawlhouse(folder, sandbox, ['run', 'crawl_pages', '--plan', '--json'])).stdout,
  );
  const { units, totals } = asJson;
  expect([units.length, totals]).toMatchObject([1, { units: 1, rows: 7, loaded: 0 }]);
  expect(existsSync(join(folder, 'warehouse.duckdb'))).toBe(false);
  const projectId = units[0].source.project_id;
  const discovery = await crawlhouse(folder, sandbox, ['discover']);
  expect(discovery.stdout).toMatch(new RegExp(`^crawl_pages/\\w+ +\\S+ \\(${projectId}\\) +due`, 'm'));
});
