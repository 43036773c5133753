import { expect, test } from 'vitest';
import type { PageRequest } from '../../../../src/app/console/page-parts/console-page.ts';
import { DO_PLAN } from '../../../../src/app/console/pages/do-plan-page.ts';
import type { Readers } from '../../../../src/app/console/readers/readers.ts';

const PLAN = { totals: { units: 0, rows: 1200, bytes: null, requests: null }, units: [] };
const request = { session: { csrf: 'token' } } as PageRequest;
const drawn = (action: object, plan: object, held_by: string | null = null): string =>
  DO_PLAN.draw({ action, command: 'crawlhouse drop', plan, held_by }, request).body.text;
const DROP = { action: 'drop', kind: 'crawl', name: 'c1' };

test('a plan of nothing has no button, and a drop requires its name', () => {
  const nothing = drawn(DROP, PLAN);
  expect(nothing).toContain('<h1>Drop 0 units?</h1>');
  expect(nothing).toContain('There is nothing to do.');
  expect(nothing).not.toContain('<form');
  const one = drawn(DROP, { ...PLAN, totals: { ...PLAN.totals, units: 1 } });
  expect(one).toContain('<h1>Drop 1 unit?</h1>');
  expect(one).toContain('type the crawl <strong>c1</strong>');
  expect(one).toContain('class="main danger">Drop</button>');
  expect(one).toContain('Rows: 1,200');
  expect(one).toContain('The first 0 of 1 units.');
  expect(nothing).not.toContain('The first');
});

test('whoever holds the lock is named', () => {
  expect(drawn(DROP, PLAN)).not.toContain('is running.');
  expect(drawn(DROP, PLAN, 'run, process 7')).toContain('run, process 7 is running.');
});

test('a page of another site plans nothing', async () => {
  const asked = { isOwn: false, query: new URLSearchParams('action=drop') } as PageRequest;
  const read = DO_PLAN.read(asked, {} as Readers, new AbortController().signal);
  await expect(read).rejects.toMatchObject({ code: 'forbidden' });
});
