import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { CHART_STYLE } from '../../../../../src/app/answers/presentation/charts/chart-style.ts';

const CONSOLE = new URL('../../../../../src/app/console/assets/console.css', import.meta.url);
/** Both say something of these, for the same things. */
const SHARED = ['bad', 'bars', 'number', 'scroll', 'warn'];

test('the style of the console does not reuse class names of charts', async () => {
  const own = await readFile(CONSOLE, 'utf8');
  const begun = new Set(own.matchAll(/(?:^|,)\s*\.([a-z][\w-]*)/gm).map(([, name]) => name));
  const ofCharts = new Set(CHART_STYLE.matchAll(/\.([a-z][\w-]*)/g).map(([, name]) => name));
  expect([...ofCharts].filter((name) => begun.has(name) && !SHARED.includes(name ?? ''))).toEqual([]);
});
