import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { QUESTIONS_PAGE, questionsPage, REAL_DATA, REAL_FOLDERS } from '../../scripts/questions-page.ts';

const hasData = Object.keys(REAL_FOLDERS).every((name) => existsSync(join(REAL_DATA, name)));

test.skipIf(!hasData)(
  'the rows on the page of questions are those of the real data (skipped without ../shared/data)',
  async () => {
    const page = await readFile(QUESTIONS_PAGE, 'utf8');
    expect(page, 'npm run docs:questions writes it').toBe(await questionsPage());
  },
);
