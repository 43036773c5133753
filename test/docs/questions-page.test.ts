import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { QUESTIONS_PAGE, questionsPage, REAL_DATA, REAL_FOLDERS } from '../../scripts/questions-page.ts';
import { loadQuestions } from '../../src/transform/questions.ts';
import { sqlFolder } from '../../src/transform/sql-folders.ts';

const page = await readFile(QUESTIONS_PAGE, 'utf8');
const hasData = Object.keys(REAL_FOLDERS).every((name) => existsSync(join(REAL_DATA, name)));

test('every saved question stands on its page, and no other', async () => {
  const questions = await loadQuestions([sqlFolder(join(import.meta.dirname, '../../sql'))]);
  const linked = [...page.matchAll(/^\[`(\w+)`\]/gm)].map((match) => match[1]);
  expect(linked).toEqual(questions.map((question) => question.name));
});

test.skipIf(!hasData)(
  'the rows on the page are those of the real data (skipped without ../shared/data)',
  async () => {
    expect(page, 'npm run docs:questions writes it').toBe(await questionsPage());
  },
  120_000,
);
