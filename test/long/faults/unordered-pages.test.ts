import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { published, rawProjectFolder, runProject, sandboxFor, setFaults } from '../../support/project.ts';
import { type Passing, proxied } from '../../support/proxied.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

/** Searches without an order: each page but the first begins 700 rows too early, and every count is right. */
function unordered({ path, body }: Passing): { readonly body: string } | null {
  if (!/^\/api\/v2\/data\/.*\/(pages|links)$/.test(path)) return null;
  const { sort: _none, ...search } = JSON.parse(body) as { offset?: number; limit?: number; sort?: unknown };
  if (!search.offset) return null;
  return { body: JSON.stringify({ ...search, offset: search.offset - 700 }) };
}

test('pages with repeated search results are refused, with their rows', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=1,pages=6000,columns=10,seed=51'] });
  const folder = await rawProjectFolder();
  const environment = { CRAWLHOUSE_BASE_URL: await proxied(sandbox.baseUrl, unordered) };
  const options = { pipelines: ['crawl_pages'], route: 'search', environment } as const;
  const { exitCode, report, errors } = await runProject(folder, sandbox, options);
  expect(exitCode).toBe(4);
  expect(errors[0]).toMatchObject({
    code: 'unreconciled',
    message: expect.stringMatching(
      /^crawl_pages\/\w+: 6000 rows arrived in pages, but only 4\d{3} differ in url; \d+ have url http/,
    ),
  });
  expect(report.units.map((unit) => [unit.status, unit.counts.loaded])).toEqual([['refused', null]]);
  const honest = await runProject(folder, sandbox, { pipelines: ['crawl_pages'], route: 'search' });
  expect([honest.exitCode, honest.report.units[0]?.counts.queryable]).toEqual([0, 6000]);
});

test('rows without a key are loaded by single-page searches, which need no order', async () => {
  const sandbox = await sandboxFor({
    generate: ['projects=1,crawls=1,pages=200,links=6000,columns=8,seed=52'],
  });
  const folder = await rawProjectFolder();
  const environment = { CRAWLHOUSE_BASE_URL: await proxied(sandbox.baseUrl, unordered) };
  const options = { pipelines: ['crawl_links'], route: 'search', environment } as const;
  const { exitCode, report } = await runProject(folder, sandbox, options);
  expect([exitCode, report.units[0]?.counts.queryable]).toEqual([0, 6000]);
  const streamed = await rawProjectFolder();
  await runProject(streamed, sandbox, { pipelines: ['crawl_links'], route: 'stream' });
  const connection = await temporaryConnection(await temporaryFolder());
  const rows = (from: string) =>
    published(
      connection,
      from,
      'SELECT hash(columns(* EXCLUDE (_run_id, _loaded_at))) AS h FROM raw.crawl_links ORDER BY ALL',
    );
  expect(await rows(folder)).toEqual(await rows(streamed));
});

test('auto uses no search that cannot be split, and names the earlier refusals', async () => {
  const sandbox = await sandboxFor({
    generate: ['projects=1,crawls=1,pages=200,links=3000,columns=8,seed=53'],
  });
  const folder = await rawProjectFolder();
  const pipeline = join(folder, 'pipelines', 'crawl_links.yaml');
  const shipped = await readFile(pipeline, 'utf8');
  await writeFile(
    pipeline,
    `${shipped.replace(/^fields:.*\n/m, '')}fields: { include: [origin, target], exclude: [] }\n`,
  );
  await setFaults(sandbox, [{ match: { path: 'export=true' }, kind: 'status', status: 403 }]);
  const { exitCode, errors } = await runProject(folder, sandbox, { pipelines: ['crawl_links'] });
  expect([exitCode, errors[0]?.code]).toEqual([5, 'forbidden']);
  expect(errors[0]?.message).toMatch(
    /answered 403 forbidden.*; links of crawl \w+: 3000 rows have the same numbers, and without a key a search is reliable up to 2000, one page$/,
  );
});
