import { test } from 'vitest';
import { ALL_ROUNDS, roundSeed } from '../support/random.ts';
import { playScenes } from './scenes.ts';

/** A night takes more. */
const CASES = Number(process.env.CASES ?? (ALL_ROUNDS ? 5000 : 200));

const seed = roundSeed();

test(`the promises hold in ${CASES} composed cases of a hostile service (seed ${seed})`, {
  timeout: 3_600_000,
}, async () => {
  console.info(await playScenes(CASES, 100, seed));
});
