import { beforeAll, expect, test } from 'vitest';
import { sqlFolder } from '../../src/etl/project/sql/models/sql-folders.ts';
import {
  loadQuestions,
  type Question,
  questionNamed,
} from '../../src/etl/project/sql/questions/questions.ts';
import { openWarehouse, type TestWarehouse } from '../etl/pipeline/transform/test-warehouse.ts';
import { askQuestion } from '../support/ask-question.ts';
import { factsOf } from './answers/facts.ts';
import { compareQuestion } from './compare-question.ts';
import { buildModels, loadSites, SQL } from './sites/load-sites.ts';
import { at, dataset, pagesOf, type Row, type Sites } from './sites/sites.ts';

const HOST = 'https://s.example';
const page = pagesOf(HOST);
const ranked = (path: string, inrank: number | null, values: Row = {}): Row =>
  page(path, { depth: 2, nb_inlinks: 3, inrank_decimal: inrank, title: path, fetched: true, ...values });

/** The pages around `/tea/green`, each with why it is, or is not, a page to link from. */
const PAGES: readonly Row[] = [
  ranked('/tea/green', 1, { clusters: ['k1'], page_group_kind: 'tea' }),
  ranked('/tea/black', 5),
  ranked('/tea/white', 5, { nb_inlinks: 9 }),
  ranked('/tea/unranked', null, { nb_inlinks: null }),
  ranked('/pots/alike', 9, { clusters: ['k0', 'k1'] }),
  ranked('/pots/of-tea', 8, { page_group_kind: 'tea' }),
  ranked('/pots/plain', 10, { clusters: ['k2'], page_group_kind: 'pots' }),
  ranked('/tea/links', 10),
  ranked('/tea/nofollows', 10),
  ranked('/tea/noindex', 10, { meta_robots_index: false }),
  ranked('/tea/moved', 10, { status_code: 301, redirect_location: `${HOST}/tea/green` }),
  ranked('/tea/gone', 10, { status_code: 404 }),
  ranked('/tea/refused', 10, { status_code: 403 }),
  ranked('/tea/unread', 10, { status_code: null, fetched: false }),
  ranked('/tea/broken', 10, { processing_warnings: ['unreadable_content'] }),
  ranked('/tea/pot.png', 10, { title: null }),
  ranked('/tea/through', 4),
  pagesOf('https://other.example')('/tea/elsewhere', { inrank_decimal: 10, clusters: ['k1'], depth: 2 }),
];
const link = (origin: string, target: string, follow = true): Row => ({
  origin: `${HOST}${origin}`,
  target: `${HOST}${target}`,
  anchor: 'tea',
  follow,
  intern: true,
});
const crawl = {
  projectId: 'p-s',
  status: 'done',
  endReason: 'ok',
  config: { id: 'web', name: 'Web' },
  pages: dataset(PAGES),
};
const SITES: Sites = {
  projects: [{ id: 'p-s', name: 'Tea', startUrl: `${HOST}/` }],
  crawls: [
    { ...crawl, id: 's-1', endedAt: at('2026-03-01T03:00:00Z') },
    {
      ...crawl,
      id: 's-2',
      endedAt: at('2026-03-08T03:00:00Z'),
      links: dataset([
        link('/tea/links', '/tea/green'),
        link('/tea/links', '/tea/green'),
        link('/tea/nofollows', '/tea/green', false),
        link('/tea/through', '/tea/moved'),
        link('/tea/black', '/tea/white'),
        link('/tea/green', '/tea/black'),
      ]),
    },
  ],
};
let warehouse: TestWarehouse;
let question: Question;

beforeAll(async () => {
  warehouse = await openWarehouse();
  await loadSites(warehouse.connection, SITES);
  await buildModels(warehouse.connection, SQL);
  question = questionNamed(await loadQuestions([sqlFolder(SQL)]), 'q34_link_suggestions');
  return () => warehouse[Symbol.asyncDispose]();
});

const suggested = async (url: string, more: Readonly<Record<string, string>> = {}) =>
  (await askQuestion(warehouse.connection, question, { url: HOST + url, ...more })).map((row) => [
    String(row.origin).replace(HOST, ''),
    row.is_similar,
    row.shared_segment,
  ]);

test('related pages with the most inrank come first, without pages that already link or cannot help', async () => {
  expect(await suggested('/tea/green')).toEqual([
    ['/pots/alike', true, null],
    ['/pots/of-tea', false, 'kind:tea'],
    ['/tea/white', false, '(directory):/tea/'],
    ['/tea/black', false, '(directory):/tea/'],
    ['/tea/through', false, '(directory):/tea/'],
    ['/tea/unranked', false, '(directory):/tea/'],
  ]);
  expect(await suggested('/tea/green', { limit: '1' })).toEqual([['/pots/alike', true, null]]);
});

test('a page that is missing, unknown, or of a crawl without links has no suggestions', async () => {
  expect(await suggested('/tea/noindex')).toEqual([]);
  expect(await suggested('/tea/moved')).toEqual([]);
  expect(await suggested('/tea/pot.png')).toEqual([]);
  expect(await suggested('/nowhere')).toEqual([]);
  expect(await suggested('/tea/green', { crawl: 's-1' })).toEqual([]);
});

test('link suggestions match plain code', async () => {
  const cases = [{}, { limit: '2' }, ...PAGES.map(({ url }) => ({ url: String(url), limit: '50' }))];
  expect(await compareQuestion(warehouse.connection, question, factsOf(SITES), cases)).toEqual([]);
});
