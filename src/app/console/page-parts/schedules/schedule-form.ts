import { type Html, html } from '../../../../core/text/html.ts';
import { ALERT_EVENTS } from '../../../../etl/project/settings/alert-settings.ts';
import { csrfField } from '../../layout/shell.ts';
import { WEEKDAY_NAMES } from './schedule-times.ts';

export interface ShownScheduleForm {
  /** The schedule that it changes; null: it adds one. */
  readonly name: string | null;
  readonly fields: URLSearchParams;
  /** The faults, by the name of the field. */
  readonly problems: ReadonlyMap<string, string>;
  /** The datasets of the project. */
  readonly datasets: readonly string[];
  /** The names of the targets of alerts. */
  readonly targets: readonly string[];
  readonly csrf: string;
}

/** Returns the form that adds or changes a schedule. */
export function drawScheduleForm(shown: ShownScheduleForm): Html {
  const { name, fields, csrf } = shown;
  const line = (field: string, label: string, more: Html | null = null): Html =>
    labelled(
      shown,
      field,
      label,
      (marks) =>
        html`<input id="${field}" name="${field}" value="${fields.get(field) ?? ''}"${marks}${more}>`,
    );
  return html`<form method="post" action="/schedules" class="schedule">${csrfField(csrf)}
<input type="hidden" name="change" value="${name === null ? 'add' : 'save'}">
${name === null ? line('name', 'Name', html` required pattern="[A-Za-z0-9][A-Za-z0-9_\\-]*"`) : html`<input type="hidden" name="name" value="${name}">`}
<div class="pair">${whatFields(shown, line)}${whenFields(shown, line)}</div>
${alertFields(shown)}
<p><button type="submit" class="main">${name === null ? 'Add the schedule' : 'Save'}</button></p></form>`;
}

type Line = (field: string, label: string, more?: Html | null) => Html;

function whatFields(shown: ShownScheduleForm, line: Line): Html {
  const { fields, datasets } = shown;
  const chosen = fields.getAll('dataset');
  const lines = (field: string, label: string): Html =>
    labelled(
      shown,
      field,
      label,
      (marks) =>
        html`<textarea id="${field}" name="${field}" rows="2" cols="34"${marks}>${fields.get(field) ?? ''}</textarea>`,
    );
  return html`<fieldset><legend>What it does</legend>
<details${chosen.length > 0 ? html` open` : null}><summary>Load these datasets; none: all</summary>
${datasets.map((dataset) => box('dataset', dataset, chosen))}</details>
${problemOf(shown, 'dataset')}
${lines('project', 'Projects by id or name, one per line; none: the setting projects')}
${line('crawl', 'Website to crawl first, if any', html` type="url" placeholder="https://www.example.com/"`)}
${lines('logs', 'Access logs to add first, one file, folder or glob per line')}
${line('log_site', 'Website of these logs, if the folder has several', html` type="url"`)}
${line('report', 'Report to write afterwards, if any', html` placeholder="report.html"`)}
</fieldset>`;
}

function whenFields(shown: ShownScheduleForm, line: Line): Html {
  const { fields } = shown;
  const every = fields.get('every') ?? 'day';
  const choice = (value: string, label: string, more: Html | null): Html =>
    html`<p><label><input type="radio" name="every" value="${value}"${value === every ? html` checked` : null}> ${label}</label> ${more}</p>
`;
  const days = WEEKDAY_NAMES.map(
    (name, day) =>
      html`<option value="${day}"${String(day) === fields.get('weekday') ? html` selected` : null}>${name}</option>`,
  );
  return html`<fieldset><legend>When</legend>
${choice('day', 'every day', null)}
${choice('week', 'every week on', html`<select name="weekday" aria-label="Weekday">${days}</select>`)}
${choice('month', 'every month on day', html`<input type="number" name="day" min="1" max="31" value="${fields.get('day') ?? '1'}" aria-label="Day of the month">`)}
${labelled(shown, 'at', 'at', (marks) => html`<input type="time" id="at" name="at" value="${fields.get('at') ?? '06:00'}"${marks}>`)}
${choice('cron', 'or by a cron expression:', html`<input name="cron" value="${fields.get('cron') ?? ''}" size="16" aria-label="Cron expression"${marksOf(shown, 'cron')}>`)}
${problemOf(shown, 'cron')}
${line('time_zone', 'Time zone, such as Europe/Paris', shown.name === null && shown.problems.size === 0 ? html` data-own-zone` : null)}
</fieldset>`;
}

function alertFields(shown: ShownScheduleForm): Html {
  const { fields, targets } = shown;
  const chosen = fields.getAll('event');
  return html`<fieldset><legend>Alerts</legend>
<p>${targets.length === 0 ? html`No target is set, so nobody gets an alert.` : html`Sent to: ${targets.join(', ')}.`} None checked: no alerts.</p>
${ALERT_EVENTS.map((event) => box('event', event, chosen))}
${problemOf(shown, 'alerts.events')}</fieldset>`;
}

function box(field: string, value: string, chosen: readonly string[]): Html {
  const isChosen = chosen.includes(value) ? html` checked` : null;
  return html`<div><label><input type="checkbox" name="${field}" value="${value}"${isChosen}> ${value}</label></div>`;
}

function labelled(
  shown: Pick<ShownScheduleForm, 'problems'>,
  field: string,
  label: string,
  input: (marks: Html | null) => Html,
): Html {
  return html`<p><label for="${field}">${label}</label><br>${input(marksOf(shown, field))}${problemOf(shown, field)}</p>
`;
}

function marksOf({ problems }: Pick<ShownScheduleForm, 'problems'>, field: string): Html | null {
  return problems.has(field) ? html` aria-invalid="true" aria-describedby="problem-${field}"` : null;
}

function problemOf({ problems }: Pick<ShownScheduleForm, 'problems'>, field: string): Html | null {
  const problem = problems.get(field);
  return problem === undefined ? null : html` <strong class="bad" id="problem-${field}">${problem}</strong>`;
}
