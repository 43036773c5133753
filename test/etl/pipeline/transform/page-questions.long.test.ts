import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { loadModels } from '../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { loadQuestions, type Question } from '../../../../src/etl/project/sql/questions/questions.ts';
import { askQuestion } from '../../../support/ask-question.ts';
import { runModels } from '../../../support/run-models.ts';
import { createTable, openWarehouse, type TestWarehouse } from './test-warehouse.ts';

// Two crawls of one small strange site, worked by hand, and a third that a person ended after its first page.

const sql = join(import.meta.dirname, '../../../../sql');
const questions = new Map(
  (await loadQuestions([sqlFolder(sql)])).map((question) => [question.name.slice(0, 3), question]),
);
const HOME = 'https://s.example/';
const NAMES = {
  url: 'VARCHAR',
  status_code: 'BIGINT',
  fetched: 'BOOLEAN',
  fetch_status: 'VARCHAR',
  depth: 'BIGINT',
  nb_inlinks: 'BIGINT',
  inrank_decimal: 'DOUBLE',
  title: 'VARCHAR',
  sources: 'VARCHAR[]',

  robots_txt_denied: 'BOOLEAN',
  meta_robots: 'VARCHAR[]',
  rel_canonical: 'VARCHAR',
  clusters: 'VARCHAR[]',
  sitemaps_file_origin: 'VARCHAR[]',
  redirect_count: 'BIGINT',
  final_redirect_status: 'BIGINT',
  hreflang_cluster_id: 'VARCHAR',
  hreflang_hrefs: 'VARCHAR[]',
  hreflang_errors: 'VARCHAR[]',
};
const ok = { status_code: 200, fetched: true, depth: 1, nb_inlinks: 2, inrank_decimal: 2 };
const page = (path: string, values: object = {}) => ({ url: HOME + path, ...ok, ...values });

const BEFORE = [
  page('', { depth: 0, nb_inlinks: 0 }),
  page('timeout'),
  page('new-field'),
  page('left'),
  page('shut'),
  page('vanished', { inrank_decimal: 5 }),
];
const AFTER = [
  page('', { depth: 0, nb_inlinks: 0, title: 'A  title ' }),
  page('timeout', { status_code: null, fetched: false, fetch_status: 'unfetched_exception' }),
  page('shut', {
    status_code: null,
    fetched: false,
    fetch_status: 'unfetched_exception',
    inrank_decimal: null,
    robots_txt_denied: true,
  }),
  page('new-field', { meta_robots: ['noindex'], sitemaps_file_origin: ['s.xml'] }),
  page('left', { depth: null, nb_inlinks: 1, sources: ['sitemaps'], title: '\tA title' }),
  page('alone', { nb_inlinks: 0, sources: ['crawler'], clusters: ['k', 'k'] }),
  page('copy', { rel_canonical: '/timeout', title: 'A title', clusters: ['k'] }),
  page('far', { rel_canonical: '/elsewhere' }),
  page('chain', { rel_canonical: `${HOME}copy` }),
  page('lost', { rel_canonical: '/gone' }),
  page('gone', { status_code: 404, sitemaps_file_origin: ['s.xml'] }),
  page('de', {
    hreflang_cluster_id: 'h',
    hreflang_hrefs: [`${HOME}de`, `${HOME}fr`],
    hreflang_errors: ['no_return'],
  }),
  page('moved', { status_code: 301, redirect_count: 2, final_redirect_status: 404 }),
];
const LINKS = [
  { origin: HOME, target: `${HOME}moved`, anchor: 'm' },
  { origin: HOME, target: `${HOME}gone`, anchor: 'g', target_status: 503 },
  { origin: `${HOME}de`, target: `${HOME}gone`, anchor: 'g' },
  { origin: HOME, target: 'https://other.example/x', target_status: 404 },
];

test('links to redirects to a 404 are found without the service fields for ranges and internal links', async () => {
  expect(await answer('q01')).toMatchObject([{ target: `${HOME}moved`, anchor: 'm', origins: [HOME] }]);
});

test('the start page and pages found by the crawler are not orphans', async () => {
  const found = await answer('q03');
  expect(found.map(({ url, reason }) => [url, reason])).toEqual([[`${HOME}left`, 'linked_by_orphans_only']]);
});

test('a funnel step that no page passes is 0, one with a missing field is NULL', async () => {
  const [after, before] = (await answer('q04')).filter(({ crawl_id }) => crawl_id !== 'c3');
  expect(after).toMatchObject({ crawl_id: 'c2', indexable: '4', canonical: '0', canonical_not_set: '4' });
  expect(before).toMatchObject({ crawl_id: 'c1', indexable: '6', canonical: null, canonical_not_set: null });
});

test('a page without a response is not known to be non-indexable, nor is one judged only by a new field', async () => {
  expect(await answer('q07')).toEqual([]);
});

test('a 404 is found after a 503, and a 404 of another site is left out', async () => {
  expect(await answer('q08')).toMatchObject([
    { target: `${HOME}gone`, origin: `${HOME}de`, internal_links: '1' },
  ]);
});

test('a redirect chain shows the pages that link into it', async () => {
  expect(await answer('q09')).toMatchObject([{ url: `${HOME}moved`, internal_links: '1', origins: [HOME] }]);
});

test('zero losses are 0', async () => {
  const found = await answer('q10');
  expect(found.find(({ depth }) => depth === '0')).toMatchObject({ lost_percent: 0 });
  expect(found.find(({ depth }) => depth === '1')).toMatchObject({ lost_percent: 30 });
});

test('missing pages and pages that lose their links are found, the highest inrank first', async () => {
  const found = await answer('q11');
  expect(found.map(({ url, finding }) => [url, finding])).toEqual([
    [`${HOME}vanished`, 'missing'],
    [`${HOME}left`, 'left the structure'],
  ]);
});

test('a sitemap that lists missing or noindex pages is found', async () => {
  const found = (await answer('q12')).filter(({ finding }) => finding === 'in the sitemap, not indexable');
  expect(found.map(({ url, problem }) => [url, problem])).toEqual([
    [`${HOME}gone`, 'client_error'],
    [`${HOME}new-field`, 'noindex'],
  ]);
});

test('white space does not distinguish titles; copies and repeated clusters are not duplicates', async () => {
  const found = await answer('q13');
  expect(found.map(({ field, shared_value, pages }) => [field, shared_value, pages])).toEqual([
    ['title', 'A title', '2'],
  ]);
});

test('each canonical to a bad target shows its problem', async () => {
  const found = await answer('q14');
  expect(found.map(({ url, problem }) => [url, problem])).toEqual([
    [`${HOME}far`, 'not_in_crawl'],
    [`${HOME}lost`, 'client_error'],
    [`${HOME}copy`, 'no_answer'],
    [`${HOME}chain`, 'canonicalised'],
  ]);
});

test('unknown versions and errors reported by the service make a cluster bad', async () => {
  expect(await answer('q15')).toMatchObject([
    { hreflang_cluster_id: 'h', missing: '1', hreflang_errors: ['no_return'] },
  ]);
});

let warehouse: TestWarehouse;

beforeAll(async () => {
  warehouse = await openWarehouse();
  const { connection } = warehouse;
  const loadsOf = (dataset: string, id: string, loaded: number) => ({
    unit: `${dataset}/${id}`,
    dataset,
    source_kind: 'crawl',
    source_id: id,
    project_id: 'p',
    loaded,
  });
  await createTable(
    connection,
    'raw.crawls',
    { id: 'VARCHAR', project_id: 'VARCHAR', end_reason: 'VARCHAR', ended_at: 'BIGINT' },
    [
      { id: 'c1', project_id: 'p', end_reason: 'ok', ended_at: 1000 },
      { id: 'c2', project_id: 'p', end_reason: 'ok', ended_at: 2000 },
      { id: 'c3', project_id: 'p', end_reason: 'user_requested', ended_at: 3000 },
    ],
  );
  await createTable(connection, 'raw.projects', { id: 'VARCHAR', name: 'VARCHAR', start_url: 'VARCHAR' }, [
    { id: 'p', name: 'strange', start_url: 'https://s.example' },
  ]);
  const ours = { _crawl_id: 'VARCHAR', _project_id: 'VARCHAR' };
  const of = (id: string, rows: readonly object[]) =>
    rows.map((row) => ({ ...row, _crawl_id: id, _project_id: 'p' }));
  await createTable(connection, 'raw.crawl_pages', { ...NAMES, ...ours }, [
    ...of('c1', BEFORE),
    ...of('c2', AFTER),
    ...of('c3', BEFORE.slice(0, 1)),
  ]);
  const link = { origin: 'VARCHAR', target: 'VARCHAR', anchor: 'VARCHAR', target_status: 'BIGINT' };
  await createTable(connection, 'raw.crawl_links', { ...link, ...ours }, of('c2', LINKS));
  const stamp = { run_id: 'VARCHAR', loaded_at: 'TIMESTAMP WITH TIME ZONE' };
  const load = { unit: 'VARCHAR', dataset: 'VARCHAR', source_kind: 'VARCHAR', source_id: 'VARCHAR' };
  await createTable(connection, 'ops.loads', { ...load, project_id: 'VARCHAR', loaded: 'BIGINT', ...stamp }, [
    loadsOf('crawl_pages', 'c1', BEFORE.length),
    loadsOf('crawl_pages', 'c2', AFTER.length),
    loadsOf('crawl_links', 'c2', LINKS.length),
    loadsOf('crawl_pages', 'c3', 1),
  ]);
  const first = ['url', 'status_code', 'fetched', 'depth', 'nb_inlinks', 'inrank_decimal'];
  const fields = { c1: first, c2: Object.keys(NAMES), c3: first };
  await createTable(
    connection,
    'ops.unit_fields',
    { unit: 'VARCHAR', field: 'VARCHAR' },
    Object.entries(fields).flatMap(([id, names]) =>
      names.map((field) => ({ unit: `crawl_pages/${id}`, field })),
    ),
  );
  const models = await loadModels([sqlFolder(sql)]);
  await runModels({ connection, models, changed: 'all', runId: 'r', logger: silentLogger });
});

afterAll(() => warehouse[Symbol.asyncDispose]());

function answer(name: string): Promise<Record<string, unknown>[]> {
  return askQuestion(warehouse.connection, questions.get(name) as Question);
}
