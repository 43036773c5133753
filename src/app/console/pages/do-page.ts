import { z } from 'zod';
import { counted } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { loadPipelines } from '../../../etl/project/settings/pipelines.ts';
import { table } from '../../answers/presentation/html-table.ts';
import { readKnownUnits } from '../../operations/status/remembered.ts';
import { Action } from '../actions/action.ts';
import { unitLink } from '../layout/addresses.ts';
import { planButton, retryOf } from '../page-parts/acting.ts';
import { page } from '../page-parts/console-page.ts';
import { AuditLine, auditLine, auditTable } from './audit-page.ts';

const MOST_UNITS = 50;
const MOST_ACTIONS = 10;

const Do = z.strictObject({
  datasets: z.array(z.string()),
  /** The first units whose last attempt failed, each with the action that retries it. */
  failing: z.array(z.strictObject({ unit: z.string(), error: z.string().nullable(), retry: Action })),
  failing_units: z.number(),
  actions: z.array(AuditLine),
});

export const DO = page<Typed<typeof Do>>({
  path: '/do',
  summary: 'The commands that operators can start: a run, a backfill, a retry, a drop.',
  schema: Do,
  async read(request, readers) {
    const pipelines = await loadPipelines(readers.settings.projectDir);
    const units = await readKnownUnits(readers.settings);
    const failing = units.filter(({ status }) => status === 'failed' || status === 'refused');
    return {
      datasets: pipelines.map(({ dataset }) => dataset),
      failing: failing
        .slice(0, MOST_UNITS)
        .map((unit) => ({ unit: unit.unit, error: unit.error?.message ?? null, retry: retryOf(unit) })),
      failing_units: failing.length,
      actions: request.actions.audit.list(MOST_ACTIONS).map((entry) => auditLine(entry, request.actions)),
    };
  },
  draw({ datasets, failing, failing_units, actions }) {
    return {
      title: 'Do',
      body: html`<h1>Do</h1>
<p class="facts">Each command first shows its plan and its cost. It starts once you confirm it.
<a href="/schedules">Schedules</a> start commands at their times.
<a href="/uploads">Uploads</a> adds access logs and search exports.</p>
<div class="pair">${runForm(datasets)}${backfillForm(datasets)}</div>
<h2>Retry a unit</h2>
${table(
  'Failing units',
  [
    { name: 'unit', cell: ({ unit }) => unitLink(unit) },
    { name: 'action', cell: ({ retry }) => planButton(retry, 'Retry') },
    { name: 'error', cell: ({ error }) => error },
  ],
  failing,
  'No unit is failing.',
)}
${failing_units > failing.length ? html`<p class="facts">The first ${failing.length} of ${counted(failing_units, 'unit')}. A run tries all of them.</p>` : null}
${dropForm()}
<h2>Last actions</h2>
${auditTable(actions)}
<p><a href="/audit">All actions</a> · <a href="/links">Links for spreadsheets</a></p>`,
    };
  },
});

function runForm(datasets: readonly string[]): Html {
  return html`<section aria-labelledby="run"><h2 id="run">Run now</h2>
<p>Loads all due units and publishes them.</p>
<form method="get" action="/do/plan"><input type="hidden" name="action" value="run">
${chosen('run', datasets)}
<p><button type="submit">Show the plan</button></p></form></section>
`;
}

function backfillForm(datasets: readonly string[]): Html {
  return html`<section aria-labelledby="backfill"><h2 id="backfill">Backfill</h2>
<p>Loads the crawls that ended between two days (UTC), once.</p>
<form method="get" action="/do/plan"><input type="hidden" name="action" value="backfill">
<p><label for="from">From</label> <input type="date" id="from" name="from" required>
<label for="to">to, not included</label> <input type="date" id="to" name="to" required></p>
${chosen('backfill', datasets)}
<p><input type="checkbox" id="reload" name="reload"> <label for="reload">load loaded units again</label></p>
<p><button type="submit">Show the plan</button></p></form></section>
`;
}

function chosen(form: string, datasets: readonly string[]): Html {
  const lines = (name: string, label: string): Html =>
    html`<p><label for="${form}-${name}">${label}</label><br>
<textarea id="${form}-${name}" name="${name}" rows="2" cols="34"></textarea></p>`;
  return html`${lines('project', 'Projects, one per line; none: all')}
${lines('crawl', 'Crawls by id, one per line; none: all')}
<details><summary>Datasets; none: all</summary>
<fieldset><legend>Datasets</legend>${datasets.map(
    (name) =>
      html`<div><input type="checkbox" id="${form}-${name}" name="pipeline" value="${name}"> <label for="${form}-${name}">${name}</label></div>`,
  )}</fieldset></details>`;
}

function dropForm(): Html {
  return html`<section aria-labelledby="drop"><h2 id="drop">Drop</h2>
<p>Removes the data of a crawl or a project from the warehouse. No run loads it again until you request it.</p>
<form class="filter" method="get" action="/do/plan"><input type="hidden" name="action" value="drop">
<label>what <select name="kind"><option value="crawl">crawl</option><option value="project">project</option></select></label>
<label>id, or the name of a project <input name="name" required autocomplete="off"></label>
<button type="submit">Show the plan</button></form></section>
`;
}
