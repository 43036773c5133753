import { join } from 'node:path';
import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { didYouMean } from '../../../core/text/nearest-name.ts';
import { isTimeZone } from '../../../core/time/time-zone.ts';
import { ScheduleAlerts } from './alert-settings.ts';
import { cronProblem } from './cron-fields.ts';
import { keepSecrets } from './keep-secrets.ts';
import { loadPipelines } from './pipelines.ts';
import { checkYaml, readYaml, type YamlSource } from './yaml-file.ts';

export const SCHEDULES_FILE = 'schedules.yaml';

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
  projects: Names.optional().describe('Ids or names of projects, or all; default: the `projects` setting.'),
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
    .describe('Missed firings (sleep, scheduler down): one run for all, or none.'),
  overlap: z
    .enum(['skip', 'queue'])
    .default('skip')
    .describe('A firing during a run of this schedule: dropped, or run afterwards.'),
  jitter: z
    .int()
    .min(0)
    .max(86_400)
    .default(0)
    .describe(
      'Maximum delay of each firing in seconds; the delay is constant and differs between installations.',
    ),
  retries: z
    .strictObject({
      number: z.int().min(0).max(100).describe('Retries after a retriable failure.'),
      wait: z.number().positive().max(1440).describe('Minutes before each retry.'),
    })
    .default({ number: 3, wait: 5 })
    .describe('Retries of a failed run; by default, four tries in 15 minutes.'),
  timeout: z.number().positive().optional().describe('Time limit of a run in minutes.'),
  crawl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'A website to crawl before the run, with its file in crawls/, or the flags of its last `crawlhouse crawl`.',
    ),
  allow_private: z
    .boolean()
    .default(false)
    .describe('Whether this crawl fetches private addresses, even if the start URL is public.'),
  logs: z
    .strictObject({
      from: z
        .array(z.string().min(1))
        .min(1)
        .describe('Files, folders, globs, or store_a:PREFIX and store_b:PREFIX.'),
      site: z
        .url({ protocol: /^https?$/ })
        .optional()
        .describe('The website, if the project folder has several.'),
    })
    .optional()
    .describe('Access logs to add before the run; crawlhouse reads only new lines.'),
  report: z
    .string()
    .min(1)
    .optional()
    .describe('The file for `crawlhouse report` after each run, in the project folder.'),
  alerts: ScheduleAlerts.optional().describe('Keys that override the `alerts` setting for this schedule.'),
  paused: z
    .boolean()
    .default(false)
    .describe('Whether the schedule starts no runs; crawlhouse does not run the missed firings later.'),
});
export type Schedule = z.output<typeof Schedule>;

export const SchedulesFile = z.strictObject({
  schedules: z.array(Schedule).default([]).describe('The schedules of the project.'),
});

/**
 * Reads the schedules of a project. Schedules may name only pipelines of the project.
 *
 * @throws CrawlhouseError like `loadSchedules` and `loadPipelines`
 */
export async function projectSchedules(projectDir: string): Promise<Schedule[]> {
  const datasets = (await loadPipelines(projectDir)).map(({ dataset }) => dataset);
  return loadSchedules(projectDir, datasets);
}

/**
 * Reads `schedules.yaml`; `datasets` are the pipelines that the file may name.
 *
 * @throws CrawlhouseError `bad_schedule` naming file, line, key and valid values
 */
export async function loadSchedules(projectDir: string, datasets: readonly string[]): Promise<Schedule[]> {
  const path = join(projectDir, SCHEDULES_FILE);
  return checkSchedules(await readYaml(path, SCHEDULES_FILE, 'bad_schedule'), datasets);
}

/** @throws CrawlhouseError `bad_schedule` */
export function checkSchedules(source: YamlSource, datasets: readonly string[]): Schedule[] {
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
