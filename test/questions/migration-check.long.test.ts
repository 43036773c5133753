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
import { CRAWLS, FINDINGS, PROJECT } from './sites/move-site.ts';

const SITES = { projects: [PROJECT], crawls: CRAWLS };
const HOST = 'https://m.example';
let warehouse: TestWarehouse;
let question: Question;

beforeAll(async () => {
  warehouse = await openWarehouse();
  await loadSites(warehouse.connection, SITES);
  await buildModels(warehouse.connection, SQL);
  question = questionNamed(await loadQuestions([sqlFolder(SQL)]), 'q24');
  return () => warehouse[Symbol.asyncDispose]();
});

const ask = (given: Readonly<Record<string, string>> = {}) =>
  askQuestion(warehouse.connection, question, given);
const FILE = `${HOST}/moved\n${HOST}/stays ${HOST}/never`;

test('each old URL shows its finding, and URLs that still work are left out', async () => {
  const rows = await ask();
  const findings = Object.fromEntries(
    rows.map(({ old_url, finding }) => [String(old_url).replace(HOST, ''), finding]),
  );
  expect(findings).toEqual(FINDINGS);
});

test('the migration check matches plain code, for crawls, lists and files of URLs', async () => {
  const cases = [
    {},
    { crawl: 'move-list' },
    { urls: FILE },
    { urls: FILE, crawl: 'move-list' },
    { urls: FILE, crawl: 'move-1' },
    { limit: '3' },
  ];
  expect(await compareQuestion(warehouse.connection, question, factsOf(SITES), cases)).toEqual([]);
});

test('unrequested, refused and unreadable URLs are unknown, with the reason', async () => {
  const rows = await ask();
  const reasons = Object.fromEntries(
    rows
      .filter(({ finding }) => finding === 'not_known')
      .map(({ old_url, reason }) => [String(old_url).replace(HOST, ''), reason]),
  );
  expect(reasons).toEqual({
    '/to-refusal': 'target_forbidden',
    '/to-elsewhere': 'target_not_requested',
    '/try-later': 'try_later',
    '/refused': 'forbidden',
    '/denied': 'blocked_by_robots',
    '/silent': 'no_answer',
    '/vanished': 'not_requested',
    '/landing': 'not_requested',
    '/to-blocked': 'target_blocked_by_robots',
    '/re/refused': 'refused',
    '/re/denied': 'blocked_by_robots',
    '/re/silent': 'unreadable',
  });
});

test('a recheck of the crawl is evidence, with its hops', async () => {
  const rows = new Map((await ask()).map((row) => [row.old_url, row]));
  expect(rows.get(`${HOST}/re/chain`)).toMatchObject({
    evidence: 'recheck',
    evidence_crawl_id: 'move-2',
    hops: 2,
    new_url: `${HOST}/new/chain`,
  });
  expect(rows.get(`${HOST}/re/loop`)).toMatchObject({ hops: 1, new_url: `${HOST}/re/loop` });
  expect(rows.get(`${HOST}/re/other`)).toMatchObject({ hops: 3, new_url: 'https://www.other.example/b' });
  expect(rows.get(`${HOST}/to-other`)).toMatchObject({ hops: 3, new_url: 'https://www.other.example/b' });
  expect(rows.get(`${HOST}/re/there`)).toMatchObject({ evidence: 'recheck', status_code: '200', hops: 0 });
});

test('a list crawl after the previous crawl is evidence, and can be selected', async () => {
  const evidence = new Map((await ask()).map((row) => [row.old_url, row]));
  expect(evidence.get(`${HOST}/listed`)).toMatchObject({
    evidence: 'list_crawl',
    evidence_crawl_id: 'move-list',
    new_url: `${HOST}/new/listed`,
  });
  expect(evidence.get(`${HOST}/late`)).toMatchObject({ evidence: 'list_crawl', finding: 'ok' });
  expect(evidence.get(`${HOST}/moved`)).toMatchObject({ evidence: 'crawl', evidence_crawl_id: 'move-2' });
  const list = await ask({ crawl: 'move-list' });
  expect(
    list.map(({ old_url, finding, previous_crawl_id }) => [old_url, finding, previous_crawl_id]),
  ).toEqual([
    [`${HOST}/late`, 'ok', 'move-1'],
    [`${HOST}/listed`, 'ok', 'move-1'],
    [`${HOST}/stays`, 'not_redirected', 'move-1'],
  ]);
});

test('clicks before and after cover equally many days, and the same weekdays', async () => {
  const [moved] = (await ask()).filter(({ old_url }) => old_url === `${HOST}/moved`);
  // 15 to 17 March, and 8 to 10 March.
  expect(moved).toMatchObject({
    days_before: '3',
    days_after: '3',
    clicks_before: `${2 ** 3 + 2 ** 4 + 2 ** 5}`,
    new_url_clicks_before: '0',
    clicks_after: '777',
    clicks_change: '721',
    clicks_change_reason: null,
  });
});

test('each URL of a file has a row, also working and unrequested URLs', async () => {
  const rows = await ask({ urls: `${FILE}\nhttps://M.example:443/%6doved` });
  expect(rows.map(({ old_url, finding, reason }) => [old_url, finding, reason])).toEqual([
    [`${HOST}/moved`, 'ok', null],
    [`${HOST}/never`, 'not_known', 'not_requested'],
    [`${HOST}/stays`, 'not_redirected', null],
  ]);
  await expect(ask({ urls: `${HOST}/a /b` })).rejects.toMatchObject({
    message: 'q24_migration_check: urls=/b is not a URL',
    hint: 'give urls as URLs of http or https, one per line',
  });
});
