import { expect, test } from 'vitest';
import { playTarget } from '../fuzz/play-target.ts';
import { TARGETS, targetOf } from '../fuzz/targets.ts';
import { ALL_ROUNDS, roundSeed } from '../support/random.ts';

const seed = roundSeed();
/** A night plays more of each. */
const TIMES = ALL_ROUNDS ? 20 : 1;

test.for(Object.keys(TARGETS))(
  `hostile input of each kind is taken or refused as it has to be: %s (seed ${seed})`,
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
