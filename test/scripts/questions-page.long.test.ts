import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REAL_DATA, REAL_FOLDERS, REAL_ROWS, realRows } from '../../scripts/questions-page.ts';

const hasData = Object.keys(REAL_FOLDERS).every((name) => existsSync(join(REAL_DATA, name)));

test.skipIf(!hasData)(
  'the rows on the questions page match the real data (skipped without ../shared/data)',
  async () => {
    const rows = JSON.parse(await readFile(REAL_ROWS, 'utf8'));
    expect(await realRows(), 'npm run docs:questions writes them').toEqual(rows);
  },
);
