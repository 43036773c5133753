import { z } from 'zod';
import { runsChart } from '../../../answers/report/charts.ts';
import { bytesText, counted, countText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import type { Status } from '../../../operations/status/read-status.ts';
import { describeDrift, driftHint } from '../../../project/model/pipeline-drift.ts';
import type { LedgerUnit } from '../../../project/model/runs/ledger-records.ts';
import { crawlLink, projectLink, unitLink } from '../layout/addresses.ts';
import { incidentCard } from '../layout/incident-card.ts';
import { drawLiveRun, LiveState, liveState } from '../layout/live-run.ts';
import { RunLine, runLine, runsTable, secondsOf } from '../layout/run-lines.ts';
import { statusMark } from '../layout/status-mark.ts';
import { table } from '../layout/table.ts';
import { ageText, timeText } from '../layout/times.ts';
import { page } from './page.ts';

const MOST = 20;
const FAILING: readonly string[] = ['failed', 'refused'];
const UNDER_WAY: readonly string[] = ['discovered', 'requested', 'downloading', 'staged', 'loaded'];

const Operations = z.strictObject({
  live: LiveState.nullable(),
  incidents: z.array(
    z.strictObject({
      title: z.string(),
      began: z.string().nullable(),
      details: z.array(z.string()),
      hint: z.string().nullable(),
    }),
  ),
  drift: z.array(z.strictObject({ dataset: z.string(), text: z.string(), hint: z.string() })),
  /** The first of them. */
  failing: z.array(
    z.strictObject({
      unit: z.string(),
      status: z.string(),
      project_id: z.string().nullable(),
      project_name: z.string().nullable(),
      failures: z.number(),
      next_try_at: z.string().nullable(),
      cause: z.string().nullable(),
    }),
  ),
  units: z.strictObject({
    published: z.number(),
    due: z.number(),
    failing: z.number(),
    skipped: z.number(),
    dropped: z.number(),
  }),
  runs: z.array(RunLine),
  projects: z.strictObject({
    total: z.number(),
    /** Those whose last crawl is the oldest. */
    oldest: z.array(
      z.strictObject({
        project_id: z.string(),
        project_name: z.string().nullable(),
        crawl_id: z.string(),
        ended_at: z.string().nullable(),
        loaded_at: z.string(),
      }),
    ),
  }),
  schedules: z.array(z.strictObject({ name: z.string(), next_at: z.string().nullable() })),
  exports: z.array(
    z.strictObject({
      unit: z.string(),
      data_export_id: z.string().nullable(),
      status: z.string(),
      requested_at: z.string(),
    }),
  ),
  /** Bytes. */
  disk: z.strictObject({
    warehouse: z.number(),
    working_copy: z.number(),
    spare: z.number(),
    packages: z.number(),
    raw: z.number(),
    logs: z.number(),
    spill: z.number(),
    free: z.number().nullable(),
  }),
});
type Operations = z.infer<typeof Operations>;

export const OPERATIONS = page<Operations>({
  path: '/operations',
  summary: 'The machine: what is wrong now, runs, firings, units, data exports, disk use.',
  schema: Operations,
  async read(_request, desk) {
    return operationsOf(await desk.status(), await desk.firings());
  },
  draw: (operations) => ({ title: 'Operations', body: drawOperations(operations) }),
});

function operationsOf(status: Status, schedules: Operations['schedules']): Operations {
  const { incidents, units, runs, live, freshness, drift, exports, disk } = status;
  const names = new Map(freshness.map((one) => [one.project_id, one.project_name]));
  const failing = units.filter((one) => FAILING.includes(one.status));
  const count = (wanted: string): number => units.filter((one) => one.status === wanted).length;
  return {
    live: live && liveState(live),
    incidents: incidents.map(({ title, began, details, hint }) => ({
      title,
      began,
      details: [...details],
      hint,
    })),
    drift: drift.map((one) => ({ dataset: one.dataset, text: describeDrift(one), hint: driftHint(one) })),
    failing: failing.slice(0, MOST).map((one) => failingUnit(one, names)),
    units: {
      published: count('published'),
      due: units.filter((one) => UNDER_WAY.includes(one.status)).length,
      failing: failing.length,
      skipped: count('skipped'),
      dropped: count('dropped'),
    },
    runs: runs.map(runLine),
    projects: {
      total: freshness.length,
      oldest: freshness.slice(0, MOST).map(({ project_id, project_name, crawl_id, ended_at, loaded_at }) => ({
        project_id,
        project_name,
        crawl_id,
        ended_at,
        loaded_at,
      })),
    },
    schedules,
    exports: exports
      .filter((one) => one.status !== 'loaded')
      .slice(0, MOST)
      .map(({ unit, data_export_id, status: now, requested_at }) => ({
        unit,
        data_export_id,
        status: now,
        requested_at,
      })),
    disk,
  };
}

function failingUnit(
  { unit, status, source, failures, next_try_at, error }: LedgerUnit,
  names: ReadonlyMap<string, string | null>,
): Operations['failing'][number] {
  const { project_id } = source;
  return {
    unit,
    status,
    project_id,
    failures,
    next_try_at,
    project_name: (project_id && names.get(project_id)) || null,
    cause: error?.message ?? null,
  };
}

function drawOperations(operations: Operations): Html {
  const { live, projects } = operations;
  const isEmpty = projects.total === 0 && operations.runs.length === 0;
  return html`<h1>Operations</h1>
${wrongNow(operations)}
<div data-live>${live && drawLiveRun(live)}</div>
${isEmpty ? html`<p class="notice">Nothing has run yet. Run <code>crawlhouse run</code>, and reload this page.</p>` : null}
<div class="pair">
<section aria-labelledby="runs"><h2 id="runs">Last runs</h2>
${runsFigure(operations.runs)}</section>
<section aria-labelledby="firings"><h2 id="firings">Next firings</h2>
${table(
  'Next firings',
  [
    { name: 'schedule', cell: ({ name }) => name },
    { name: 'next (UTC)', cell: ({ next_at }) => (next_at === null ? 'never again' : timeText(next_at)) },
  ],
  operations.schedules,
  html`No schedule is set: <code>schedules.yaml</code> says what runs when.`,
)}
<h2>Disk</h2>${diskList(operations.disk)}</section>
</div>
<h2>Freshness</h2>
${freshnessTable(operations)}
${exportsSection(operations.exports)}
${unitsLine(operations.units)}
`;
}

function wrongNow({ incidents, drift, failing, units }: Operations): Html {
  const isWell = incidents.length === 0 && drift.length === 0 && failing.length === 0;
  if (isWell) return html`<p class="well">Nothing is wrong.</p>`;
  return html`${incidents.length === 0 ? html`<p class="well">No incident is open.</p>` : null}
${incidents.map(incidentCard)}
${drift.length === 0 ? null : html`<h2>${counted(drift.length, 'pipeline')} changed</h2>`}
${drift.map(({ text, hint }) => html`<p class="notice">${text}<br><strong>To do:</strong> <code>${hint}</code></p>\n`)}
${failing.length === 0 ? null : html`<h2>${counted(units.failing, 'unit')} ${units.failing === 1 ? 'fails' : 'fail'}</h2>${failingTable(failing)}`}
${units.failing > failing.length ? html`<p class="facts">and ${countText(units.failing - failing.length)} more: <code>crawlhouse status --json</code></p>` : null}`;
}

function failingTable(failing: Operations['failing']): Html {
  return table(
    'Units that fail',
    [
      { name: 'unit', cell: ({ unit }) => unitLink(unit) },
      { name: 'status', cell: ({ status }) => statusMark(status) },
      {
        name: 'project',
        cell: ({ project_id, project_name }) => project_id && projectLink(project_id, project_name),
      },
      { name: 'runs', isNumber: true, cell: ({ failures }) => countText(failures) },
      {
        name: 'next try (UTC)',
        cell: ({ next_try_at }) =>
          next_try_at === null || Date.parse(next_try_at) <= Date.now() ? 'next run' : timeText(next_try_at),
      },
      { name: 'cause', cell: ({ cause }) => cause },
    ],
    failing,
    '',
  );
}

function runsFigure(runs: Operations['runs']): Html {
  const bars = runs.map((run) => ({ ...run, seconds: secondsOf(run, Date.now()) }));
  const chart = runsChart('The last runs: when each began, and how long it took', bars);
  return html`${
    chart &&
    html`<figure>${chart}
<details><summary>The figures</summary>${runsTable(runs)}<p class="facts"><code>crawlhouse status</code></p></details></figure>`
  }
<p><a href="/runs">All runs</a></p>`;
}

function freshnessTable({ projects: { total, oldest } }: Operations): Html {
  return html`${table(
    'Freshness',
    [
      { name: 'project', cell: (one) => projectLink(one.project_id, one.project_name) },
      { name: 'last crawl ended (UTC)', cell: ({ ended_at }) => timeText(ended_at) },
      { name: 'age', isNumber: true, cell: ({ ended_at }) => ended_at && ageText(ended_at) },
      { name: 'loaded (UTC)', cell: ({ loaded_at }) => timeText(loaded_at) },
      { name: 'crawl', cell: (one) => crawlLink(one) },
    ],
    oldest,
    html`No crawl is published yet. Run <code>crawlhouse run</code>.`,
  )}
${total > oldest.length ? html`<p>The ${oldest.length} oldest of ${countText(total)}. <a href="/projects">All projects</a></p>` : null}`;
}

function exportsSection(exports: Operations['exports']): Html | null {
  if (exports.length === 0) return null;
  return html`<h2>Data exports under way</h2>
${table(
  'Data exports under way',
  [
    { name: 'unit', cell: ({ unit }) => unitLink(unit) },
    { name: 'export', cell: ({ data_export_id }) => data_export_id },
    { name: 'status', cell: ({ status }) => status },
    { name: 'requested (UTC)', cell: ({ requested_at }) => timeText(requested_at) },
  ],
  exports,
  '',
)}`;
}

function diskList(disk: Operations['disk']): Html {
  const lines = Object.entries(disk).map(
    ([name, bytes]) =>
      html`<dt>${name.replace('_', ' ')}</dt><dd>${bytes === null ? '–' : bytesText(bytes)}</dd>`,
  );
  return html`<dl>${lines}</dl>`;
}

function unitsLine({ published, due, failing, skipped, dropped }: Operations['units']): Html {
  const parts = Object.entries({ published, due, failing, skipped, dropped });
  return html`<p class="facts">Units: ${parts.map(([name, units]) => `${countText(units)} ${name}`).join(', ')}</p>`;
}
