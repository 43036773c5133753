import { expect, test } from 'vitest';
import { Inputs } from './inputs.ts';
import { mutate } from './mutate.ts';
import { type Finding, playRound } from './round.ts';
import { Fault, plainTarget, type Target } from './target.ts';

const options = {
  seed: 1,
  cases: 3000,
  until: Number.POSITIVE_INFINITY,
  kept: [],
  isGuided: false,
  onCase: () => {},
  onFresh: () => {},
};

/** Findings in a target. */
async function findingsOf(target: Target, cases = options.cases): Promise<Finding[]> {
  const found: Finding[] = [];
  await playRound(target, { ...options, cases, onFinding: (finding) => found.push(finding) });
  return found;
}

test('a fault is reported once with a short input', async () => {
  const target = plainTarget({ name: 'planted', seeds: ['{"a":[1,2]}'], words: ['boom'] }, (input) => {
    if (input.includes('boom')) throw new TypeError('x is not a function');
    return 'taken';
  });
  const found = await findingsOf(target);
  expect(found.map(({ signature }) => signature)).toEqual([expect.stringMatching(/^TypeError x is not/)]);
  expect(Buffer.from(found[0]?.input ?? []).toString()).toBe('boom');
});

test('two faults are two findings, and a slow case is one', async () => {
  const target = plainTarget(
    { name: 'planted', seeds: ['a'], words: ['one', 'two', 'slow'], seconds: 0.05 },
    (input) => {
      if (input.includes('one')) throw new Fault('one', input.length);
      if (input.includes('two')) throw new Fault('two', input.length);
      const began = process.threadCpuUsage();
      const microseconds = (): number => Object.values(process.threadCpuUsage(began)).reduce((a, b) => a + b);
      while (input.includes('slow') && microseconds() < 100_000) JSON.stringify(input);
      return 'refused';
    },
  );
  const found = await findingsOf(target, 300);
  expect(found.map(({ signature }) => signature).sort()).toEqual(['it is slow', 'one', 'two']);
});

test('equal seeds produce equal inputs, other seeds different ones', () => {
  const target = plainTarget({ name: 'a', seeds: ['{"a":[1,2]}', 'b;c'], words: ['x'] }, () => 'taken');
  const some = (seed: number): string[] => {
    const inputs = new Inputs(target, [], seed);
    return Array.from({ length: 200 }, () => inputs.next().toString('latin1'));
  };
  expect(some(7)).toEqual(some(7));
  expect(some(7)).not.toEqual(some(8));
  expect(some(7).slice(0, 2)).toEqual(['{"a":[1,2]}', 'b;c']);
});

test('a mutation leaves its input unchanged, and stays within a megabyte', () => {
  const input = Buffer.from('{"a":[1,2],"b":"c"}');
  let state = 1;
  const below = (bound: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % bound;
  };
  for (let round = 0; round < 2000; round++) {
    const changed = mutate(input, { below, words: ['w'], other: Buffer.from('other') });
    expect(changed.length).toBeLessThanOrEqual(1024 * 1024);
  }
  expect(input.toString()).toBe('{"a":[1,2],"b":"c"}');
});
