import { describeProgress } from '../../../core/progress/meter.ts';
import { bytesText, counted, countText, durationText } from '../../../core/text/amounts.ts';
import { type Fit, tableRows, textTable } from '../../../core/text/text-table.ts';
import { visibleLine } from '../../../core/text/visible.ts';
import type { Incident } from '../../../operations/alert/incident.ts';
import type { Status } from '../../../operations/status/read-status.ts';
import { describeDrift, driftHint } from '../../../project/model/pipeline-drift.ts';
import type { LedgerRun, LedgerUnit } from '../../../project/model/runs/ledger-records.ts';
import { runSeconds } from '../../../project/model/runs/run-summary.ts';
import type { LiveRun } from '../../../state/ledger/live-run.ts';

const RUNS_SHOWN = 10;
const UNITS_SHOWN = 20;
const DETAILS_SHOWN = 2;
const FAILING: readonly string[] = ['failed', 'refused'];
const UNDER_WAY: readonly string[] = ['discovered', 'requested', 'downloading', 'staged', 'loaded'];

interface DueSchedule {
  readonly name: string;
  readonly next_at: string | null;
}

/** One screen for a person who comes back: what ran, what is wrong, what is due, how fresh, how large. */
export function describeStatus(
  status: Status,
  schedules: readonly DueSchedule[],
  now: number,
  width: number | null = null,
): string {
  const { incidents, units, runs, live, claims, exports, freshness, drift } = status;
  const wrong = units.filter((one) => FAILING.includes(one.status));
  const waiting = exports.filter((one) => one.status !== 'loaded');
  const parts = [
    incidents.length === 0
      ? 'Nothing is wrong.\n'
      : section(`Incidents: ${incidents.length}`, incidents.map(describeIncident).join('')),
    drift.length === 0
      ? ''
      : section(
          `Pipelines that have changed: ${drift.length}`,
          drift.map((one) => `${describeDrift(one)}\n  to do: ${driftHint(one)}\n`).join(''),
        ),
    wrong.length === 0
      ? ''
      : section(
          `Units that fail: ${wrong.length}`,
          failingTable(wrong.slice(0, UNITS_SHOWN), namesOf(freshness), now),
          wrong.length,
        ),
    live === null
      ? ''
      : section(`Run under way: ${live.run_id.slice(0, 8)} (${live.command})`, `${describeLive(live)}\n`),
    claims.length === 0
      ? ''
      : section(`Units at work: ${claims.length}`, claimsTable(claims, width), claims.length),
    section(
      `Runs (the last ${Math.min(RUNS_SHOWN, runs.length)})`,
      runsTable(runs.slice(0, RUNS_SHOWN), within(width, 'units')),
    ),
    section('Projects', projectsTable(freshness, now, width)),
    waiting.length === 0 ? '' : section('Data exports under way', exportsTable(waiting, width)),
    ...describeTotals(status, schedules),
  ];
  return parts
    .filter((part) => part !== '')
    .join('\n')
    .replaceAll(/\n\n(?=Crawls:|Schedule |Disk:)/g, '\n');
}

/** A section is indented. */
function within(width: number | null, ...below: string[]): Fit {
  return { width: width === null ? null : width - 2, below };
}

function claimsTable(claims: Status['claims'], width: number | null): string {
  const rows = claims.slice(0, UNITS_SHOWN).map((one) => {
    const received = countText(one.received);
    return [
      ...[one.unit, one.worker, minute(one.claimed_at), one.phase],
      one.reported === null ? received : `${received} of ${countText(one.reported)}`,
    ];
  });
  return textTable(['unit', 'process', 'since (UTC)', 'phase', 'rows'], rows, within(width, 'process'));
}

function projectsTable(freshness: Status['freshness'], now: number, width: number | null): string {
  const rows = freshness.map((one) => [
    one.project_name ?? one.project_id,
    minute(one.ended_at),
    one.ended_at === null ? null : age((now - Date.parse(one.ended_at)) / 1000),
    minute(one.loaded_at),
    one.crawl_id,
  ]);
  const names = ['project', 'ended (UTC)', 'age', 'loaded (UTC)', 'last crawl'];
  return textTable(names, rows, within(width, 'last crawl'));
}

function exportsTable(exports: Status['exports'], width: number | null): string {
  const rows = exports.map((one) => [one.unit, one.data_export_id, one.status, minute(one.requested_at)]);
  return textTable(['unit', 'export', 'status', 'requested (UTC)'], rows, within(width, 'export'));
}

/** A line each: units, crawls, schedules, disk. */
function describeTotals({ units, discovery, disk }: Status, schedules: readonly DueSchedule[]): string[] {
  const count = (...statuses: readonly string[]): number =>
    units.filter((one) => statuses.includes(one.status)).length;
  const sweptAt = discovery.swept_at;
  const swept = sweptAt ? `, lists read to their end at ${minute(sweptAt)} UTC` : '';
  const sizes = [
    ['warehouse', disk.warehouse],
    ['working copy', disk.working_copy],
    ['spare', disk.spare],
    ['packages', disk.packages],
    ['raw', disk.raw],
    ['logs', disk.logs],
    ['spill', disk.spill],
  ] as const;
  return [
    `Units: ${count('published')} published, ${count(...UNDER_WAY)} due, ${count(...FAILING)} failing, ${count('skipped')} skipped, ${count('dropped')} dropped\n`,
    `Crawls: ${discovery.open.length} open${swept}\n`,
    ...schedules.map(
      ({ name, next_at }) =>
        `Schedule ${name}: ${next_at ? `next at ${minute(next_at)} UTC` : 'never again'}\n`,
    ),
    `Disk: ${sizes.map(([name, bytes]) => `${name} ${bytesText(bytes)}`).join(', ')}; free ${disk.free === null ? 'unknown' : bytesText(disk.free)}\n`,
  ];
}

function describeLive({ progress }: LiveRun): string {
  return progress === null ? 'it has not begun with its units' : describeProgress(progress);
}

/** The units and runs with the given name. */
export type FoundUnits = Pick<Status, 'units' | 'runs'>;

/**
 * A run by the first characters of its id, units by a part of their name or by their project.
 *
 * @param projects ids of the projects with that name
 */
export function findInStatus(
  wanted: string,
  projects: readonly string[],
  { units, runs }: FoundUnits,
): FoundUnits {
  return {
    runs: runs.filter((run) => wanted.length >= 4 && run.run_id.startsWith(wanted)),
    units: units.filter(
      ({ unit, source: { project_id: id } }) =>
        unit.includes(wanted) || id === wanted || (id !== null && projects.includes(id)),
    ),
  };
}

/** The findings as tables. */
export function describeFound({ units, runs }: FoundUnits, now: number, width: number | null = null): string {
  if (units.length === 0 && runs.length === 0) return 'No units yet.\n';
  return [
    runs.length === 0 ? '' : runsTable(runs, { width, below: ['units'] }),
    units.length === 0
      ? ''
      : withCauses(
          ['unit', 'status', 'attempts', 'updated (UTC)', 'next try (UTC)'],
          units.map((one) => [one.unit, one.status, one.attempts, minute(one.updated_at), nextTry(one, now)]),
          units.map(({ error }) => error?.message ?? null),
          { width, below: ['next try (UTC)'] },
        ),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** Is this line of a status one that a person has to see first? */
export function isAlarm(line: string): boolean {
  return /^ {2}since |^ {2}\S.* (failed|refused|partial|killed)( {2}|$)/.test(line);
}

/** What, since when, why, and what to do about it. */
function describeIncident({ title, began, details, hint }: Incident): string {
  const more = details.length > DETAILS_SHOWN ? [`and ${details.length - DETAILS_SHOWN} more`] : [];
  const why = [...details.slice(0, DETAILS_SHOWN), ...more];
  return [
    `since ${began === null ? 'an unknown time' : `${minute(began)} UTC`}  ${title}`,
    ...why.map((line) => `  ${line}`),
    ...(hint === null ? [] : [`  to do: ${hint}`]),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function runsTable(runs: readonly LedgerRun[], fit: Fit): string {
  return withCauses(
    ['run', 'started (UTC)', 'took', 'command', 'status', 'rows', 'units'],
    runs.map((run) => [
      run.run_id.slice(0, 8),
      minute(run.started_at),
      run.ended_at === null ? null : durationText(runSeconds({ ...run, ended_at: run.ended_at })),
      run.command,
      run.status,
      run.summary ? countText(run.summary.rows) : null,
      Object.entries(run.summary?.units ?? {})
        .map(([status, units]) => `${units} ${status}`)
        .join(', ') || null,
    ]),
    runs.map(({ summary }) =>
      summary?.error
        ? summary.error + (summary.errors > 1 ? ` (and ${counted(summary.errors - 1, 'more error')})` : '')
        : null,
    ),
    fit,
  );
}

/** Names of projects by id. */
function namesOf(freshness: Status['freshness']): ReadonlyMap<string, string> {
  return new Map(
    freshness.flatMap(({ project_id, project_name }) =>
      project_name === null ? [] : [[project_id, project_name] as const],
    ),
  );
}

function failingTable(units: readonly LedgerUnit[], names: ReadonlyMap<string, string>, now: number): string {
  return withCauses(
    ['unit', 'status', 'runs', 'next try (UTC)'],
    units.map((one) => [one.unit, one.status, one.failures, nextTry(one, now)]),
    units.map(({ error, source: { project_id: id }, updated_at }) => {
      const whose = id === null ? '' : ` of ${names.get(id) ?? id}`;
      return `${error?.message ?? 'no reason is known'} (last try${whose}: ${minute(updated_at)} UTC)`;
    }),
  );
}

/** A table whose rows are followed by their causes: these may be long, and none is cut off. */
function withCauses(
  names: readonly string[],
  rows: Parameters<typeof textTable>[1],
  causes: readonly (string | null)[],
  fit?: Fit,
): string {
  const [head = [], ...all] = tableRows(names, rows, fit);
  const lines = all.flatMap((own, index) => {
    const cause = causes[index];
    return cause == null ? own : [...own, `    ${visibleLine(cause)}`];
  });
  return [...head, ...lines].map((line) => `${line}\n`).join('');
}

function nextTry({ status, next_try_at }: LedgerUnit, now: number): string | null {
  if (!FAILING.includes(status)) return null;
  return next_try_at === null || Date.parse(next_try_at) <= now ? 'next run' : minute(next_try_at);
}

/** Hours say little of what is older than two days. */
function age(seconds: number): string {
  return seconds < 2 * 86_400 ? durationText(seconds) : `${Math.floor(seconds / 86_400)} days`;
}

function section(title: string, table: string, all = 0): string {
  const more = all > UNITS_SHOWN ? `  and ${all - UNITS_SHOWN} more: crawlhouse status --json\n` : '';
  return `${title}\n${table.replaceAll(/^(?=.)/gm, '  ')}${more}`;
}

/** `2026-11-21 06:00`, UTC. */
function minute(time: string | null): string | null {
  return time === null ? null : time.slice(0, 16).replace('T', ' ');
}
