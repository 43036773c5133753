import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeSchedule } from '../../../../src/etl/project/settings/change-schedules.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

test.for([['schedules: []\n'], ['schedules:\n'], ['# no schedules\n']])(
  'the first schedule is written into %j',
  async (before) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'schedules.yaml'), before);
    await writeSchedule(folder, { name: 'weekly', cron: '0 6 * * 1' });
    expect(await readFile(join(folder, 'schedules.yaml'), 'utf8')).toMatch(
      /schedules:\n {2}- name: weekly\n {4}cron: 0 6 \* \* 1\n$/,
    );
  },
);
