import { join } from 'node:path';
import { z } from 'zod';
import { toCrawlhouseError } from '../../../../core/errors/errors.ts';
import { lockHolder } from '../../../../core/locks/state-lock.ts';
import { type Html, html } from '../../../../core/text/html.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { loadPipelines } from '../../../../etl/project/settings/pipelines.ts';
import { projectSchedules, type Schedule } from '../../../../etl/project/settings/schedules.ts';
import { table } from '../../../answers/presentation/html-table.ts';
import { statusMark } from '../../../answers/presentation/marks.ts';
import { targetsOf } from '../../../operations/alert/targets.ts';
import { readScheduleState, stateFile } from '../../../operations/schedule/state-file.ts';
import { csrfField } from '../../layout/shell.ts';
import { NotFound, type PageRequest, page } from '../../page-parts/console-page.ts';
import { AlertTargets, alertTargets, drawAlertTargets } from '../../page-parts/schedules/alert-targets.ts';
import { fieldsOfSchedule } from '../../page-parts/schedules/schedule-fields.ts';
import { drawScheduleForm } from '../../page-parts/schedules/schedule-form.ts';
import { ScheduleLine, scheduleLine, workText } from '../../page-parts/schedules/schedule-lines.ts';
import { timesText } from '../../page-parts/schedules/schedule-times.ts';
import type { Readers } from '../../readers/readers.ts';

const NONE: ReadonlyMap<string, string> = new Map();

const Form = z.strictObject({
  /** The fields of the form and their values. */
  fields: z.array(z.tuple([z.string(), z.string()])),
  datasets: z.array(z.string()),
  /** The names of the targets of alerts. */
  targets: z.array(z.string()),
});

const Schedules = z.strictObject({
  schedules: z.array(ScheduleLine),
  /** Why schedules.yaml cannot be read. */
  problem: z.string().nullable(),
  /** Whether `crawlhouse schedule` runs on this machine. */
  is_served: z.boolean(),
  targets: AlertTargets,
  /** The form for a new schedule. */
  form: Form,
});
type Schedules = Typed<typeof Schedules>;

export const SCHEDULES = page<Schedules>({
  path: '/schedules',
  summary: 'The schedules: what each does, its next times and its last result.',
  schema: Schedules,
  async read({ may }, readers) {
    const { schedules, problem } = await readSchedules(readers);
    const { state_dir: stateDir, alerts } = readers.settings;
    return {
      schedules: await linesOf(schedules, readers),
      problem,
      is_served: lockHolder(join(stateDir, 'schedule')) !== null,
      targets: alertTargets(alerts, schedules, may('POST /schedules/alerts')),
      form: await formOf(undefined, readers),
    };
  },
  draw({ schedules, problem, is_served, targets, form }, request) {
    const { session, canAct } = request;
    return {
      title: 'Schedules',
      body: html`<h1>Schedules</h1>
${problem === null ? null : html`<p class="notice">${problem}</p>`}
${is_served ? null : html`<p class="notice"><code>crawlhouse schedule</code> is not running on this machine. It runs the schedules at their times.</p>`}
<p class="facts">Times are in <span data-zone>UTC</span>. <code>crawlhouse schedule</code> reads a change within ten seconds.</p>
${scheduleTable(schedules, request)}
${canAct ? html`<h2>Add a schedule</h2>${drawForm(null, form, request)}` : null}
${drawAlertTargets(targets, { csrf: session.csrf, canAct })}`,
    };
  },
});

const OneSchedule = z.strictObject({ schedule: ScheduleLine, form: Form });

export const SCHEDULE = page<Typed<typeof OneSchedule>>({
  path: '/schedules/:schedule',
  summary: 'The form that changes or deletes a schedule.',
  schema: OneSchedule,
  async read(request, readers) {
    const { schedule: named } = request.path;
    const schedule = (await projectSchedules(readers.settings.projectDir)).find(({ name }) => name === named);
    const [line] = await linesOf(schedule === undefined ? [] : [schedule], readers);
    if (line === undefined) throw new NotFound(`There is no schedule ${named}.`);
    return { schedule: line, form: await formOf(schedule, readers) };
  },
  draw({ schedule: { name }, form }, request) {
    return {
      title: name,
      body: html`<h1>Schedule ${name}</h1>
<p><a href="/schedules">All schedules</a></p>
${drawForm(name, form, request)}
<details><summary>Delete</summary><p>Delete the schedule ${name}? Its loaded data stays.</p>
${changeButton('delete', name, html`<button type="submit" class="main danger">Delete</button>`, request)}</details>`,
    };
  },
});

async function readSchedules({
  settings,
}: Readers): Promise<{ readonly schedules: readonly Schedule[]; readonly problem: string | null }> {
  try {
    return { schedules: await projectSchedules(settings.projectDir), problem: null };
  } catch (thrown) {
    return { schedules: [], problem: toCrawlhouseError(thrown).message };
  }
}

async function linesOf(
  schedules: readonly Schedule[],
  { settings, logger }: Readers,
): Promise<ScheduleLine[]> {
  const state = await readScheduleState(stateFile(settings.state_dir), logger);
  const about = { alerts: settings.alerts, state, now: Date.now() };
  return schedules.map((schedule) => scheduleLine(schedule, about));
}

async function formOf(schedule: Schedule | undefined, { settings }: Readers): Promise<Schedules['form']> {
  const { alerts, projectDir } = settings;
  return {
    fields: [...fieldsOfSchedule({ schedule, alerts })],
    datasets: (await loadPipelines(projectDir)).map(({ dataset }) => dataset),
    targets: targetsOf(alerts).map(({ name }) => name),
  };
}

function drawForm(
  name: string | null,
  { fields, ...form }: Schedules['form'],
  { session }: PageRequest,
): Html {
  const given = new URLSearchParams(fields.map(([key, value]): [string, string] => [key, value]));
  return drawScheduleForm({ name, fields: given, problems: NONE, ...form, csrf: session.csrf });
}

function scheduleTable(schedules: readonly ScheduleLine[], request: PageRequest): Html {
  const actions = ({ name, paused }: ScheduleLine): Html =>
    html`<a href="/schedules/${name}">Edit</a> ${changeButton(
      paused ? 'resume' : 'pause',
      name,
      html`<button type="submit" aria-label="${paused ? 'Resume' : 'Pause'} ${name}">${paused ? 'Resume' : 'Pause'}</button>`,
      request,
    )}`;
  return table(
    'Schedules',
    [
      { name: 'schedule', cell: ({ name }) => name },
      { name: 'what it does', cell: workText },
      { name: 'when', cell: ({ cron, time_zone }) => `${timesText(cron)} (${time_zone})` },
      { name: 'next', cell: nextTimes },
      { name: 'last result', cell: ({ last }) => last && lastResult(last) },
      { name: 'alerts to', cell: alertsText },
      ...(request.canAct ? [{ name: 'change', cell: actions }] : []),
    ],
    schedules,
    'No schedule is set.',
  );
}

function nextTimes({ next, paused }: ScheduleLine): Html {
  if (paused) return statusMark('paused');
  return next.length === 0 ? html`never` : html`${next.map((at) => html`<div>${localTime(at)}</div>`)}`;
}

function lastResult({ ended_at, exit_code, error }: NonNullable<ScheduleLine['last']>): Html {
  return html`${statusMark(exit_code === 0 ? 'done' : 'failed')} ${localTime(ended_at)}${error === null ? null : html`<div>${error}</div>`}`;
}

function alertsText({ alerts: { targets, events } }: ScheduleLine): string {
  if (targets.length === 0 || events.length === 0) return 'nobody';
  return `${targets.join(', ')} (${events.join(', ')})`;
}

/** Returns a time in UTC, which the script shows in the person's time zone. */
function localTime(time: string): Html {
  return html`<time datetime="${time}" data-local>${time.slice(0, 16).replace('T', ' ')}</time>`;
}

function changeButton(change: string, name: string, button: Html, { session }: PageRequest): Html {
  return html`<form class="choose" method="post" action="/schedules">${csrfField(session.csrf)}<input type="hidden" name="change" value="${change}"><input type="hidden" name="name" value="${name}">${button}</form>`;
}
