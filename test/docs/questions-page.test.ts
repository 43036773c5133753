import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { questionsPage, REAL_ROWS } from '../../scripts/questions-page.ts';
import { loadQuestions } from '../../src/pipeline/transform/questions/questions.ts';
import { sqlFolder } from '../../src/project/sql/models/sql-folders.ts';

const page = await questionsPage();

test('every saved question stands on its page, and no other', async () => {
  const questions = await loadQuestions([sqlFolder(join(import.meta.dirname, '../../sql'))]);
  const linked = [...page.matchAll(/^\[`(\w+)`\]/gm)].map((match) => match[1]);
  expect(linked).toEqual(questions.map((question) => question.name));
  // npm run docs:questions writes the rows.
  const rows = JSON.parse(await readFile(REAL_ROWS, 'utf8')) as object;
  expect(Object.keys(rows)).toEqual(linked);
});
