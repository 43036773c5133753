import { expect, test } from 'vitest';
import type { FigureAnswer } from '../../../../src/app/console/page-parts/answer-figure.ts';
import type { Demand } from '../../../../src/app/console/page-parts/demand-document.ts';
import { drawDemand } from '../../../../src/app/console/page-parts/draw-demand.ts';

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
const span = (kind: string) => ({ kind, from_date: '2026-02-01', to_date: '2026-02-28' });
const DEMAND = {
  project_id: 'p1',
  project_name: 'Shop',
  has_pages: true,
  crawl_id: 'c1',
  notes: { list: [] },
  segment: null,
  segmentation: '(site)',
  choices: [],
  log_days: 28,
  last_log_day: '2026-03-01',
  ranking_days: 1,
  last_ranking_day: '2026-03-02',
  spans: [span('logs'), span('search')],
  hits: answer(),
  wasted: answer(),
  budget: answer(),
  engines: answer(),
  ai: answer(),
  clicks: answer(),
  segments: answer(),
  losses: answer(),
  fresh: answer(),
};
const draw = (more: object, query = '', canUpload = true) =>
  drawDemand({ ...DEMAND, ...more } as unknown as Demand, new URLSearchParams(query), canUpload).text;

test('the loaded days are reported, and the days that the figures sum up', () => {
  const text = draw({});
  expect(text).toContain('28 days, the last one is 2026-03-01; figures add up 2026-02-01 to 2026-02-28.');
  expect(text).toContain('1 day, the last one is 2026-03-02; figures');
  expect(draw({ spans: [] })).toContain('the last one is 2026-03-01; none belongs to the crawl.');
  expect(draw({ last_ranking_day: null })).toContain('Search results: totals of 2026-02-01 to 2026-02-28.');
});

test('without data, one message per section says what to add, and links to the uploads if they are allowed', () => {
  const none = { spans: [], last_log_day: null, last_ranking_day: null };
  const text = draw(none);
  expect(text.match(/<p class="empty">/g)).toHaveLength(2);
  expect(text).toContain('<a href="/uploads">Upload access logs of the web server</a>.');
  expect(text).toContain(
    '<a href="/uploads">Upload an export of Search Console or Bing Webmaster Tools</a>.',
  );
  expect(text).not.toMatch(/<figure|<code>|Log files:/);
  const reader = draw(none, '', false);
  expect(reader).toContain('<code>crawlhouse demand add FILE…</code> adds an export of Search Console');
  expect(reader).not.toContain('/uploads');
  expect(draw({ ...none, last_log_day: '2026-03-01' })).toContain('New pages that bots requested');
});

test('without log files the figures of bots are replaced by one message', () => {
  expect(draw({ last_log_day: null, spans: [] })).toContain('No log files are loaded, so requests');
  for (const some of [{}, { last_log_day: null }, { spans: [] }])
    expect(draw(some)).not.toContain('No log files are loaded, so requests');
  expect(draw({ segment: 'blog' })).toContain('Search engines, on pages of the crawl');
  expect(draw({})).not.toContain('on pages of the crawl<');
  expect(draw({ project_name: null })).toContain('<h1>p1</h1>');
});

test('the crawl budget is shown by its waste, in percent', () => {
  const wasted = answer(
    { waste: 'none', hits: 2, from_date: '2026-02-01', to_date: '2026-02-28' },
    { waste: 'not_found', hits: 1 },
  );
  const text = draw({ wasted });
  expect(text).toContain('no waste, 66.7 %');
  expect(text).toContain('not found, 33.3 %');
  expect(text).toContain('requested, 2026-02-01 to 2026-02-28');
  expect(draw({ wasted: answer({ waste: 'none', hits: 0 }) })).toContain('no waste, 0 %');
});

const budgetRow = (more: object = {}) => ({
  segment: 'blog',
  segmentation: 'template',
  segments: 1,
  search_bot_hits: 1200,
  hits_percent: 40,
  indexable_hits: 1100,
  indexable_percent: 92,
  non_indexable_hits: 3,
  untold_hits: 0,
  uncrawled_hits: 4,
  from_date: '2026-02-01',
  to_date: '2026-02-28',
  ...more,
});
const budget = (more: object = {}) => draw({ budget: answer(budgetRow(more)) });

test('the crawl budget of a segment links to its pages', () => {
  const text = budget();
  expect(text).toContain('aria-label="1,200, the requested pages">1,200</a> <small>40 %</small>');
  expect(text).toContain('1,100 <small>92 %</small>');
  expect(text).toMatch(/href="\/projects\/p1\/demand\?[^"]*segment[^"]*">blog<\/a>/);
  expect(text).not.toMatch(/unknown<\/th>|The first/);
  for (const none of [{ search_bot_hits: 0 }, { segment: null }])
    expect(budget(none)).not.toContain('the requested pages');
  expect(budget({ search_bot_hits: null })).toContain('– <small>40 %</small>');
  expect(budget({ segment: null })).toContain('in no segment');
  expect(budget({ hits_percent: null })).not.toContain('<small>40 %');
  for (const untold_hits of [2, null]) expect(budget({ untold_hits })).toMatch(/unknown<\/th>/);
  expect(budget({ segments: 3 })).toContain('The first 1 of 3, by hits.');
});

test('lost clicks have their change, and where the page was before', () => {
  const row = {
    url: 'https://a.example/',
    moved_from: [],
    changes: [],
    clicks: 60,
    clicks_before: 100,
    clicks_since: null,
    pages: 1,
  };
  const losses = (more: object = {}) => draw({ losses: answer({ ...row, ...more }) });
  expect(losses()).toContain('−40 (−40 %)');
  expect(losses()).not.toMatch(/with the clicks of|instead of/);
  expect(losses()).toContain('nothing');
  expect(losses({ changes: ['title'] })).not.toContain('nothing');
  expect(losses({ pages: 3 })).toContain('The first 1 of 3, by clicks lost.');
  expect(losses({ moved_from: ['/a', '/b'] })).toContain('with the clicks of /a, /b');
  expect(losses({ clicks_before: null })).not.toContain('−');
  const since = { clicks_since: 3, clicks_weekdays_before: 9, since_from_date: 'a', since_to_date: 'b' };
  expect(losses(since)).toContain('3 instead of 9, a to b');
  expect(draw({})).toContain('None: this table lists pages');
});

test('clicks by segment have their changes, or why these are unknown', () => {
  const row = { segment: 'blog', clicks: 5, clicks_change: -2, impressions: 9, impressions_change: 1 };
  expect(draw({ segments: answer(row) })).toContain('−2');
  expect(draw({ segments: answer(row) })).not.toContain('Change unknown');
  const unknown = { ...row, clicks_change_reason: 'other days' };
  expect(draw({ segments: answer(unknown, unknown) })).toContain('Change unknown: other days.');
});

test('rows can be by another segmentation, unless a segment is chosen', () => {
  const choices = [
    { segmentation: '(directory)', segment: 'blog', pages: 3 },
    { segmentation: 'template', segment: 'product', pages: 2 },
  ];
  expect(draw({ choices })).toContain('rows by');
  expect(draw({ choices, segment: 'blog' })).not.toContain('rows by');
  expect(draw({ choices: choices.slice(1) })).not.toContain('rows by');
  expect(draw({})).not.toContain('data-sends');
});
