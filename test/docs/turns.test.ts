import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COVERED_BY, fileOfTurn, filesOfOtherSeeds, TURNS } from '../support/turns.ts';

const root = join(import.meta.dirname, '../..');
const suites = Object.keys(TURNS) as (keyof typeof TURNS)[];

describe.each(suites)('rotating test files of test/%s', (suite) => {
  const names = TURNS[suite].flat();

  test('exist, once each, and other tests cover them with other seeds', () => {
    for (const name of names) expect(existsSync(join(root, fileOfTurn(suite, name))), name).toBe(true);
    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(COVERED_BY[suite]).sort()).toEqual([...names].sort());
    const others = Object.values(COVERED_BY[suite]).flat();
    expect(others.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('run with all seeds but one in each round', () => {
    const days = TURNS[suite].map((_, day) => filesOfOtherSeeds(suite, 20_261_125 + day));
    for (const name of names) {
      const waits = days.filter((day) => day.includes(fileOfTurn(suite, name)));
      expect(waits.length, name).toBe(days.length - 1);
    }
  });
});
