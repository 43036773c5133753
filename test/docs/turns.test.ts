import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesOfOtherSeeds, TURNS } from '../support/turns.ts';

const root = join(import.meta.dirname, '../..');
const guide = readFileSync(join(root, 'docs', 'how-we-test.md'), 'utf8');
const suites = Object.keys(TURNS) as (keyof typeof TURNS)[];

describe.each(suites)('files of test/%s that take turns', (suite) => {
  const names = TURNS[suite].flat();

  test('are there, once each, and the guide says what holds them with other seeds', () => {
    for (const name of names) {
      expect(existsSync(join(root, `test/${suite}/${name}.test.ts`)), name).toBe(true);
      expect(guide).toMatch(new RegExp(`^\\| .*\`${name}\`.* \\| .*\`test/`, 'm'));
    }
    expect(new Set(names).size).toBe(names.length);
  });

  test('wait with all seeds but one of each round', () => {
    const days = TURNS[suite].map((_, day) => filesOfOtherSeeds(suite, 20_261_125 + day));
    for (const name of names) {
      const waits = days.filter((day) => day.includes(`test/${suite}/${name}.test.ts`));
      expect(waits.length, name).toBe(days.length - 1);
    }
  });
});
