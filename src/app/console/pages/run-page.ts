import { join } from 'node:path';
import { z } from 'zod';
import type { LogLevel } from '../../../core/logs/logger.ts';
import { readLog } from '../../../core/logs/read-log.ts';
import { redact } from '../../../core/secrets/redact.ts';
import { countText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import type { LedgerRun } from '../../../etl/project/model/runs/ledger-records.ts';
import { readLiveRun } from '../../../etl/state/ledger/live-run.ts';
import {
  FailingUnit,
  madeBlocks,
  NO_LOADS,
  pastRun,
  pastRunBlocks,
  readPublishedRun,
} from '../../operations/status/past-run-blocks.ts';
import { readKnownUnits, readLastRuns } from '../../operations/status/remembered.ts';
import { loadsTable } from '../../operations/status/run-blocks.ts';
import { RunLine } from '../../operations/status/run-line.ts';
import { drawBlocks } from '../layout/addresses.ts';
import { drawLiveRun, LiveState, liveState } from '../layout/draw-live-run.ts';
import { filterForm } from '../layout/filter-form.ts';
import { drawPaging, Paging, pagingOf } from '../layout/paging.ts';
import { Count, UnitCounts } from '../layout/unit-counts.ts';
import { NotFound, type PageRequest, page } from '../page-parts/console-page.ts';
import type { Readers } from '../readers/readers.ts';

const SIZE = 100;
const MOST_LINES = 500;
const LEVELS: readonly LogLevel[] = ['error', 'warn', 'info', 'debug'];

const Run = z.strictObject({
  ...RunLine.shape,
  live: LiveState.nullable(),
  /** The first error that belongs to no single unit. */
  failure: z.strictObject({ code: z.string(), message: z.string(), hint: z.string().nullable() }).nullable(),
  seconds: z.strictObject({ units: z.number(), after: z.number() }).nullable(),
  /** Units that it left failing, refused or skipped, if no later run has tried them. */
  failing: z.array(FailingUnit),
  /** Units that it loaded, if no later run has loaded them again. */
  loaded: z.array(
    z.strictObject({
      unit: z.string(),
      route: z.string().nullable(),
      format: z.string().nullable(),
      rows: Count.nullable(),
      ...UnitCounts.omit({ loaded: true }).shape,
      bytes: Count.nullable(),
      seconds: z.number().nullable(),
      attempts: Count.nullable(),
    }),
  ),
  paging: Paging,
  models: z.array(z.strictObject({ name: z.string(), kind: z.string(), rows: Count.nullable() })),
  tests: z.array(
    z.strictObject({
      model: z.string(),
      name: z.string(),
      severity: z.string(),
      status: z.string(),
      failures: Count,
    }),
  ),
  log: z.strictObject({
    /** The last lines. */
    lines: z.array(
      z.strictObject({ time: z.string(), level: z.string(), message: z.string(), fields: z.string() }),
    ),
    total: z.number(),
  }),
});
type Run = Typed<typeof Run>;

export const RUN = page<Run>({
  path: '/runs/:run_id',
  summary: 'One run: how it ended, its units, models, tests and log.',
  query: {
    level: 'The minimum level of log lines: error, warn, info (the default) or debug.',
    page: 'The page of units, from 1.',
  },
  schema: Run,
  async read(request, readers, signal) {
    const wanted = request.path.run_id ?? '';
    const runs = await readLastRuns(readers.settings);
    const near = runs.filter(({ run_id }) => wanted.length >= 4 && run_id.startsWith(wanted));
    const run = runs.find(({ run_id }) => run_id === wanted) ?? (near.length === 1 ? near[0] : undefined);
    if (run === undefined) throw new NotFound(`There is no run ${wanted}. The page Runs lists them.`);
    return await readRun(run, request, readers, signal);
  },
  draw: (run, request) => ({ title: `Run ${run.run_id.slice(0, 8)}`, body: drawRun(run, request) }),
});

async function readRun(
  run: LedgerRun,
  { query }: PageRequest,
  readers: Readers,
  signal: AbortSignal,
): Promise<Run> {
  const live = readLiveRun(readers.settings.state_dir);
  const units = await readKnownUnits(readers.settings);
  let paging: Paging = { page: 1, pages: 1, total: 0 };
  const found = await readers.published((connection) =>
    readPublishedRun(connection, run.run_id, (total) => {
      const { from, ...own } = pagingOf(query.get('page'), total, SIZE);
      paging = own;
      return { limit: SIZE, offset: from };
    }),
  );
  return {
    ...pastRun(run, units, found),
    live: live?.run_id === run.run_id ? liveState(live) : null,
    loaded: (found?.loads ?? []).map(
      ({ unit, route, format, loaded, reported, received, staged, rejected, queryable, ...one }) => ({
        unit,
        route,
        format,
        reported,
        received,
        staged,
        rejected,
        queryable,
        rows: loaded,
        bytes: one.bytes,
        seconds: one.seconds,
        attempts: one.attempts,
      }),
    ),
    paging,
    log: await logOf(run, query.get('level'), readers, signal),
  };
}

async function logOf(
  run: LedgerRun,
  level: string | null,
  { settings }: Readers,
  signal: AbortSignal,
): Promise<Run['log']> {
  const least = LEVELS.indexOf(level as LogLevel);
  const log = await readLog(
    join(settings.state_dir, 'logs'),
    {
      run: run.run_id.slice(0, 8),
      from: run.started_at,
      // The last lines arrive just after the end.
      to: new Date(Date.parse(run.ended_at ?? run.started_at) + 1000).toISOString(),
      levels: LEVELS.slice(0, (least < 0 ? LEVELS.indexOf('info') : least) + 1),
      most: MOST_LINES,
    },
    signal,
  );
  return {
    lines: log.lines.map(({ fields, ...line }) => ({ ...line, fields: redact(fieldsText(fields)) })),
    total: log.total,
  };
}

function fieldsText(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : stringifyJson(value)}`)
    .join(' ');
}

function drawRun(run: Run, { query }: PageRequest): Html {
  const path = `/runs/${encodeURIComponent(run.run_id)}`;
  const loads = run.loaded.map((one) => ({ ...one, loaded: one.rows, status: 'loaded' }));
  return html`<h1>Run ${run.run_id.slice(0, 8)}</h1>
<div data-live="${run.run_id}">${run.live && drawLiveRun(run.live)}</div>
${drawBlocks(pastRunBlocks(run))}
<h2>Units that it loaded</h2>
${drawBlocks([loadsTable(loads, NO_LOADS)])}
${drawPaging(run.paging, { path, query })}
${drawBlocks(madeBlocks(run))}
<h2 id="log">Log</h2>
${filterForm(path, query, [{ name: 'level', label: 'minimum level', options: LEVELS.filter((level) => level !== 'info'), any: 'info' }])}
${drawLog(run.log)}`;
}

function drawLog({ lines, total }: Run['log']): Html {
  if (lines.length === 0)
    return html`<p class="empty">No log lines. crawlhouse removes old logs; every line is in <code>.crawlhouse/logs</code>.</p>`;
  return html`${total > lines.length ? html`<p class="facts">The last ${countText(lines.length)} of ${countText(total)} lines.</p>` : null}
<pre class="log" tabindex="0" role="region" aria-label="Log">${lines.map(
    ({ time, level, message, fields }) =>
      html`<span class="${level === 'error' ? 'bad' : level === 'warn' ? 'warn' : 'plain'}">${time.slice(11, 23)} ${level.padEnd(5)} ${message} <span class="fields">${fields}</span></span>\n`,
  )}</pre>`;
}
