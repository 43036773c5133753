import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { displayWidth } from '../../src/core/display-width.ts';

const page = await readFile(join(import.meta.dirname, '../../docs/first-hour.md'), 'utf8');
const screens = [...page.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, screen = '']) => screen);

test('each screen of the first hour begins with its command, and fits a terminal of 80 columns', () => {
  expect(screens.length).toBeGreaterThan(15);
  const lines = screens.flatMap((screen) => screen.trimEnd().split('\n'));
  expect(screens.filter((screen) => !/^\$ (crawlhouse|npm) /.test(screen))).toEqual([]);
  expect(lines.filter((line) => !line.startsWith('$ ') && displayWidth(line) > 80)).toEqual([]);
});

test('each screen with an error says what to do', () => {
  const failing = screens.filter((screen) => /^(Error:|fail |Incidents:)/m.test(screen));
  expect(failing.length).toBeGreaterThan(4);
  expect(failing.filter((screen) => !/^ *(Try|to do): \S/m.test(screen))).toEqual([]);
});
