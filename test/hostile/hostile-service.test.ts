import { test } from 'vitest';
import { testSeed } from '../support/random.ts';
import { HostileProject } from './hostile-project.ts';
import { LISTS, type ListFault } from './lists.ts';
import { playScenes } from './scenes.ts';
import { HEALTHY } from './unit-case.ts';

test('each fault of a list leaves the warehouse as it was or loads the healthy crawls', {
  timeout: 600_000,
}, async () => {
  const hostile = await HostileProject.open();
  for (const lists of Object.keys(LISTS) as ListFault[])
    await hostile.play({ units: [HEALTHY], lists, format: 'json' });
});

// `test/long` composes 5,000.
test('300 composed cases: equal rows, located rejects or one refused unit', {
  timeout: 600_000,
}, async () => {
  console.info(await playScenes(300, 100, testSeed()));
});
