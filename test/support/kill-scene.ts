import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from '../../src/core/duckdb/duckdb.ts';
import type { Sandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { DataExportDesk } from './data-exports.ts';
import { differences, published, rawProjectFolder, sandboxFor } from './project.ts';

/** One dataset for each route, small enough that a run is short. */
const ROUTES: Readonly<Record<string, string>> = {
  crawl_pages: 'route: export\nformat: parquet\n',
  crawl_links: 'route: export\nformat: json\n',
  crawl_clusters: 'route: search\n',
  crawl_structured_data: 'route: stream\nformat: csv\n',
  log_pages_days: 'route: stream\nformat: json\n',
  ranking_performance: '',
  projects: '',
};
const GENERATE =
  'projects=1,crawls=1,pages=60,links=200,columns=12,clusters=20,structured_data=20,log_days=1,ranking_days=1,seed=5';
/** Data exports that a project needs: one for each unit that comes by this route. */
export const EXPORTS = 2;

const MODEL = `/*
name: mart.links_by_page
kind: table
description: Links of each page.
grain: [crawl_id, url]
columns:
  crawl_id: Identifier of the crawl.
  url: URL of the page.
  links: Number of links on it.
reads:
  raw.crawl_links: {_crawl_id: VARCHAR, origin: VARCHAR}
*/
SELECT _crawl_id AS crawl_id, origin AS url, count(*) AS links FROM raw.crawl_links GROUP BY ALL
`;

/** A sandbox that has something for every route, and projects that take each of them. */
export async function killScene(): Promise<{ sandbox: Sandbox; desk: DataExportDesk }> {
  const sandbox = await sandboxFor({ generate: [GENERATE], exportObjects: 2, exportGzip: true });
  return { sandbox, desk: new DataExportDesk(sandbox) };
}

export async function killProject(): Promise<string> {
  const folder = await rawProjectFolder();
  for (const file of await readdir(join(folder, 'pipelines'))) {
    const path = join(folder, 'pipelines', file);
    const route = ROUTES[file.replace('.yaml', '')];
    if (route === undefined) await rm(path);
    else await writeFile(path, `${await readFile(path, 'utf8')}${route}`);
  }
  // A prefix of its own: else it would find the data exports of another project on the same service, and take them.
  const prefix = randomUUID();
  await writeFile(
    join(folder, 'crawlhouse.yaml'),
    `shipped_models: none\nstore_a: { prefix: ${prefix} }\nstore_b: { prefix: ${prefix} }\n`,
  );
  await mkdir(join(folder, 'sql', 'mart'), { recursive: true });
  await writeFile(join(folder, 'sql', 'mart', 'links_by_page.sql'), MODEL);
  return folder;
}

/** What of a warehouse is not as in the undisturbed one; nothing, where every row is there once. */
export async function unlike(connection: Connection, undisturbed: string, folder: string): Promise<string[]> {
  const wrong: string[] = [];
  for (const dataset of Object.keys(ROUTES)) {
    const rows = await differences(connection, undisturbed, folder, dataset);
    if (rows !== 0n) wrong.push(`raw.${dataset}: ${rows} rows differ`);
  }
  const loads = `SELECT unit, reported, received, staged, rejected, loaded, queryable, route, format FROM ops.loads
                 ORDER BY unit`;
  const same = async (sql: string): Promise<boolean> =>
    JSON.stringify(await published(connection, undisturbed, sql)) ===
    JSON.stringify(await published(connection, folder, sql));
  if (!(await same(loads))) wrong.push('ops.loads differs');
  if (!(await same('FROM mart.links_by_page ORDER BY ALL'))) wrong.push('mart.links_by_page differs');
  const open = await published(
    connection,
    folder,
    `SELECT unit, status FROM ops.units WHERE status <> 'published'`,
  );
  if (open.length > 0) wrong.push(`not published: ${JSON.stringify(open)}`);
  return wrong;
}
