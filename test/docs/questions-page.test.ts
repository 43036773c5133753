import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { keptRows, questionsPage, REAL_ROWS } from '../../scripts/questions-page.ts';
import { sqlFolder } from '../../src/etl/project/sql/models/sql-folders.ts';
import { loadQuestions } from '../../src/etl/project/sql/questions/questions.ts';
import { gaps } from '../support/gaps.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const page = await questionsPage();

test('the questions page lists exactly the saved questions', async () => {
  const questions = await loadQuestions([sqlFolder(join(ROOT, 'sql'))]);
  const linked = [...page.matchAll(/^\[`(\w+)`\]/gm)].map((match) => match[1]);
  expect(linked).toEqual(questions.map((question) => question.name));
  const rows = JSON.parse(await readFile(REAL_ROWS, 'utf8')) as object;
  const rowsFile = relative(ROOT, REAL_ROWS);
  const found = gaps(
    questions.map(({ name }) => name),
    Object.keys(rows),
    {
      adds: 'a saved question',
      missing: (name) => `sql/questions/${name}.sql has no rows in ${rowsFile}: npm run docs:questions`,
      extra: (name) => `${rowsFile} has rows of ${name}, and there is no sql/questions/${name}.sql`,
    },
  );
  expect(found).toEqual([]);
});

test('without the real data, rows stay, those of a removed question go, and a new question gets null', () => {
  const one = { count: 1, first: ['a'], why: null };
  expect(keptRows(['new', 'old'], { gone: one, old: one })).toEqual({ new: null, old: one });
});
