import { expect, test } from 'vitest';
import { describeUnderstood, hasGuess, isAgreed } from '../../../../src/app/cli/reports/understood.ts';
import { typing } from '../typing.ts';

const FILE = {
  name: 'access.log',
  facts: [
    { name: 'format', value: 'combined' },
    { name: 'time zone', value: 'UTC', isGuess: true },
  ],
};

test('a table shows how each file is read, and marks guesses', () => {
  expect(describeUnderstood([FILE, { ...FILE, name: 'b.log' }])).toBe(
    [
      'access.log',
      'format      combined',
      'time zone   UTC (a guess)',
      '',
      'b.log',
      'format     combined',
      'time zone  UTC (a guess)',
      '',
    ].join('\n'),
  );
  expect([hasGuess([FILE]), hasGuess([{ name: 'a', facts: FILE.facts.slice(0, 1) }])]).toEqual([true, false]);
});

test.for([
  ['yes', true],
  ['Y', true],
  ['', false],
  ['no', false],
] as const)('the answer %j means %j', async ([answer, isYes]) => {
  const typist = typing();
  const agreed = isAgreed(typist.person, 'Add it?', new AbortController().signal);
  await typist.answer('Add it? yes or no (no)', answer);
  expect(await agreed).toBe(isYes);
});

test('without a terminal, no confirmation is requested', async () => {
  expect(await isAgreed(null, 'Add it?', new AbortController().signal)).toBe(true);
});
