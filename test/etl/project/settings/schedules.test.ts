import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cronFields, cronProblem } from '../../../../src/etl/project/settings/cron-fields.ts';
import { loadPipelines } from '../../../../src/etl/project/settings/pipelines.ts';
import { loadSchedules } from '../../../../src/etl/project/settings/schedules.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const DATASETS = ['crawl_pages', 'crawl_links'];
const ROOT = join(import.meta.dirname, '..', '..', '..', '..');

async function load(yaml: string) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'schedules.yaml'), yaml);
  return loadSchedules(folder, DATASETS);
}

/** A file with one schedule and these further lines. */
function one(...lines: readonly string[]): string {
  return [
    'schedules:',
    '  - name: morning',
    '    cron: "0 6 * * *"',
    ...lines.map((line) => `    ${line}`),
  ].join('\n');
}

test('missing keys have defaults', async () => {
  expect(await load(one())).toEqual([
    {
      name: 'morning',
      pipelines: 'all',
      cron: '0 6 * * *',
      time_zone: 'UTC',
      on_missed: 'run_once',
      overlap: 'skip',
      allow_private: false,
      jitter: 0,
      retries: { number: 3, wait: 5 },
      paused: false,
    },
  ]);
});

test('a file without schedules has none', async () => {
  expect(await load('')).toEqual([]);
  expect(await load('schedules: []\n')).toEqual([]);
});

test('every key is read', async () => {
  const [schedule] = await load(
    one(
      'pipelines: [crawl_links]',
      'projects: [shop, blog]',
      'time_zone: Europe/Paris',
      'on_missed: skip',
      'overlap: queue',
      'jitter: 90',
      'retries: { number: 2, wait: 0.5 }',
      'timeout: 30',
      'alerts: { command: [page, --night], events: [failure] }',
    ),
  );
  expect(schedule).toMatchObject({
    pipelines: ['crawl_links'],
    projects: ['shop', 'blog'],
    time_zone: 'Europe/Paris',
    on_missed: 'skip',
    overlap: 'queue',
    jitter: 90,
    retries: { number: 2, wait: 0.5 },
    timeout: 30,
    alerts: { command: ['page', '--night'], events: ['failure'] },
  });
});

test('the shipped file is valid', async () => {
  const datasets = (await loadPipelines(ROOT)).map((pipeline) => pipeline.dataset);
  expect(await loadSchedules(ROOT, datasets)).toMatchObject([
    { name: 'morning', pipelines: 'all', cron: '0 6 * * *', time_zone: 'Europe/Paris' },
  ]);
});

test.for([
  ['pipelines: [crawl_links, crawl_page]', 'schedules.0.pipelines.1: there is no pipeline crawl_page'],
  ['time_zone: Europe/Pariss', 'schedules.0.time_zone: a time zone is expected, such as Europe/Paris'],
  ['time_zone: "+01:00"', 'schedules.0.time_zone: a time zone is expected'],
  ['on_missed: run', 'schedules.0.on_missed: '],
  ['overlap: both', 'schedules.0.overlap: '],
  ['jitter: -1', 'schedules.0.jitter: '],
  ['retries: { number: 2 }', 'schedules.0.retries.wait: '],
  ['timeout: 0', 'schedules.0.timeout: '],
  ['pipelines: []', 'schedules.0.pipelines: '],
  ['alerts: []', 'schedules.0.alerts: '],
  ['alerts: { events: [late] }', 'schedules.0.alerts.events.0: '],
  ['alerts: { to: x }', 'unknown key schedules.0.alerts.to'],
  ['alert: {}', 'unknown key schedules.0.alert'],
] as const)('%s is refused with its line', async ([line, message]) => {
  await expect(load(one(line))).rejects.toMatchObject({
    code: 'bad_schedule',
    kind: 'usage',
    message: expect.stringContaining(`schedules.yaml:4: ${message}`),
  });
});

test('an unknown key is refused with the valid keys, at any depth', async () => {
  await expect(load(one('crn: x'))).rejects.toMatchObject({
    hint: expect.stringContaining('name, pipelines, '),
  });
  await expect(load(one('retries: { number: 1, wait: 1, times: 2 }'))).rejects.toMatchObject({
    hint: 'allowed keys: number, wait',
  });
});

test('the second of two schedules with one name is refused', async () => {
  const second = '\n  - name: morning\n    cron: "0 7 * * *"\n';
  await expect(load(one() + second)).rejects.toMatchObject({
    message: 'schedules.yaml:4: schedules.1.name: a second schedule morning',
  });
});

test.for([
  ['0 6 * *', 'five fields are expected'],
  ['0 0 6 * * *', 'five fields are expected'],
  ['@daily', 'five fields are expected'],
  ['60 * * * *', '60 does not fit minute'],
  ['0 24 * * *', '24 does not fit hour'],
  ['0 0 0 * *', '0 does not fit dayOfMonth'],
  ['0 0 31 2 *', '31 does not fit dayOfMonth'],
  ['0 0 * 13 *', '13 does not fit month'],
  ['0 0 * * 8', '8 does not fit dayOfWeek'],
  ['0 0 L * *', 'L: use only numbers'],
  ['0 0 * * 5#2', '5#2: use only numbers'],
  ['0 0 1,,2 * *', '1,,2 does not fit dayOfMonth'],
] as const)('the cron expression %s is refused', async ([cron, problem]) => {
  expect(cronProblem(cron)).toContain(problem);
  expect(() => cronFields(cron)).toThrow(RangeError);
  await expect(load(`schedules:\n  - name: a\n    cron: "${cron}"\n`)).rejects.toMatchObject({
    message: expect.stringContaining('schedules.yaml:3: schedules.0.cron: '),
  });
});

test('names, ranges, lists and steps are parsed; Sunday is 0 and 7', () => {
  const fields = cronFields('*/20 1-3,22 1,15 jan-mar sun,5-7');
  expect(fields.minutes).toEqual([0, 20, 40]);
  expect(fields.hours).toEqual([1, 2, 3, 22]);
  expect([...fields.days]).toEqual([1, 15]);
  expect([...fields.months]).toEqual([1, 2, 3]);
  expect([...fields.weekdays].sort()).toEqual([0, 5, 6]);
  expect([fields.eitherDay, fields.everyHour]).toEqual([true, false]);
  expect(cronFields('0 * * * mon')).toMatchObject({ eitherDay: false, everyHour: true });
});
