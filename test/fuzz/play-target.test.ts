import { expect, test } from 'vitest';
import { playTarget } from './play-target.ts';
import '../support/process-timeout.ts';

const options = { seed: 1, cases: 200, until: Number.POSITIVE_INFINITY, isGuided: false };

test('a target runs in a thread, and its cases are counted', async () => {
  const { totals, findings } = await playTarget('rison', options);
  expect(findings).toEqual([]);
  expect(totals).toMatchObject({ target: 'rison', cases: 200 });
  expect(totals.taken).toBeGreaterThan(20);
  expect(totals.taken).toBeLessThan(200);
});

test('inputs that reach new code are kept for mutation', async () => {
  const { totals } = await playTarget('rison', { ...options, cases: 1000, isGuided: true });
  expect(totals.blocks).toBeGreaterThan(50);
  expect(totals.fresh).toBeGreaterThan(3);
});

test('an endless case is reported, and its thread is ended', async () => {
  const { findings } = await playTarget('endless', { ...options, cases: 5, hangsMs: 500 });
  expect(findings.length).toBeGreaterThan(0);
  expect(findings[0]).toMatchObject({ signature: 'no end after 0.5 s' });
  expect(Buffer.from(findings[0]?.input ?? []).toString()).toBe('endless');
});
