import { expect, test } from 'vitest';
import { Meter } from '../../../src/core/progress/meter.ts';
import { describeProgress, type Progress } from '../../../src/core/progress/progress.ts';

const PROGRESS: Progress = {
  phase: 'download',
  steps: null,
  units: { done: 10, due: 40 },
  rows: { received: 250_000, expected: 600_000, isGuess: false },
  bytes: 96e6,
  seconds: 50,
  elapsed: 55,
  left: 170,
};

test('the progress shows rows, phase, remaining time, pace, units and bytes', () => {
  expect(describeProgress(PROGRESS)).toBe(
    '[████░░░░░░] 41 % download after 55 s, about 3 min left · 250,000 of 600,000 rows · 5,000 rows/s · 10 of 40 units · 96.0 MB',
  );
  const rows = { received: 10, expected: 20.4, isGuess: true };
  expect(describeProgress({ ...PROGRESS, rows, left: 1.2 })).toMatch(
    /^\[████░░░░░░\] 49 % download after 55 s, about 2 s left · 10 of about 20 rows · 0 rows\/s · /,
  );
});

test('there is no estimate before the first rows; models are counted', () => {
  const none = { received: 0, expected: 0, isGuess: true };
  expect(describeProgress({ ...PROGRESS, rows: none, left: null })).toMatch(
    /^\[░{10}\] 0 % download after 55 s · 0 rows · 10 of 40 units/,
  );
  const models = { ...PROGRESS, phase: 'models', steps: { done: 9, total: 18 } } as const;
  expect(describeProgress(models)).toMatch(
    /^\[█{5}░{5}\] 50 % models 9 of 18 after 55 s, about 3 min left · /,
  );
  // A command that has no units says nothing of them.
  expect(describeProgress({ ...models, units: { done: 0, due: 0 } })).toBe(
    '[█████░░░░░] 50 % models 9 of 18 after 55 s, about 3 min left',
  );
});

test('a meter prints progress from discovery to the end, and the time of units and models', () => {
  const printed: string[] = [];
  let now = 0;
  using meter = new Meter(
    (text) => printed.push(text),
    1,
    () => now,
  );
  meter.discover();
  now = 2000;
  meter.begin([
    { unit: 'pages/a', dataset: 'pages', rows: null },
    { unit: 'pages/b', dataset: 'pages', rows: null },
  ]);
  now = 3000;
  meter.opened('pages/a', 60, 10);
  meter.received('pages/a', 60);
  meter.unitPhase('pages/a', 'load');
  meter.unitDone('pages/a', 'loaded', 500);
  meter.unitDone('pages/b', 'failed', null);
  now = 5000;
  meter.step('models', 0, 2);
  now = 6000;
  meter.step('publish');
  meter.end(6.543);
  expect(printed).toEqual([
    '[░░░░░░░░░░] discover after 0.0 s',
    expect.stringMatching(/ download after 3\.0 s, .* · 0 of about 120 rows · 0 of 2 units/),
    expect.stringMatching(
      /^\[█{5}░{5}\] 50 % download after 3\.0 s, .* · 60 of about 120 rows · 60 rows\/s · 0 of 2 units/,
    ),
    expect.stringMatching(/ load after 3\.0 s, /),
    expect.stringMatching(/ · 1 of 2 units · 500 B · pages\/a loaded$/),
    expect.stringMatching(/ · 60 rows · .* · 2 of 2 units · 500 B · pages\/b failed$/),
    expect.stringMatching(/^\[░{10}\] 0 % models 0 of 2 after 5\.0 s, about /),
    expect.stringMatching(/^\[█{10}\] publish after 6\.0 s, about /),
    expect.stringMatching(/^\[█{10}\] publish after 6\.5 s · 60 rows · /),
  ]);
  expect(meter.took()).toEqual({ units: 3, after: 1, usual: expect.closeTo(2.8, 3) });
});

test('rows are counted as they arrive, and repeated rows count once', () => {
  const printed: string[] = [];
  using meter = new Meter((text) => printed.push(text));
  meter.begin([{ unit: 'pages/a', dataset: 'pages', rows: null }]);
  meter.opened('pages/a', 60, 10);
  for (const rows of [20, 40, 40, 60]) meter.received('pages/a', rows);
  expect(printed.map((text) => / · ([\d,]+)(?: of \d+)? rows/.exec(text)?.[1])).toEqual([
    '0',
    '20',
    '40',
    '40',
    '60',
  ]);
});
