import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { Database, text } from '../../../src/core/duckdb/duckdb.ts';
import type { Settings } from '../../../src/etl/project/settings/settings.ts';
import { rawProjectFolder } from '../../support/project.ts';

const QUESTION = `/*
title: Pages by status
task: What changed
model: mart.pages
description: How many pages have each status.
parameters:
  project:
  most: { type: BIGINT, default: 2, description: The most rows. }
needs: [crawl_before]
chart: {kind: bar, x: status, y: pages}
*/
SELECT status, count(*) AS pages
FROM mart.pages
WHERE $project IS NULL OR project_id = $project
GROUP BY status
ORDER BY pages DESC, status
LIMIT $most
`;

/** A project folder with a saved question and a published warehouse: 250 pages of p1. */
export async function projectWithWarehouse(parent: string): Promise<Settings> {
  const folder = await rawProjectFolder(parent);
  await mkdir(join(folder, 'sql', 'questions'));
  await writeFile(join(folder, 'sql', 'questions', 'q90_pages_by_status.sql'), QUESTION);
  const settings = await loadSettings(folder, {});
  await using database = await Database.open({
    memoryLimit: '200MB',
    threads: 1,
    tempDirectory: join(folder, 'spill'),
  });
  const connection = await database.connect();
  await connection.run(`ATTACH ${text(settings.warehouse)} AS w`);
  await connection.run('USE w');
  for (const schema of ['raw', 'mart', 'ops']) await connection.run(`CREATE SCHEMA ${schema}`);
  await connection.run(`CREATE TABLE raw.projects AS SELECT 'p1' AS id, 'Shop' AS name`);
  await connection.run(`CREATE TABLE mart.pages AS SELECT 'p1' AS project_id, 'https://shop.example/' || i AS url,
    CASE WHEN i % 10 = 7 THEN 404 ELSE 200 END AS status, 9007199254740993 + i AS large FROM range(250) AS t(i)`);
  await connection.run(`CREATE TABLE mart.crawls AS SELECT * FROM (VALUES
    ('c1', 'p1', 'Shop', NULL, TIMESTAMPTZ '2026-11-01 06:00:00+00', false),
    ('c2', 'p1', 'Shop', 'c1', TIMESTAMPTZ '2026-11-02 06:00:00+00', true))
    AS t(crawl_id, project_id, project_name, previous_crawl_id, ended_at, is_main)`);
  await connection.run('USE memory');
  await connection.run('DETACH w');
  return settings;
}
