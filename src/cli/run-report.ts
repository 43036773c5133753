import type { Settings } from '../config/settings.ts';
import { bytesText } from '../core/amounts.ts';
import type { CrawlhouseError } from '../core/errors.ts';
import { textTable } from '../core/text-table.ts';
import { describeDrift, driftHint, type PipelineDrift } from '../model/pipeline-drift.ts';
import type { RunReport, UnitReport } from '../model/report.ts';
import type { RunResult } from '../model/run-result.ts';
import { readDrift } from '../pipeline/read-drift.ts';
import type { Invocation } from './command.ts';
import { describeFailedTests } from './failed-tests.ts';
import { printError } from './print-error.ts';

/** Prints what a run did: the reconciliation for people, or the document of interface.md. */
export async function printRun(
  invocation: Invocation,
  settings: Settings,
  result: RunResult,
): Promise<number> {
  const drift = await readDrift(settings);
  if (invocation.has('json')) await invocation.printJson({ ...result.report, drift });
  else invocation.say(describeRun(result.report) + describeDrifts(drift));
  return printErrors(invocation, result);
}

/** Each pipeline that has changed, with the command that loads its units again. */
export function describeDrifts(drifts: readonly PipelineDrift[]): string {
  return drifts.map((one) => `Changed: ${describeDrift(one)}\nTry: ${driftHint(one)}\n`).join('');
}

/** The errors, each once. */
export function printErrors(invocation: Invocation, result: RunResult): number {
  for (const error of distinct(result.errors)) printError(error, invocation.has('debug'));
  return result.exitCode;
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

/** The reconciliation table and one line for everything else. */
export function describeRun(report: RunReport): string {
  const touched = report.units.filter((unit) => unit.status !== 'unchanged');
  const built = report.models.filter((model) => model.status === 'built');
  const passed = report.tests.filter((test) => test.status === 'passed').length;
  if (touched.length === 0 && built.length === 0) {
    return report.status === 'done' ? 'Nothing new: every finished unit is in the warehouse.\n' : '';
  }
  return [
    touched.length === 0 ? '' : textTable(UNIT_COLUMNS, touched.map(unitRow)),
    `${touched.length} units, ${built.length} models built, ${passed} of ${report.tests.length} data tests passed: ${report.status}\n`,
    describeFailedTests(report.tests),
  ].join('');
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
