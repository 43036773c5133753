import { expect, test } from 'vitest';
import type { FigureAnswer } from '../../../../src/app/console/page-parts/answer-figure.ts';
import { depthNames, projectFigures } from '../../../../src/app/console/page-parts/project-figures.ts';

const answer = (...rows: FigureAnswer['rows']): FigureAnswer => ({
  question: null,
  sql: '',
  command: '',
  address: '',
  ignored: [],
  state: 'read',
  why: null,
  error: null,
  rows,
});

/** The figure of clicks at the head of a project that had 40 in 28 days. */
function clicksOf(before: FigureAnswer, change: number | null = null, segment: string | null = null): string {
  const spans = { ranking_from_date: '2026-03-01', ranking_to_date: '2026-03-28', ranking_days: 28 };
  const now = {
    crawl_id: 'c1',
    ended_at: '2026-03-28T06:00:00Z',
    clicks: 40,
    all_clicks: 55,
    clicks_change: change,
    ...spans,
  };
  const none = answer();
  const { text } = projectFigures({
    project_id: 'p',
    project_name: 'Shop',
    notes: { list: [] },
    segment,
    segmentation: null,
    crawl_id: 'c1',
    crawls: [],
    trend: answer(now),
    statuses: none,
    changes: none,
    funnel: none,
    depths: none,
    findings: none,
    clicks_before: before,
  });
  return /<dt>Clicks on crawled pages<\/dt>.*?<\/div>/s.exec(text)?.[0] ?? '';
}

test('clicks without a previous crawl are compared with as many earlier days, and a loss links to the lost pages', () => {
  const lost = clicksOf(answer({ days: 28, clicks: 100 }));
  expect(lost).toContain('<span class="bad">−60</span>');
  expect(lost).toContain(
    '<details><summary>2026-03-01 to 2026-03-28</summary><p>compared with as many days before</p>',
  );
  expect(lost).toContain('href="/projects/p/demand"');
  expect(clicksOf(answer({ days: 28, clicks: 30 }))).toContain('<span class="good">+10</span>');
});

test('clicks on crawled pages are shown with clicks on all URLs, which link to the rest', () => {
  expect(clicksOf(answer())).toContain(
    'of <a href="/ask?param.crawl=c1&amp;question=q03_orphan_pages&amp;run=1" aria-label="55, URLs that are not pages of the crawl">55</a>',
  );
  expect(clicksOf(answer(), null, '/shop')).not.toContain('55');
});

test('clicks over fewer earlier days, of a segment, or with a previous crawl are not compared this way', () => {
  const before = answer({ days: 28, clicks: 100 });
  for (const shown of [
    clicksOf(answer({ days: 27, clicks: 100 })),
    clicksOf(answer()),
    clicksOf(before, null, '/shop'),
    clicksOf(before, 5),
  ]) {
    expect(shown).toContain('40');
    expect(shown).not.toContain('as many days before');
  }
});

test('a page without a depth has none only if the crawl covers the site and gives other pages a depth', () => {
  const [known, missing] = [{ depth: 0 }, { depth: null }];
  const nameOf = (note: string | null, ...rows: FigureAnswer['rows']): string =>
    depthNames(answer(...rows), note)(null);
  expect(nameOf(null, known, missing)).toBe('none');
  expect(nameOf(null, missing)).toBe('unknown');
  expect(nameOf('390 of 977 pages were refused.', known, missing)).toBe('unknown');
});
