import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  readScheduleState,
  stateFile,
  writeScheduleState,
} from '../../../../src/app/operations/schedule/state-file.ts';
import { createLogger } from '../../../../src/core/logs/logger.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const STATE = { morning: { cron: '0 6 * * *', time_zone: 'UTC', done_until: '2026-11-21T06:00:00Z' } };

test('the schedule state is kept; a damaged one is reported, and an unreadable one is an error', async () => {
  const folder = await temporaryFolder();
  const said: string[] = [];
  const logger = createLogger('warn', (line) => said.push(line));
  const keeper = stateFile(folder);
  expect(await readScheduleState(keeper, logger)).toEqual({});
  await writeScheduleState(keeper, STATE);
  expect(await readScheduleState(keeper, logger)).toEqual(STATE);
  expect(said).toEqual([]);
  await writeFile(join(folder, 'schedules.json'), '{"morning":');
  expect(await readScheduleState(keeper, logger)).toEqual({});
  expect(said).toEqual([expect.stringContaining('the saved state of the schedules is damaged')]);
  const other = join(folder, 'other');
  await mkdir(join(other, 'schedules.json'), { recursive: true });
  await expect(readScheduleState(stateFile(other), logger)).rejects.toMatchObject({ code: 'EISDIR' });
});
