import { expect, test } from 'vitest';
import { roundSeed } from '../support/random.ts';
import { describeSoak } from './report.ts';
import { soak } from './soak.ts';

const seed = roundSeed();

test(`every fault of a half-minute soak is explained, and its counts match the service (seed ${seed})`, async () => {
  const said: string[] = [];
  const report = await soak({
    minutes: 0.5,
    seed,
    isShared: true,
    keeps: false,
    say: (line) => said.push(line),
  });
  const shown = describeSoak(report);
  expect(report.failures, `${said.join('\n')}\n${shown}`).toEqual([]);
  expect(report.faults.length).toBeGreaterThan(1);
  expect(report.measured.moments.length).toBeGreaterThan(5);
  expect(report.settled.crawls).toBeGreaterThan(5);
  expect(report.settled.rows).toBeGreaterThan(1000);
  expect(shown).toContain('flat, explained and equal');
});
