import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { gaps } from '../support/gaps.ts';
import { ANSWERS } from './answers/answers.ts';
import { ISSUES } from './answers/issues.ts';

const namesIn = (folder: string): string[] =>
  readdirSync(join(import.meta.dirname, '..', '..', 'sql', folder)).map((file) => basename(file, '.sql'));

test('each saved question has a second answer in plain code', () => {
  const found = gaps(namesIn('questions'), Object.keys(ANSWERS), {
    adds: 'a saved question',
    missing: (name) => `sql/questions/${name}.sql has no second answer in test/questions/answers/answers.ts`,
    extra: (name) =>
      `test/questions/answers/answers.ts answers ${name}, and there is no sql/questions/${name}.sql`,
  });
  expect(found).toEqual([]);
});

test('each issue has its rule a second time in plain code', () => {
  const found = gaps(namesIn('issues'), Object.keys(ISSUES), {
    adds: 'an issue',
    missing: (name) => `sql/issues/${name}.sql has no second rule in test/questions/answers/issues.ts`,
    extra: (name) =>
      `test/questions/answers/issues.ts has a rule for ${name}, and there is no sql/issues/${name}.sql`,
  });
  expect(found).toEqual([]);
});
