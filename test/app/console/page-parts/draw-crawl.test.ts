import { expect, test } from 'vitest';
import type { FigureAnswer } from '../../../../src/app/console/page-parts/answer-figure.ts';
import type { PageRequest } from '../../../../src/app/console/page-parts/console-page.ts';
import type { CrawlPage } from '../../../../src/app/console/page-parts/crawl-document.ts';
import { drawCrawl } from '../../../../src/app/console/page-parts/draw-crawl.ts';

const answer = (...rows: FigureAnswer['rows']): FigureAnswer => ({
  question: 'q',
  sql: '',
  command: '',
  address: '',
  ignored: [],
  state: 'read',
  why: null,
  error: null,
  rows,
});
const other = (crawl_id: string, crawl_number: number) => ({
  crawl_id,
  crawl_number,
  ended_at: '2026-03-01T03:00:00Z',
});
const CRAWL = {
  ...other('c2', 2),
  project_id: 'p1',
  project_name: 'Shop',
  crawl_config_name: 'main',
  end_reason: null,
  scope_note: null,
  is_comparable: true,
  before: null,
  after: null,
  compared: other('c1', 1),
  pages: 10,
  issues: [],
  units: [],
  first: answer(),
  figures: answer(),
  changes: answer(),
  statuses: answer(),
  funnel: answer(),
};
const draw = (more: object, query = '', canAct = false) =>
  drawCrawl(
    { ...CRAWL, ...more } as unknown as CrawlPage,
    { query: new URLSearchParams(query), canAct, session: { csrf: 's' } } as unknown as PageRequest,
  ).text;

test('the head of a crawl has its project, its end and its neighbors', () => {
  const text = draw({});
  expect(text).toContain('/projects/p1/report?crawl=c2');
  expect(text).toContain('configuration main.');
  expect(text).toMatch(/Ended <time.*UTC\./);
  expect(text).not.toContain('Adjacent crawls');
  expect(draw({ project_id: null })).not.toMatch(/Project |report\?crawl/);
  expect(draw({ ended_at: null, end_reason: 'max_urls' })).toContain('Ended –: max urls.');
  expect(draw({ crawl_config_name: null })).toContain('configuration –.');
  expect(draw({ before: other('c1', 1) })).toMatch(/<span>← .*<\/span> <\/nav>/);
  expect(draw({ after: other('c3', 3) })).toMatch(/Adjacent crawls"> <span>.*→<\/span>/);
});

test('units are on a tab of their own', () => {
  const unit = { unit: 'u1', status: 'loaded', route: 'stream', reported: 1200, error: null };
  const text = draw({ units: [unit] }, 'tab=units', true);
  expect(text).toContain('1,200');
  expect(text).toContain('<span class="good">loaded</span>');
  expect(text).not.toContain('What is wrong');
  expect(text).toMatch(/<form/);
  expect(draw({ units: [unit] }, 'tab=units')).not.toMatch(/<form/);
  expect(draw({}, 'tab=units')).toContain('This crawl has no units yet.');
  expect(draw({})).toContain('What is wrong');
});

test('figures are compared with another crawl, or have a reason', () => {
  const row = {
    pages: 1200,
    pages_change: 3,
    error_pages: 5,
    error_pages_change: 2,
    clicks: 7,
    all_clicks: 9,
    clicks_change: null,
    clicks_change_reason: 'other days',
    ranking_from_date: '2026-02-01',
    ranking_to_date: '2026-02-28',
    search_bot_hits: 4,
    search_bot_hits_change: null,
    log_from_date: '2026-02-02',
    log_to_date: null,
    average_depth: null,
    average_depth_change: null,
    lone: 1,
  };
  const text = draw({ figures: answer(row) });
  expect(text).toContain('Against ');
  expect(text).toContain('<span class="plain">+3</span>');
  expect(text).toContain('<span class="bad">+2</span>');
  expect(text).toContain('<small>other days</small>');
  expect(text).toContain('2026-02-28');
  expect(text).not.toContain('2026-02-02');
  expect(text).toContain('on all URLs');
  expect(text).toContain('<small>unknown</small>');
  expect(text).toContain('<small>unknown for the previous crawl</small>');
  const alone = draw({ figures: answer(row), compared: null });
  expect(alone).toContain('<figcaption>Figures</figcaption>');
  expect(alone).toContain('<small>no previous crawl</small>');
  expect(draw({ figures: answer(row), compared: null, is_comparable: false })).toContain(
    '<small>ended early</small>',
  );
  expect(draw({})).toContain('The pages of this crawl are not loaded.');
});

test('status codes and changes link to their pages', () => {
  const statuses = answer({ status_code: 404, pages: 3 }, { status_code: null, pages: 1 });
  const changes = answer({ change: 'added', pages: 2 });
  const text = draw({ statuses, changes });
  expect(text).toContain('status_code=eq%3A404');
  expect(text).toContain('status_code=is%3Anull');
  expect(text).toContain('no answer');
  expect(text).toContain('change=added');
  expect(draw({ statuses, changes, project_id: null })).not.toMatch(/status_code=eq|change=added/);
  expect(draw({})).toContain('No page has changed.');
  expect(draw({ compared: null })).toContain('There is no previous crawl to compare with.');
});

test('issues are those that changed; without a comparison all', () => {
  const issue = (name: string, more: object = {}) => ({
    issue: name,
    title: name,
    severity: 'high',
    category: 'c',
    pages: 3,
    new: 0,
    fixed: 0,
    missing: 0,
    remaining: 3,
    unseen: 0,
    ...more,
  });
  const issues = [issue('same'), issue('other', { new: 2 })];
  const text = draw({ issues });
  expect(text).toContain('1 issue with new, fixed or missing pages.');
  expect(text).toContain('All 2 issues');
  expect(text).not.toContain('>same<');
  const alone = draw({ issues, compared: null });
  expect(alone).toContain('>same<');
  expect(alone).not.toContain('with new, fixed or missing pages');
  expect(draw({ issues: null })).toContain('The warehouse lacks the issue models.');
  expect(draw({ pages: null, issues })).not.toContain('All 2 issues');
  expect(draw({ project_id: null, issues })).not.toContain('All 2 issues');
});
