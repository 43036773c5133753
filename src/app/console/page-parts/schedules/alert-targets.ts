import { z } from 'zod';
import { type Html, html } from '../../../../core/text/html.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import type { AlertSettings } from '../../../../etl/project/settings/alert-settings.ts';
import type { Schedule } from '../../../../etl/project/settings/schedules.ts';
import { table } from '../../../answers/presentation/html-table.ts';
import { allTargets } from '../../../operations/alert/targets.ts';
import { option } from '../../layout/filter-form.ts';
import { csrfField } from '../../layout/shell.ts';

/** The targets of alerts, without their secrets. */
export const AlertTargets = z.strictObject({
  list: z.array(z.strictObject({ target: z.string(), users: z.array(z.string()) })),
  /** The webhook of the setting `alerts`. */
  webhook: z.strictObject({ is_set: z.boolean(), format: z.enum(['json', 'slack']), timeout: z.number() }),
  /** Whether the person may change the webhook. */
  can_change: z.boolean(),
});
export type AlertTargets = Typed<typeof AlertTargets>;

export function alertTargets(
  alerts: AlertSettings,
  schedules: readonly Schedule[],
  can_change: boolean,
): AlertTargets {
  const { webhook, format, timeout } = alerts;
  return {
    list: allTargets(alerts, schedules).map(({ target, users }) => ({ target: target.name, users })),
    webhook: { is_set: webhook !== undefined, format, timeout },
    can_change,
  };
}

/** Returns the list of targets, for operators with a test, and for the machine's owner with the form of the webhook. */
export function drawAlertTargets(
  { list, webhook, can_change }: AlertTargets,
  { csrf, canAct }: { readonly csrf: string; readonly canAct: boolean },
): Html {
  return html`<h2>Alert targets</h2>
${table(
  'Alert targets',
  [
    { name: 'target', cell: ({ target }) => target },
    { name: 'used by', cell: ({ users }) => users.join(', ') },
  ],
  list,
  'No target is set, so nobody gets an alert.',
)}
${canAct && list.length > 0 ? html`<form method="post" action="/schedules/alerts/test">${csrfField(csrf)}<button type="submit">Send a test alert</button></form>` : null}
${can_change ? webhookForm(webhook, csrf) : null}`;
}

/** Draws the form of the webhook. Its address is a secret: it is never shown, and an empty field keeps it. */
export function webhookForm({ is_set, format, timeout }: AlertTargets['webhook'], csrf: string): Html {
  const remove = html`<details><summary>Remove the webhook</summary><form method="post" action="/schedules/alerts">${csrfField(csrf)}
<input type="hidden" name="change" value="remove"><button type="submit" class="main danger">Remove</button></form></details>`;
  return html`<form method="post" action="/schedules/alerts" class="schedule">${csrfField(csrf)}<input type="hidden" name="change" value="save">
<fieldset><legend>Webhook</legend>
<p><label for="webhook">Address${is_set ? '; empty: unchanged' : null}</label><br><input id="webhook" name="webhook" type="password" autocomplete="off"${is_set ? null : html` required`}></p>
<p><label for="format">Format</label><br><select id="format" name="format">${['json', 'slack'].map((one) => option(one, format))}</select></p>
<p><label for="timeout">Time limit in seconds</label><br><input id="timeout" name="timeout" type="number" min="1" max="600" value="${timeout}"></p>
<p class="facts">The console writes the address to <code>.env</code>. Commands that receive alerts can only be set in <code>crawlhouse.yaml</code>.</p>
<p><button type="submit" class="main">${is_set ? 'Save' : 'Add the webhook'}</button></p></fieldset></form>
${is_set ? remove : null}`;
}
