import { join } from 'node:path';
import { isMap, isSeq } from 'yaml';
import { z } from 'zod';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { writeFileAtomic } from '../../core/files/atomic-file.ts';
import { readText } from '../../core/files/read-text.ts';
import { didYouMean } from '../../core/text/nearest-name.ts';
import { documentToChange } from '../../core/text/parse-yaml.ts';
import { isTimeZone } from '../../core/time/time-zone.ts';
import { ScheduleAlerts } from './alert-settings.ts';
import { cronProblem } from './cron-fields.ts';
import { keepSecrets } from './keep-secrets.ts';
import { loadPipelines } from './pipelines.ts';
import { checkYaml, readYaml, type YamlSource } from './yaml-file.ts';

const Names = z.union([z.literal('all'), z.array(z.string().min(1)).min(1)], {
  error: 'all or a list of names is expected',
});

/** One schedule (docs/operate.md). */
export const Schedule = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, 'letters, digits, - and _ are expected')
    .describe('Unique; shown in logs and in status.'),
  pipelines: Names.default('all').describe('Datasets of pipelines/, or all.'),
  projects: Names.optional().describe('Ids or names of projects, or all; default: the setting `projects`.'),
  cron: z
    .string()
    .superRefine((text, context) => {
      const problem = cronProblem(text);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    })
    .describe('Minute, hour, day of month, month, day of week.'),
  time_zone: z
    .string()
    .refine(isTimeZone, 'a time zone is expected, such as Europe/Paris or UTC')
    .default('UTC')
    .describe('The IANA name of the time zone that `cron` is read in.'),
  on_missed: z
    .enum(['run_once', 'skip'])
    .default('run_once')
    .describe('Missed firings (sleep, service down): one run for all of them, or none.'),
  overlap: z
    .enum(['skip', 'queue'])
    .default('skip')
    .describe('A firing during the former run of this schedule: dropped, or run after it.'),
  jitter: z
    .int()
    .min(0)
    .max(86_400)
    .default(0)
    .describe(
      'Seconds: each firing starts later by a fixed part of this, which differs between installations.',
    ),
  retries: z
    .strictObject({
      number: z.int().min(0).max(100).describe('Repeats after a failure that can be retried.'),
      wait: z.number().positive().max(1440).describe('Minutes before each repeat.'),
    })
    .default({ number: 3, wait: 5 })
    .describe('By default, four tries in a quarter of an hour: a short outage needs no person.'),
  timeout: z.number().positive().optional().describe('Minutes after which a run is ended.'),
  crawl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('A website that is crawled before the run, as the last `crawlhouse crawl` of it was.'),
  allow_private: z
    .boolean()
    .default(false)
    .describe('Whether that crawl fetches private addresses, whatever its start URL.'),
  logs: z
    .strictObject({
      from: z
        .array(z.string().min(1))
        .min(1)
        .describe('Files, folders, globs, or store_a:PREFIX and store_b:PREFIX.'),
      site: z
        .url({ protocol: /^https?$/ })
        .optional()
        .describe('The website, where the folder has several.'),
    })
    .optional()
    .describe('Access logs that are added before the run; what was read before is not read again.'),
  report: z
    .string()
    .min(1)
    .optional()
    .describe('A file below the project folder that `crawlhouse report` is written to after each run.'),
  alerts: ScheduleAlerts.optional().describe('Keys that override the setting `alerts` for this schedule.'),
});
export type Schedule = z.output<typeof Schedule>;

export const SchedulesFile = z.strictObject({
  schedules: z.array(Schedule).default([]).describe('The schedules of the project.'),
});

/**
 * The schedules of a project, which name its pipelines.
 *
 * @throws CrawlhouseError as `loadSchedules` and `loadPipelines`
 */
export async function projectSchedules(projectDir: string): Promise<Schedule[]> {
  const datasets = (await loadPipelines(projectDir)).map(({ dataset }) => dataset);
  return loadSchedules(projectDir, datasets);
}

/**
 * Reads `schedules.yaml`; `datasets` are the pipelines that it may name.
 *
 * @throws CrawlhouseError `bad_schedule` naming file, line, key and what would work
 */
export async function loadSchedules(projectDir: string, datasets: readonly string[]): Promise<Schedule[]> {
  const source = await readYaml(join(projectDir, 'schedules.yaml'), 'schedules.yaml', 'bad_schedule');
  keepSecrets(source.value);
  const { schedules } = checkYaml(SchedulesFile, source, 'bad_schedule');
  for (const index of schedules.keys()) checkNames(index, schedules, datasets, source);
  return schedules;
}

function checkNames(
  index: number,
  schedules: readonly Schedule[],
  datasets: readonly string[],
  source: YamlSource,
): void {
  const { name, pipelines } = schedules[index] as Schedule;
  const at = (...path: PropertyKey[]): string =>
    `schedules.yaml:${source.lineOf(['schedules', index, ...path])}: ${['schedules', index, ...path].join('.')}`;
  if (schedules.findIndex((other) => other.name === name) < index) {
    throw new CrawlhouseError('bad_schedule', `${at('name')}: a second schedule ${name}`);
  }
  if (pipelines === 'all') return;
  for (const [position, dataset] of pipelines.entries()) {
    if (datasets.includes(dataset)) continue;
    throw new CrawlhouseError(
      'bad_schedule',
      `${at('pipelines', position)}: there is no pipeline ${dataset}`,
      { hint: `${didYouMean(dataset, datasets)}pipelines of this project: ${datasets.join(', ')}` },
    );
  }
}

/** Puts a schedule into `schedules.yaml`, in the place of one of the same name. Comments and other schedules stay. */
export async function writeSchedule(
  projectDir: string,
  schedule: Partial<Schedule> & Pick<Schedule, 'name' | 'cron'>,
): Promise<void> {
  const path = join(projectDir, 'schedules.yaml');
  const document = documentToChange(await readText(path));
  const known = document.get('schedules');
  const items = isSeq(known) ? known.items : [];
  const index = items.findIndex((item) => isMap(item) && item.get('name') === schedule.name);
  const node = document.createNode(schedule);
  if (items.length === 0) document.set('schedules', [schedule]);
  else if (index === -1) document.addIn(['schedules'], node);
  else document.setIn(['schedules', index], node);
  await writeFileAtomic(path, document.toString({ lineWidth: 0 }));
}
