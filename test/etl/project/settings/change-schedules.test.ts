import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  changeSchedules,
  type ScheduleChange,
} from '../../../../src/etl/project/settings/change-schedules.ts';
import { projectSchedules } from '../../../../src/etl/project/settings/schedules.ts';
import { rawProjectFolder } from '../../../support/project.ts';

const FILE = `# What runs when
schedules:
  # Before the meeting
  - name: morning # unique
    cron: "0 6 * * *" # daily
    pipelines:
      - crawl_pages # the rest is loaded at noon
    jitter: 90
    alerts: { events: [failure], timeout: 5 } # few
  - name: evening
    cron: "0 18 * * *"
`;

async function changed(...changes: readonly ScheduleChange[]) {
  const folder = await rawProjectFolder();
  const path = join(folder, 'schedules.yaml');
  await writeFile(path, FILE);
  for (const change of changes) await changeSchedules(folder, change);
  return { text: await readFile(path, 'utf8'), schedules: await projectSchedules(folder) };
}

test('a change keeps comments, other keys and other schedules', async () => {
  const { text } = await changed({
    change: 'save',
    name: 'morning',
    keys: [
      [['cron'], '30 7 * * 1'],
      [['pipelines'], ['crawl_pages']],
      [['projects'], undefined],
      [['alerts', 'events'], undefined],
      [['paused'], true],
    ],
  });
  expect(text).toBe(
    FILE.replace('0 6 * * *', '30 7 * * 1').replace(
      '{ events: [failure], timeout: 5 } # few',
      '{ timeout: 5 } # few\n    paused: true',
    ),
  );
});

test('schedules are added and deleted, and concurrent changes do not undo each other', async () => {
  const keys = [[['cron'], '0 12 * * *']] as const;
  const { schedules } = await changed(
    { change: 'add', name: 'noon', keys },
    { change: 'delete', name: 'morning', keys: [] },
  );
  expect(schedules.map(({ name, cron }) => [name, cron])).toEqual([
    ['evening', '0 18 * * *'],
    ['noon', '0 12 * * *'],
  ]);
  const folder = await rawProjectFolder();
  await writeFile(join(folder, 'schedules.yaml'), 'schedules: []\n');
  await Promise.all(['a', 'b', 'c'].map((name) => changeSchedules(folder, { change: 'add', name, keys })));
  expect((await projectSchedules(folder)).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
});

test.for([
  [
    { change: 'add', name: 'morning', keys: [[['cron'], '0 6 * * *']] },
    'usage',
    'there is a schedule morning already',
  ],
  [{ change: 'save', name: 'noon', keys: [] }, 'usage', 'there is no schedule noon'],
  [
    { change: 'save', name: 'morning', keys: [[['cron'], '0 6 * *']] },
    'bad_schedule',
    'five fields are expected',
  ],
  [
    { change: 'save', name: 'morning', keys: [[['pipelines'], ['pages']]] },
    'bad_schedule',
    'there is no pipeline pages',
  ],
] as const)('%j is refused and writes nothing', async ([change, code, message]) => {
  const folder = await rawProjectFolder();
  const path = join(folder, 'schedules.yaml');
  await writeFile(path, FILE);
  await expect(changeSchedules(folder, change)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message),
  });
  expect(await readFile(path, 'utf8')).toBe(FILE);
});
