import { test } from 'vitest';
import { playScenes } from '../hostile/scenes.ts';
import { testSeed } from '../support/random.ts';

/** A night takes more. */
const CASES = Number(process.env.CASES ?? 2500);

test(`${CASES} composed cases of a hostile service`, { timeout: 3_600_000 }, async () => {
  console.info(await playScenes(CASES, 100, testSeed() + 1));
});
