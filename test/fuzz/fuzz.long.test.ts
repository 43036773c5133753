import { expect, test } from 'vitest';
import { ALL_ROUNDS, roundSeed } from '../support/random.ts';
import { playTarget } from './play-target.ts';
import { TARGETS, targetOf } from './targets.ts';

const seed = roundSeed();
/** A night plays more of each. */
const TIMES = ALL_ROUNDS ? 20 : 1;

test.for(Object.keys(TARGETS))(
  `hostile input is accepted or refused as its reader promises: %s (seed ${seed})`,
  async (name) => {
    const cases = ((await targetOf(name)).shortRound ?? 300) * TIMES;
    const { totals, findings } = await playTarget(name, {
      seed,
      cases,
      until: Number.POSITIVE_INFINITY,
      isGuided: false,
    });
    const told = findings.map(
      ({ error, input }) =>
        `${error}\n${JSON.stringify(Buffer.from(input).toString('latin1').slice(0, 2000))}`,
    );
    expect(told).toEqual([]);
    expect(totals.cases).toBe(cases);
  },
);
