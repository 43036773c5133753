import { existsSync } from 'node:fs';
import type { CrawlhouseError } from '../../../core/errors/errors.ts';
import { bytesText, counted, countText, durationText } from '../../../core/text/amounts.ts';
import { fittedRows, textTable } from '../../../core/text/text-table.ts';
import { engineKind } from '../../../engines/registry.ts';
import { readDrift } from '../../../operations/status/read-status.ts';
import { describeDrift, driftHint, type PipelineDrift } from '../../../project/model/pipeline-drift.ts';
import type { RunReport, UnitReport } from '../../../project/model/runs/report.ts';
import type { RunResult } from '../../../project/model/runs/run-result.ts';
import { runSeconds } from '../../../project/model/runs/run-summary.ts';
import type { Settings } from '../../../project/settings/settings.ts';
import { readPublished } from '../../../state/catalogue/published/read-published.ts';
import { projectNames } from '../../../state/catalogue/raw/raw-projects.ts';
import type { Invocation } from '../command.ts';
import { failureOf, printError } from '../print-error.ts';
import { describeFailedTests } from './failed-tests.ts';

/** Errors of one code that are printed in full; `status` has them all. */
const ERRORS_SHOWN = 3;

/** The message of a complete run that changed nothing. */
const NOTHING_NEW = 'Nothing new: every finished unit is in the warehouse.';

/**
 * Prints what a run did: its end for people, or the document of interface.md. `idle` is said where it has changed nothing,
 * `next` is the command after a run without errors.
 */
export async function printRun(
  invocation: Invocation,
  settings: Settings,
  result: RunResult,
  { idle, next = 'query --question' }: { readonly idle?: string | undefined; readonly next?: string } = {},
): Promise<number> {
  const drift = await readDrift(settings);
  if (invocation.has('json')) {
    await invocation.printJson({ ...result.report, drift, error: failureOf(result.errors, result.exitCode) });
    return printErrors(invocation, result);
  }
  invocation.say(await runSummary(invocation, settings, result.report, idle));
  printErrors(invocation, result);
  invocation.say(describeDrifts(drift));
  if (!isIdle(result.report)) {
    if (existsSync(settings.warehouse))
      invocation.say(`Warehouse: ${engineKind(settings.engine).describe(settings).shown}\n`);
    // Changed parts have their own lines.
    if (drift.length === 0) invocation.say(`Next: crawlhouse ${nextCommand(result.exitCode, next)}\n`);
  }
  return result.exitCode;
}

/** The units by project and what they come to; with `--verbose` also a line a unit. */
export async function runSummary(
  invocation: Invocation,
  settings: Settings,
  report: RunReport,
  idle: string = NOTHING_NEW,
): Promise<string> {
  if (isIdle(report)) return report.status === 'done' ? `${idle}\n` : '';
  const names = (await readPublished(settings, projectNames)) ?? new Map<string, string>();
  return describeRun(report, names, invocation.has('verbose'), invocation.terminal?.width);
}

/** Each pipeline that has changed, with the command that loads its units again. */
export function describeDrifts(drifts: readonly PipelineDrift[]): string {
  return drifts.map((one) => `Changed: ${describeDrift(one)}\nTry: ${driftHint(one)}\n`).join('');
}

/** The errors, each once, and of one code no more than the first few. */
export function printErrors(invocation: Invocation, { errors, exitCode, report }: RunResult): number {
  const most = invocation.has('verbose') || invocation.has('debug') ? Number.POSITIVE_INFINITY : ERRORS_SHOWN;
  for (const [code, all] of Map.groupBy(gravestFirst(distinct(errors), report), (error) => error.code)) {
    for (const error of all.slice(0, most)) printError(error, invocation.has('debug'));
    if (all.length > most)
      invocation.say(`and ${counted(all.length - most, 'more error')} ${code}: crawlhouse status\n`);
  }
  return exitCode;
}

/** Errors of the run as a whole: units may have come, and are not published. */
function gravestFirst(errors: readonly CrawlhouseError[], { units }: RunReport): CrawlhouseError[] {
  const ofUnits = new Set(units.map(({ error }) => error?.message));
  return errors.toSorted((a, b) => Number(ofUnits.has(a.message)) - Number(ofUnits.has(b.message)));
}

const UNIT_COLUMNS = [
  'unit',
  'status',
  'reported',
  'received',
  'staged',
  'rejected',
  'loaded',
  'queryable',
  'bytes',
  'seconds',
];

/** A line a project, with the total where there are several, and one line for everything else. */
export function describeRun(
  report: RunReport,
  names: ReadonlyMap<string, string>,
  isVerbose: boolean,
  width: number | null = null,
): string {
  const touched = touchedUnits(report);
  const built = report.models.filter((model) => model.status === 'built');
  const passed = report.tests.filter((test) => test.status === 'passed').length;
  return [
    isVerbose && touched.length > 0 ? `${textTable(UNIT_COLUMNS, touched.map(unitRow))}\n` : '',
    touched.length === 0 ? '' : projectTable(report, touched, names, width),
    `${counted(touched.length, 'unit')}, ${counted(built.length, 'model')} built, ${passed} of ${counted(report.tests.length, 'data test')} passed: ${report.status} after ${durationText(runSeconds(report))}\n`,
    describeFailedTests(report.tests),
  ].join('');
}

function isIdle(report: RunReport): boolean {
  return touchedUnits(report).length === 0 && report.models.every((model) => model.status !== 'built');
}

function touchedUnits({ units }: RunReport): readonly UnitReport[] {
  return units.filter((unit) => unit.status !== 'unchanged');
}

function projectTable(
  report: RunReport,
  units: readonly UnitReport[],
  names: ReadonlyMap<string, string>,
  width: number | null,
): string {
  const projects = [...Map.groupBy(units, ({ source }) => source.project_id)];
  const lines = projects.map(([id, own]) => {
    const name = id === null ? 'lists of workspaces' : (names.get(id) ?? id);
    return projectLine(
      name,
      own,
      sum(own, ({ seconds }) => seconds),
    );
  });
  const table = [
    ['project', 'units', 'rows', 'bytes', 'time'],
    ...lines.sort(([a = ''], [b = '']) => a.localeCompare(b)),
    ...(lines.length > 1 ? [projectLine('all', units, runSeconds(report))] : []),
  ];
  const isRight = [false, false, true, true, true];
  return fittedRows(table, isRight, { width, below: ['units'] })
    .flat()
    .map((line) => `${line}\n`)
    .join('');
}

/** @param seconds of the units together; of the whole run in its last line, as several go at once */
function projectLine(name: string, units: readonly UnitReport[], seconds: number): readonly string[] {
  const statuses = [...Map.groupBy(units, ({ status }) => status)];
  return [
    name,
    statuses.map(([status, own]) => `${countText(own.length)} ${status}`).join(', '),
    countText(sum(units, (one) => (one.status === 'loaded' ? (one.counts.loaded ?? 0) : 0))),
    bytesText(sum(units, ({ bytes }) => bytes ?? 0)),
    durationText(seconds),
  ];
}

function sum(units: readonly UnitReport[], of: (unit: UnitReport) => number): number {
  return units.reduce((all, unit) => all + of(unit), 0);
}

function nextCommand(exitCode: number, next: string): string {
  if (exitCode === 0) return next;
  return [1, 2, 5].includes(exitCode) ? 'doctor' : 'status';
}

function unitRow({ unit, status, counts, bytes, seconds }: UnitReport): (string | number | null)[] {
  return [
    unit,
    status,
    counts.reported,
    counts.received,
    counts.staged,
    counts.rejected,
    counts.loaded,
    counts.queryable,
    bytes === null ? null : bytesText(bytes),
    seconds,
  ];
}

function distinct(errors: readonly CrawlhouseError[]): CrawlhouseError[] {
  return errors.filter(
    (error, index) => errors.findIndex((other) => other.message === error.message) === index,
  );
}
