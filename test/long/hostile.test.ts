import { test } from 'vitest';
import { playScenes } from '../hostile/scenes.ts';
import { testSeed } from '../support/random.ts';

test('5,000 composed cases of a hostile service', { timeout: 3_600_000 }, async () => {
  console.info(await playScenes(5000, 100, testSeed() + 1));
});
