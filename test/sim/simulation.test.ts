import { expect, test } from 'vitest';
import { runs } from '../support/runs.ts';
import { decide } from './decisions.ts';
import { live } from './life.ts';
import { ORACLES } from './oracle.ts';
import { applies, plantedFaults } from './planted-faults.ts';
import { livePointers } from './pointer-life.ts';
import { quietRejections } from './quiet-rejections.ts';
import { lifeOf } from './shrink.ts';
import { warmUp } from './warm-up.ts';

const LIVES = runs(100);
/** Seeds that have found faults of the product (docs/how-we-test.md). */
const FOUND = [343, 772, 1338, 2094, 3160, 3351, 260106, 78338805];

test(`${LIVES} lives with faults pass every oracle`, { timeout: 240_000 }, async () => {
  using _quiet = quietRejections();
  await warmUp();
  for (let seed = 1; seed <= LIVES; seed++) {
    const { violation } = await live(seed);
    expect([seed, violation?.message ?? null]).toEqual([seed, null]);
  }
});

test(`${LIVES} lives of writers in Trino pass every oracle`, { timeout: 120_000 }, async () => {
  using _quiet = quietRejections();
  for (let seed = 1; seed <= LIVES; seed++)
    expect([seed, (await livePointers(seed)).violation?.message ?? null]).toEqual([seed, null]);
});

test('seeds that once found a fault pass every oracle', { timeout: 60_000 }, async () => {
  using _quiet = quietRejections();
  await warmUp();
  for (const seed of FOUND)
    expect([seed, (await live(seed)).violation?.message ?? null]).toEqual([seed, null]);
});

test('a seed always produces the same life, and another life passes without its fault', {
  timeout: 60_000,
}, async () => {
  using _quiet = quietRejections();
  await warmUp();
  for (const seed of [5, 12, 18]) {
    const [one, other] = [await live(seed, { trace: true }), await live(seed, { trace: true })];
    expect(one.trace?.length).toBeGreaterThan(200);
    expect(other.trace).toEqual(one.trace);
    if (decide(seed).length === 0) continue;
    const without = await lifeOf(seed, [], true);
    expect(without.happened).toEqual([]);
  }
});

test('each planted fault still applies to the code, and names an oracle', () => {
  const faults = plantedFaults();
  expect(faults.length).toBeGreaterThanOrEqual(25);
  expect(faults.filter((fault) => !applies(fault)).map(({ name }) => name)).toEqual([]);
  expect(faults.filter(({ oracle }) => !(oracle in ORACLES)).map(({ name }) => name)).toEqual([]);
});
