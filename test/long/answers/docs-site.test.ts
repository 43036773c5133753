import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { referencePages } from '../../../scripts/reference.ts';
import type { Dictionary } from '../../../src/app/answers/dictionary/dictionary.ts';
import { renderSite } from '../../../src/app/answers/dictionary/dictionary-site.ts';
import { loadModels } from '../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../src/etl/project/sql/models/sql-folders.ts';
import { crawlhouse, projectFolder, published, runProject, sandboxFor } from '../../support/project.ts';
import { temporaryConnection } from '../../support/temporary.ts';

/** Columns of `raw`, `ops` and `mart` without a comment, and tables of `ops` and `mart`. */
const UNCOMMENTED = `
  SELECT schema_name, table_name, column_name FROM duckdb_columns()
  WHERE database_name = current_database() AND NOT internal AND comment IS NULL
  UNION ALL
  SELECT schema_name, table_name, NULL FROM duckdb_tables()
  WHERE database_name = current_database() AND schema_name <> 'raw' AND comment IS NULL`;

const ROOT = join(import.meta.dirname, '../../..');

test('docs --format markdown and npm run docs list the same shipped models and columns', async () => {
  const folder = await projectFolder();
  const { status } = await crawlhouse(folder, null, ['docs', '--format', 'markdown', '--output', 'docs']);
  expect(status).toBe(0);
  const page = await readFile(join(folder, 'docs', 'dictionary.md'), 'utf8');
  expect((await referencePages())['dictionary.md']).toBe(page.replaceAll('](../sql/', '](../../sql/'));
  const models = await loadModels([sqlFolder(join(ROOT, 'sql'))]);
  const sections = new Map(page.split(/^## /m).map((text) => [text.split('\n')[0], text]));
  for (const { name, columns } of models.filter((model) => model.name.startsWith('mart.')))
    for (const column of columns.keys()) expect(sections.get(name)).toContain(`| \`${column}\``);
});

test('each column of a warehouse has a comment, and its site lists every table and question without dead links', async () => {
  const sandbox = await sandboxFor({
    generate: [
      'projects=1,crawls=2,pages=20,links=40,clusters=3,structured_data=9,comparisons=1,log_days=2,events=20,ranking_days=2',
    ],
  });
  const folder = await projectFolder();
  expect((await runProject(folder, sandbox)).exitCode).toBe(0);
  const connection = await temporaryConnection(folder);
  expect(await published(connection, folder, UNCOMMENTED)).toEqual([]);
  const { status, stdout } = await crawlhouse(folder, null, ['docs', '--output', 'site', '--json']);
  expect(status).toBe(0);
  const { file } = JSON.parse(stdout) as { file: string };
  const page = await readFile(file, 'utf8');
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
  expect(new Set(ids).size).toBe(ids.length);
  const targets = [...page.matchAll(/href="#([^"]+)"/g)].map((match) => String(match[1]));
  expect(targets.filter((target) => !ids.includes(target))).toEqual([]);
  for (const id of [
    'mart.pages',
    'raw.crawl_pages',
    'raw.crawl_pages.url',
    'ops.loads',
    'q05_status_codes_by_crawl',
  ])
    expect(ids).toContain(id);
  expect(page).toContain('Content of the title tag.');
  expect(page).toContain('A row for each unit in the warehouse, about its last load.');
  expect(page).toContain('<td class="passed">passed</td>');
  expect(page).toMatch(/published 20\d\d-\d\d-\d\dT/);
  // Nothing comes from elsewhere.
  expect(page).not.toMatch(/(?:src|href)="(?!#)/);
});

test('hostile names and text stay text in the dictionary site', () => {
  const evil = '<script>alert(1)</script>"\'';
  const table: Dictionary['tables'][number] = {
    name: 'mart.evil',
    kind: 'view',
    description: evil,
    grain: [evil],
    rows: 1,
    sql: evil,
    file: evil,
    columns: [{ name: evil, type: evil, description: evil, sources: [evil] }],
    reads: [evil],
    tests: [{ name: evil, severity: 'warn', status: 'failed', failures: 2, testedAt: evil }],
  };
  const parameter = { name: evil, type: evil as 'VARCHAR', default: evil, description: evil };
  const question = {
    name: evil,
    title: evil,
    description: evil,
    reads: [evil],
    sql: evil,
    parameters: [parameter],
  };
  const page = renderSite({ publishedAt: evil, tables: [table], questions: [question] });
  expect(page).not.toContain('<script>alert');
  expect(page).not.toContain('="<');
});
