import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { counted, countText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { type Block, line } from '../../answers/presentation/blocks.ts';
import { dropTable, planSums, planTable } from '../../operations/status/plan-blocks.ts';
import { ACTION_FIELDS, Action, readAction } from '../actions/action.ts';
import { ActionPlan } from '../actions/plan-action.ts';
import { drawBlocks } from '../layout/addresses.ts';
import { csrfField } from '../layout/shell.ts';
import { hiddenFields } from '../page-parts/acting.ts';
import { page } from '../page-parts/console-page.ts';

const DoPlan = z.strictObject({
  action: Action,
  /** The command line in shell syntax. */
  command: z.string(),
  plan: ActionPlan,
  /** The holder of the state lock, or null if the lock is free. */
  held_by: z.string().nullable(),
});

export const DO_PLAN = page<Typed<typeof DoPlan>>({
  path: '/do/plan',
  summary: 'What an action would do and cost. Starts nothing.',
  query: ACTION_FIELDS,
  schema: DoPlan,
  async read(request, _desk, signal) {
    const { actions, query, isOwn } = request;
    // A plan sends requests to the service, so pages of other sites cannot start one.
    if (!isOwn)
      throw new CrawlhouseError('forbidden', 'another site links to this page', {
        hint: 'open the Do page and request the plan there',
      });
    const action = readAction(query);
    const plan = await actions.plan(action, signal);
    return { action, command: actions.commandOf(action), plan, held_by: actions.holder() };
  },
  draw({ action, command, plan, held_by }, { session }) {
    const { units } = plan.totals;
    const isDrop = action.action === 'drop';
    return {
      title: 'Plan',
      body: html`<h1>${isDrop ? 'Drop' : 'Load'} ${counted(units, 'unit')}?</h1>
<pre tabindex="0"><code>${command}</code></pre>
${drawBlocks(isDrop ? dropSums(plan) : planSums(plan))}
${held_by === null ? null : html`<p class="notice">${held_by} is running. This action waits for a backfill, and fails while any other command runs.</p>`}
${confirm(action, units, session.csrf)}
<h2>Units</h2>
${drawBlocks([isDrop ? dropTable(plan.units) : planTable(plan)])}
${units > plan.units.length ? html`<p class="facts">The first ${countText(plan.units.length)} of ${countText(units)} units.</p>` : null}`,
    };
  },
});

function dropSums({ totals }: ActionPlan): readonly Block[] {
  return [
    line(`Rows: ${countText(totals.rows)}`),
    line('The models are built again and published. No run loads these units again until you request them.'),
  ];
}

/** Returns the form that starts it. A drop requires typing the name, so that one click drops nothing. */
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
