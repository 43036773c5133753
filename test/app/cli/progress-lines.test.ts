import { expect, test } from 'vitest';
import { progressBar, progressLines } from '../../../src/app/cli/app.ts';

test('with many progress messages, one is written every 30 seconds', () => {
  const written: string[] = [];
  let now = 5000;
  const show = progressLines(
    (line) => written.push(line),
    () => now,
  );
  for (let second = 0; second <= 95; second++) {
    now = 5000 + second * 1000;
    show(`after ${second} s`);
  }
  expect(written).toEqual(['after 30 s', 'after 60 s', 'after 90 s']);
});

test('a multi-line progress replaces the previous one, and leaves the cursor on its first line', () => {
  expect(progressBar(['one', 'a line'], 5)).toBe('\r\x1b[Jone\na l…\r\x1b[1A');
  expect(progressBar(['one'], 80)).toBe('\r\x1b[Jone');
});
