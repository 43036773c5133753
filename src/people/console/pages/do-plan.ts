import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { bytesText, counted, countText, durationText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { ACTION_FIELDS, Action, readAction } from '../actions/action.ts';
import { ActionPlan } from '../actions/plan.ts';
import { csrfField } from '../layout/shell.ts';
import { table } from '../layout/table.ts';
import { hiddenFields, requireActing } from './acting.ts';
import { page } from './page.ts';

const DoPlan = z.strictObject({
  action: Action,
  /** The command line, as a shell reads it. */
  command: z.string(),
  plan: ActionPlan,
  /** Who has the state lock; null: nobody. */
  held_by: z.string().nullable(),
});

export const DO_PLAN = page<z.infer<typeof DoPlan>>({
  path: '/do/plan',
  summary: 'What an action would do and cost. Starts nothing.',
  query: ACTION_FIELDS,
  schema: DoPlan,
  async read(request, _desk, signal) {
    requireActing(request);
    const { actions, query, isOwn } = request;
    // A plan asks the service: a page elsewhere does not start one.
    if (!isOwn)
      throw new CrawlhouseError('forbidden', 'a link of another site leads here', {
        hint: 'go to Do, and ask for the plan there',
      });
    const action = readAction(query);
    const plan = await actions.plan(action, signal);
    return { action, command: actions.commandOf(action), plan, held_by: actions.holder() };
  },
  draw({ action, command, plan, held_by }, { session }) {
    const { units } = plan.totals;
    const verb = action.action === 'drop' ? 'Drop' : 'Load';
    return {
      title: 'Plan',
      body: html`<h1>${verb} ${counted(units, 'unit')}?</h1>
<pre tabindex="0"><code>${command}</code></pre>
${cost(plan, action)}
${held_by === null ? null : html`<p class="notice">${held_by} is at work. This action waits for a backfill, and is refused by anything else.</p>`}
${confirm(action, units, session.csrf)}
<h2>Units</h2>
${unitsTable(plan, action)}
${units > plan.units.length ? html`<p class="facts">The first ${countText(plan.units.length)} of ${countText(units)} units.</p>` : null}
${plan.left_out.map(({ reason, units: left }) => html`<p class="facts">${counted(left, 'unit')} left out: ${reason}</p>`)}`,
    };
  },
});

function cost({ totals }: ActionPlan, { action }: Action): Html {
  const facts: readonly (readonly [string, string])[] =
    action === 'drop'
      ? [['Rows', countText(totals.rows)]]
      : [
          ['Rows, by the service', countText(totals.rows)],
          ['Bytes, by past loads', totals.bytes === null ? 'not known' : bytesText(totals.bytes)],
          ['Time, by past loads', totals.seconds === null ? 'not known' : durationText(totals.seconds)],
          ['Requests, at least', countText(totals.requests ?? 0)],
          ['Data exports', countText(totals.exports ?? 0)],
        ];
  const left =
    action === 'drop'
      ? html`<p>The models are built again and published. No run loads these units again until a person names them.</p>`
      : null;
  return html`<ul>${facts.map(([name, value]) => html`<li>${name}: <strong>${value}</strong></li>`)}</ul>
${left}`;
}

/** The form that starts it. A drop asks for the name, so that nobody drops something by one click. */
function confirm(action: Action, units: number, csrf: string): Html {
  const back = html`<a class="button" href="/do">Back</a>`;
  if (units === 0) return html`<p class="notice">There is nothing to do.</p><p>${back}</p>`;
  const name =
    action.action === 'drop'
      ? html`<p><label for="confirm">To confirm, type the ${action.kind} <strong>${action.name}</strong></label></p>
<p><input id="confirm" name="confirm" autocomplete="off" required></p>`
      : null;
  return html`<form method="post" action="/do/start">${csrfField(csrf)}${hiddenFields(action)}
${name}
<p>${action.action === 'drop' ? html`<button type="submit" class="main danger">Drop</button>` : html`<button type="submit" class="main">Start</button>`} ${back}</p></form>`;
}

function unitsTable({ units }: ActionPlan, { action }: Action): Html {
  const loads = [
    { name: 'route', cell: ({ route }: ActionPlan['units'][number]) => route },
    {
      name: 'bytes',
      isNumber: true,
      cell: ({ bytes }: ActionPlan['units'][number]) => (bytes === null ? null : bytesText(bytes)),
    },
    {
      name: 'time',
      isNumber: true,
      cell: ({ seconds }: ActionPlan['units'][number]) => (seconds === null ? null : durationText(seconds)),
    },
    { name: 'reason', cell: ({ reason }: ActionPlan['units'][number]) => reason },
  ];
  return table(
    'Units',
    [
      { name: 'unit', cell: ({ unit }) => unit },
      { name: 'rows', isNumber: true, cell: ({ rows }) => (rows === null ? null : countText(rows)) },
      ...(action === 'drop' ? [] : loads),
    ],
    units,
    'No unit is due.',
  );
}
