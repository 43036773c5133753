import { test } from 'vitest';
import { testSeed } from '../support/random.ts';
import { playScenes } from './scenes.ts';

// `test/long` composes 5,000, and plays each fault of an answer and of a list alone.
test('8 composed cases: equal rows, located rejects or one refused unit', {
  timeout: 600_000,
}, async () => {
  console.info(await playScenes(8, 8, testSeed()));
});
