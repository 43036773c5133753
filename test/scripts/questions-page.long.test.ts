import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { hasRealData, REAL_ROWS, realRows } from '../../scripts/questions-page.ts';

test.skipIf(!hasRealData())(
  'the rows on the questions page match the real data (skipped without ../shared/data)',
  async () => {
    const rows = JSON.parse(await readFile(REAL_ROWS, 'utf8'));
    expect(await realRows(), 'npm run docs:questions writes them').toEqual(rows);
  },
);
