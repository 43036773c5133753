import { expect, test } from 'vitest';
import { readSiteReport } from '../../../../src/app/answers/report/read-site-report.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { loadQuestions } from '../../../../src/etl/project/sql/questions/questions.ts';
import { SQL } from '../../../questions/sites/load-sites.ts';
import { at, dataset, pagesOf } from '../../../questions/sites/sites.ts';
import { publishedSites } from '../../../support/published-sites.ts';
import { sharedFolder } from '../../../support/temporary.ts';
import { STORY } from '../explore/story-site.ts';

const folder = sharedFolder();

test('the charts of a project end with the crawl of the report, and omit crawls that ended early', async () => {
  const cut = {
    id: 'shop-late',
    projectId: 'p-shop',
    status: 'done',
    endReason: 'max_url_reached',
    config: { id: 'web', name: 'Web' },
    endedAt: at('2026-03-23T03:00:00Z'),
    pages: dataset([pagesOf('https://shop.example')('/', { depth: 0 })]),
  };
  await using warehouse = await publishedSites(folder, { ...STORY, crawls: [...STORY.crawls, cut] });
  const signal = new AbortController().signal;
  const questions = await loadQuestions([sqlFolder(SQL)]);
  const reportOf = (chosen: ReadonlyMap<string, string>) =>
    readSiteReport((sql, given) => warehouse.rows(sql, signal, given), questions, chosen);
  const [shop] = await reportOf(new Map([['project', 'Shop']]));
  expect(shop?.crawl_id).toBe('shop-3');
  const crawls = ['shop-1', 'shop-2', 'shop-3'];
  expect(shop?.trend.map(({ crawl_id }) => crawl_id)).toEqual(crawls);
  expect([...new Set(shop?.statusTrend.map(({ crawl_id }) => crawl_id))]).toEqual(crawls);

  // One of an earlier crawl knows nothing of those after it.
  const [before, ...others] = await reportOf(new Map([['crawl', 'shop-2']]));
  expect([others, before?.project_name, before?.previous_crawl_id]).toEqual([[], 'Shop', 'shop-1']);
  const { trend, statusTrend, issues = [], findings = [], statuses = [] } = before ?? {};
  for (const points of [trend, statusTrend])
    expect([...new Set(points?.map(({ crawl_id }) => crawl_id))]).toEqual(['shop-1', 'shop-2']);
  const parts = [...issues, ...findings, ...statuses];
  expect([issues.length > 0, new Set(parts.map(({ crawl_id }) => crawl_id))]).toEqual([
    true,
    new Set(['shop-2']),
  ]);
  expect(Math.max(...issues.map((one) => one.trend.length))).toBe(2);
});
