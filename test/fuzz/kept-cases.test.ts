import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import '../support/process-timeout.ts';
import { sampleOf } from '../support/runs.ts';
import { keptCases } from './corpus.ts';
import { judge } from './round.ts';
import { TARGETS, targetOf } from './targets.ts';

/** Seconds that a kept case may take here: the machine may be busy with other files. */
const MOST_SECONDS = 10;
const names = readdirSync(join(import.meta.dirname, 'corpus'));

test('each folder of the corpus belongs to a target', () => {
  expect(names.filter((name) => !Object.hasOwn(TARGETS, name))).toEqual([]);
  expect(names.length).toBeGreaterThan(5);
});

test.for(names)('kept cases of %s are accepted or refused as expected', async (name) => {
  const target = await targetOf(name);
  const opened = await target.open();
  try {
    for (const { file, input } of sampleOf(keptCases(name))) {
      const began = performance.now();
      const verdict = await judge(opened.check, input).catch((error: Error) => error.message);
      expect([file, verdict]).toEqual([file, expect.stringMatching(/^(?:taken|refused)$/)]);
      expect([file, (performance.now() - began) / 1000 < MOST_SECONDS]).toEqual([file, true]);
    }
  } finally {
    await opened.close?.();
  }
});
