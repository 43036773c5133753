import { expect, test } from 'vitest';
import {
  answerFigure,
  drawPending,
  type FigureAnswer,
  inTime,
  shownValue,
  signedValue,
} from '../../../../src/app/console/page-parts/answer-figure.ts';
import { html } from '../../../../src/core/text/html.ts';

const ANSWER: FigureAnswer = {
  question: 'q1',
  sql: 'SELECT 1',
  command: 'crawlhouse query',
  address: '/ask?question=q1',
  ignored: [],
  state: 'read',
  rows: [{ name: 'a', value: 1200 }],
  why: null,
  error: null,
};
const figure = (more: Partial<FigureAnswer>, drawing?: Parameters<typeof answerFigure>[2]) =>
  answerFigure('Title', { ...ANSWER, ...more }, drawing).text;

test('a figure has a table, or a chart with its table behind it', () => {
  expect(figure({})).toContain('1,200');
  expect(figure({})).not.toMatch(/The figures|id="/);
  expect(figure({}, { chart: html`CHART`, id: 'f' })).toMatch(
    /^<figure id="f">[\s\S]*CHART<details class="quiet figures">/,
  );
  expect(figure({}, { rows: html`OWN` })).toContain('OWN');
  expect(figure({})).toContain('title="The question"');
  expect(figure({ question: null })).toContain('title="The SQL"');
});

test('a figure without rows says why', () => {
  expect(figure({ state: 'pending' })).toContain('Loading.');
  expect(figure({ state: 'failed', error: 'no' })).toContain('It could not be read: no');
  expect(figure({ rows: [] })).toContain('There are no figures.');
  expect(figure({ rows: [] }, { empty: 'None.' })).toContain('None.');
  expect(figure({ rows: [], why: 'Not loaded.' }, { empty: 'None.' })).toContain('Not loaded.');
  expect(figure({ ignored: ['crawl', 'segment'] })).toContain('ignores the selected crawl and segment');
  expect(figure({})).not.toContain('ignores');
});

test('times and status codes are not counts', () => {
  expect(figure({ rows: [{ ended_at: '2026-03-01T03:00:00Z' }] })).toContain('>2026-03-01 03:00</time>');
  expect(figure({ rows: [{ status_code: 1404 }] })).toContain('1404');
  expect(figure({ rows: [{ status_code: null }] })).not.toContain('null');
});

test('pending figures are counted', () => {
  const pending = { ...ANSWER, state: 'pending' } as const;
  expect(drawPending([ANSWER])).toBeNull();
  expect(drawPending([pending, ANSWER])?.text).toContain('One figure is still being read');
  expect(drawPending([pending, pending])?.text).toContain('2 figures are still being read');
});

test('values are shown as people write them', () => {
  expect([null, undefined, 1200, 12n, 0.12345, 'a', true].map(shownValue)).toEqual([
    null,
    null,
    '1,200',
    '12',
    '0.123',
    'a',
    'true',
  ]);
  expect([1200, -3n, 0, 'a', null].map(signedValue)).toEqual(['+1,200', '−3', '0', 'a', null]);
});

test('only an impatient page leaves a slow read', async () => {
  expect(await inTime(Promise.resolve(1), false)).toBe(1);
  const { promise, resolve } = Promise.withResolvers<number>();
  setTimeout(() => resolve(2), 450);
  expect(await inTime(promise, false)).toBeNull();
  expect(await inTime(promise, true)).toBe(2);
});
