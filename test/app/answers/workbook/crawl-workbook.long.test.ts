import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readIssueList } from '../../../../src/app/answers/explore/issues/issue-list.ts';
import { readIssues } from '../../../../src/app/answers/explore/issues/read-issues.ts';
import { readPages } from '../../../../src/app/answers/explore/pages/read-pages.ts';
import type { QueryProcess } from '../../../../src/app/answers/query/query-process.ts';
import { writeCrawlWorkbook } from '../../../../src/app/answers/workbook/write-crawl-workbook.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { loadQuestions, type Question } from '../../../../src/etl/project/sql/questions/questions.ts';
import { SQL } from '../../../questions/sites/load-sites.ts';
import { publishedSites } from '../../../support/published-sites.ts';
import { readXlsx } from '../../../support/read-xlsx.ts';
import { sharedFolder, temporaryFolder } from '../../../support/temporary.ts';
import { STORY } from '../explore/story-site.ts';

const folder = sharedFolder();
const { signal } = new AbortController();
let warehouse: QueryProcess;
let questions: readonly Question[];
beforeAll(async () => {
  warehouse = await publishedSites(folder, STORY);
  questions = await loadQuestions([sqlFolder(SQL)]);
});
afterAll(() => warehouse?.[Symbol.asyncDispose]());

async function written(asked: Parameters<typeof writeCrawlWorkbook>[2]) {
  const file = join(await temporaryFolder(), 'report.xlsx');
  const result = await writeCrawlWorkbook(file, warehouse, asked, signal);
  return { ...result, sheets: readXlsx(await readFile(file)) };
}

test('the issues and pages of the workbook equal those of the console', async () => {
  const { sheets, issues: count } = await written({ project: 'Shop', crawl: 'shop-2', questions });
  const [judged] = await readIssues(warehouse, { crawl: 'shop-2' }, signal);
  if (judged === undefined) throw new Error('no crawl');
  const { issues } = await readIssueList(warehouse, judged, signal);
  const [summary, listed, redirects, ...pages] = sheets;
  expect([summary?.name, listed?.name, redirects?.name]).toEqual(['Summary', 'Issues', 'Redirects to fix']);
  const head = listed?.rows[0] ?? [];
  const column = (name: string) =>
    (listed?.rows.slice(1) ?? []).map((row) => row[head.indexOf(name)] ?? null);
  expect(column('Name')).toEqual(issues.map(({ issue }) => issue));
  for (const [name, key] of [
    ['Pages', 'pages'],
    ['New', 'new'],
    ['Fixed', 'fixed'],
    ['Priority', 'priority'],
    ['Owner', 'owner'],
  ] as const)
    expect(column(name), name).toEqual(issues.map((one) => one[key]));
  const found = issues.filter((one) => one.pages > 0);
  expect(found.length).toBeGreaterThan(3);
  expect([count, pages.length]).toEqual([found.length, found.length]);
  for (const [index, { issue, title, pages: all }] of found.entries()) {
    const sheet = pages[index];
    expect(sheet?.name.slice(0, 20)).toBe(title.replaceAll(/[[\]:*?/\\]/g, ' ').slice(0, 20));
    expect((sheet?.rows.length ?? 0) - 1, issue).toBe(all);
  }
  const value = (name: string) => summary?.rows.find(([figure]) => figure === name)?.[1];
  const total = await readPages(
    warehouse,
    { project: 'p-shop', crawl: 'shop-2', conditions: [], where: [], columns: [] },
    { limit: 1 },
    signal,
  );
  expect([value('Crawl'), value('Issues'), value('Pages')]).toEqual(['shop-2', found.length, total.total]);
});

test('both ends of a relation are in the sheet of its issue', async () => {
  const { sheets } = await written({ project: 'Shop', questions });
  const two = sheets.slice(3).filter(({ rows }) => rows[0]?.includes('Other URL'));
  expect(two.length).toBeGreaterThan(0);
  for (const { rows } of two) {
    const place = rows[0]?.indexOf('Other URL') ?? 0;
    expect(rows.slice(1).some((row) => /^https?:/.test(String(row[place])))).toBe(true);
  }
});

test('only the chosen issues are written, and one crawl at a time', async () => {
  const { sheets } = await written({
    project: 'Shop',
    crawl: 'shop-2',
    issues: ['thin'],
    questions,
    remark: 'Mine',
  });
  expect(sheets[1]?.rows.length).toBeLessThanOrEqual(2);
  expect(sheets[0]?.rows.find(([figure]) => figure === 'Note')?.[1]).toBe('Mine');
  await expect(written({ questions })).rejects.toThrow('name one');
});
