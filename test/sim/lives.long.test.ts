import { expect, test } from 'vitest';
import { roundSeed } from '../support/random.ts';
import { campaign } from './campaign.ts';

const LIVES = 300;
/** The seeds of a day are others than those of `npm test`. */
const from = 1000 + (roundSeed() % 1_000_000) * LIVES;

test(`${LIVES} simulated lives pass every oracle, from seed ${from} on`, async () => {
  const lives = await campaign({ from, to: from + LIVES, processes: 2 });
  expect(lives).toHaveLength(LIVES);
  const failed = lives.filter(({ violation }) => violation !== null);
  expect(failed.map(({ seed, violation }) => `seed ${seed}: ${violation?.message}`)).toEqual([]);
});
