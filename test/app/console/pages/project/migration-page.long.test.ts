import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { silentLogger } from '../../../../../src/core/logs/logger.ts';
import type { Settings } from '../../../../../src/etl/project/settings/settings.ts';
import { loadModels } from '../../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../../src/etl/project/sql/models/sql-folders.ts';
import { loadSites, SQL } from '../../../../questions/sites/load-sites.ts';
import { CRAWLS, FINDINGS, PROJECT } from '../../../../questions/sites/move-site.ts';
import { consoleProject } from '../../../../support/console-project.ts';
import { openConsole } from '../../../../support/open-console.ts';
import { runModels } from '../../../../support/run-models.ts';
import { sharedFolder } from '../../../../support/temporary.ts';
import { capture } from '../../../cli/capture.ts';

const folder = sharedFolder();
const PATH = `/projects/${PROJECT.id}/migration`;
let settings: Settings;

beforeAll(async () => {
  const models = await loadModels([sqlFolder(SQL)]);
  settings = await consoleProject(
    folder,
    async (connection) => {
      const other = { id: 'p-other', name: 'Other', startUrl: 'https://o.example/' };
      const pages = CRAWLS[0]?.pages;
      const crawl = { ...CRAWLS[0], id: 'other-1', projectId: other.id } as (typeof CRAWLS)[number];
      await loadSites(connection, {
        projects: [PROJECT, other],
        crawls: [...CRAWLS, ...(pages === undefined ? [] : [crawl])],
      });
      await runModels({ connection, models, changed: 'all', runId: 'run', logger: silentLogger });
    },
    { withQuestions: true },
  );
});

interface Document {
  readonly findings: { readonly rows: readonly Readonly<Record<string, unknown>>[] };
  readonly urls: { readonly rows: readonly Readonly<Record<string, unknown>>[] };
  readonly paging: { readonly total: number };
}

test('the table of findings leads to the old URLs of each', async () => {
  const { ask } = await openConsole(settings);
  const json = async (query: string): Promise<Document> =>
    (await (await ask(`${PATH}.json?wait=1${query}`)).json()) as Document;
  const { findings, urls, paging } = await json('');
  const counts = Object.fromEntries(findings.rows.map(({ finding, old_urls }) => [finding, old_urls]));
  const expected = Object.groupBy(Object.values(FINDINGS), (finding) => finding);
  expect(counts).toEqual(
    Object.fromEntries(Object.entries(expected).map(([finding, of]) => [finding, of?.length])),
  );
  expect([paging.total, urls.rows.length]).toEqual([
    Object.keys(FINDINGS).length,
    Object.keys(FINDINGS).length,
  ]);
  expect(findings.rows[0]).toMatchObject({ finding: 'many_to_one', old_urls: 5, clicks_at_risk: 50 });

  const temporary = await json('&finding=temporary_redirect');
  expect(temporary.urls.rows.map(({ old_url }) => String(old_url).replace('https://m.example', ''))).toEqual([
    '/re/later',
    '/re/temporary',
    '/temporary',
  ]);
  const list = await json('&crawl=move-list');
  expect(list.urls.rows.map(({ finding }) => finding)).toEqual(['ok', 'ok', 'not_redirected']);

  const page = await (await ask(`${PATH}?wait=1`)).text();
  expect(page).toContain('aria-current="page">Migration</a>');
  expect(page).toContain(`<a href="${PATH}?wait=1&amp;finding=many_to_one">Many pages to one</a>`);
  expect(page).toContain('<option value="move-list">Crawl 1 · 2026-03-16, list</option>');
  expect(page).toContain('Clicks before and after cover 3 days each, the same days of the week.');
  expect(page.indexOf('Findings of old URLs')).toBeLessThan(page.indexOf('Table: Old URLs'));
});

test('a file of old URLs has one row per URL, in the given project', async () => {
  const file = join(folder, 'urls.csv');
  await writeFile(file, 'url,clicks\nhttps://m.example/moved,3\nhttps://m.example/never,1\n');
  const query = (...words: string[]) =>
    capture('query', ...words, '--project-dir', dirname(settings.warehouse), '--format', 'csv');
  const of = `project=${PROJECT.id}`;
  const { code, stdout } = await query('--question', 'q24', '--from', file, '-p', of);
  expect(code).toBe(0);
  expect(
    stdout
      .split('\n')
      .slice(1)
      .map((line) => line.split(',').slice(4, 7)),
  ).toEqual([
    ['ok', '', 'https://m.example/moved'],
    ['not_known', 'not_requested', 'https://m.example/never'],
    [],
  ]);

  const failed = async (...words: string[]) => {
    const { code, stderr } = await query(...words);
    return [code, stderr.split('\n')[0]];
  };
  expect(await failed('--question', 'q24', '--from', file)).toEqual([
    2,
    'Error: the warehouse has 2 projects: name the project of the URLs',
  ]);
  expect(await failed('--question', 'q23', '--from', file)).toEqual([
    2,
    'Error: q23_redirect_map does not accept a file of URLs',
  ]);
  expect(await failed('SELECT 1', '--from', file)).toEqual([2, 'Error: --from needs a saved question']);
  expect(await failed('--question', 'q24', '--from', file, '-p', 'urls=https://m.example/')).toEqual([
    2,
    'Error: --from and --param urls cannot be combined',
  ]);
});
