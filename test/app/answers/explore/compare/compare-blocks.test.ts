import { expect, test } from 'vitest';
import { compareBlocks } from '../../../../../src/app/answers/explore/compare/compare-blocks.ts';
import type { Comparison } from '../../../../../src/app/answers/explore/compare/read-compare.ts';
import { WHOLE_SITE } from '../../../../../src/app/answers/explore/page-segments.ts';
import { printBlocks } from '../../../../../src/app/answers/presentation/print-blocks.ts';
import { drawBlocks } from '../../../../../src/app/console/layout/addresses.ts';

const crawl = (crawl_id: string, crawl_number: number) => ({
  crawl_id,
  crawl_number,
  project_id: 'p1',
  project: 'Shop',
  ended_at: `2026-03-0${crawl_number}T03:00Z`,
});
const none = {
  new: null,
  fixed: null,
  missing: null,
  remaining: null,
  unseen: null,
  why: 'it depends on days, and the days differ',
};
const COMPARISON = {
  from: crawl('c1', 1),
  to: crawl('c2', 2),
  notes: ['Mind this.'],
  ...WHOLE_SITE,
  kpis: [
    {
      kpi: 'error_pages',
      title: 'errors',
      before: 4,
      after: 1234,
      change: 1230,
      change_percent: 30750.04,
      better: 'less',
      why: null,
    },
    {
      kpi: 'clicks',
      title: 'clicks',
      before: 400,
      after: 300,
      change: -100,
      change_percent: -25,
      better: 'more',
      why: null,
    },
    {
      kpi: 'average_depth',
      title: 'depth',
      before: 2.8,
      after: 2.428571,
      change: -0.371429,
      change_percent: null,
      better: 'less',
      why: null,
    },
    {
      kpi: 'pages',
      title: 'pages',
      before: null,
      after: 0,
      change: null,
      change_percent: null,
      better: null,
      why: 'unknown for crawl 1',
    },
    ...['orphans', 'hits'].map((title) => {
      const values = { before: null, after: null, change: null, change_percent: null };
      return { kpi: 'orphan_pages', title, ...values, better: null, why: 'unknown for crawl 1 and crawl 2' };
    }),
  ],
  issues: [
    {
      issue: 'thin',
      title: 'Little text',
      severity: 'low',
      before: 2,
      after: 3,
      new: 1,
      fixed: 0,
      missing: 0,
      remaining: 2,
      unseen: 0,
      why: null,
    },
    { issue: 'orphan', title: 'Orphan', severity: 'high', before: null, after: 1, ...none },
  ],
  pages: [
    { change: 'added', title: 'pages added', pages: 2, reasons: [], why: null },
    {
      change: 'missing',
      title: 'pages missing',
      pages: 1005,
      why: null,
      reasons: [
        { reason: 'blocked_by_robots', pages: 1002 },
        { reason: 'not_linked', pages: 3 },
      ],
    },
    { change: 'h1', title: 'H1 changed', pages: null, reasons: [], why: 'the export lacks h1' },
  ],
} as unknown as Comparison;

test('a comparison shows its crawls, the share of each change, and why a row is not compared', () => {
  const text = printBlocks(compareBlocks(COMPARISON), { width: 100 });
  expect(text).toMatch(
    /^Shop: crawl 1 of 2026-03-01 \(c1\) and crawl 2 of 2026-03-02 \(c2\)\nMind this\.\n\nFigures\n/,
  );
  expect(text).toMatch(/^errors +4 +1,234 +\+1,230$/m);
  expect(text).toMatch(/^clicks +400 +300 +−100 \(−25 %\)$/m);
  expect(text).toMatch(/^depth +2\.8 +2\.43 +−0\.37$/m);
  expect(text).toMatch(/^pages +- +0 +-\n {4}unknown for crawl 1$/m);
  expect(text).toMatch(/^Unknown for both crawls: orphans, hits\.$/m);
  expect(text).not.toMatch(/^orphans/m);
  expect(text).toMatch(/^H1 changed +-\n {4}the export lacks h1$/m);
  expect(text).toMatch(/^Orphan +high +- +1 +- +- +- +orphan\n {4}it depends on days, and the days differ$/m);
  expect(text).toMatch(/^pages missing +1,005\n {4}1,002 blocked by robots\.txt, 3 no longer linked$/m);
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
});

test('in a browser, page counts link to the pages, and each change shows whether it is an improvement', () => {
  const text = drawBlocks(compareBlocks(COMPARISON)).text.replaceAll('&amp;', '&');
  for (const query of [
    'crawl=c2&status_code=gte%3A400&status_code=lt%3A600">1,234<',
    'crawl=c2&since=c1&change=added">2<',
    'crawl=c1&issue=thin">2<',
    'crawl=c2&since=c1&issue=thin&change=new">1<',
  ])
    expect(text).toContain(`<a href="/projects/p1/pages?${query}`);
  expect(text).toContain('<span class="bad">+1,230</span></td>');
  expect(text).toContain('<span class="good">−0.37</span>');
  expect(text).toMatch(/data-name="Fixed">0</);
  expect(text).toContain('href="/crawls/c1" title="c1">Crawl 1 · 2026-03-01</a>');
});

test('with a segment, the caption names the segment and each number links to its pages there', () => {
  const blocks = compareBlocks({ ...COMPARISON, segmentation: '(directory)', segment: 'lamps' });
  expect(printBlocks(blocks, { width: 100 })).toContain(' (c2), segment lamps of directory\n');
  const links = drawBlocks(blocks).text.match(/href="\/projects\/p1\/pages[^"]*"/g) ?? [];
  expect(links.length).toBeGreaterThan(5);
  for (const link of links) expect(link).toContain('segment=%28directory%29%3Alamps');
});
