import { existsSync } from 'node:fs';
import type { CrawlhouseError } from '../../../core/errors/errors.ts';
import { counted } from '../../../core/text/amounts.ts';
import { engineKind } from '../../../etl/engines/registry.ts';
import type { RunResult } from '../../../etl/project/model/runs/run-result.ts';
import type { RunReport } from '../../../etl/project/model/runs/unit-report.ts';
import type { Settings } from '../../../etl/project/settings/settings.ts';
import { readDrift } from '../../../etl/state/catalog/pipeline-drift.ts';
import { readPublished } from '../../../etl/state/catalog/published/read-published.ts';
import { projectNames } from '../../../etl/state/catalog/raw/raw-projects.ts';
import { printBlocks } from '../../answers/presentation/print-blocks.ts';
import { driftBlocks, isIdle, reportBlocks } from '../../operations/status/run-blocks.ts';
import type { Invocation } from '../command.ts';
import { failureOf, printError } from '../print-error.ts';
import { printDocument } from './documents.ts';

/** Errors of one code to print in full; `status` shows all. */
const ERRORS_SHOWN = 3;

const NOTHING_NEW = 'Nothing new: every finished unit is in the warehouse.';

/**
 * Prints the outcome of a run: a summary for people, or the document of interface.md. `idle` is printed if nothing
 * changed; `next` is the command after a run without errors.
 */
export async function printRun(
  invocation: Invocation,
  settings: Settings,
  result: RunResult,
  { idle, next = 'query --question' }: { readonly idle?: string | undefined; readonly next?: string } = {},
): Promise<number> {
  const drift = await readDrift(settings);
  if (invocation.has('json')) {
    const error = failureOf(result.errors, result.exitCode);
    await printDocument(invocation, 'run', { ...result.report, drift, error });
    return printErrors(invocation, result);
  }
  invocation.say(await runSummary(invocation, settings, result.report, idle));
  printErrors(invocation, result);
  invocation.say(printBlocks(driftBlocks(drift)));
  if (!isIdle(result.report)) {
    if (existsSync(settings.warehouse))
      invocation.say(`Warehouse: ${engineKind(settings.engine).describe(settings).shown}\n`);
    // Changed parts have their own lines.
    if (drift.length === 0) invocation.say(`Next: crawlhouse ${nextCommand(result.exitCode, next)}\n`);
  }
  return result.exitCode;
}

/** Returns the units by project with totals; with `--verbose` also a line per unit. */
export async function runSummary(
  invocation: Invocation,
  settings: Settings,
  report: RunReport,
  idle: string = NOTHING_NEW,
): Promise<string> {
  if (isIdle(report)) return report.status === 'done' ? `${idle}\n` : '';
  const names = (await readPublished(settings, projectNames)) ?? new Map<string, string>();
  const blocks = reportBlocks(report, names, invocation.has('verbose'));
  return printBlocks(blocks, { width: invocation.terminal?.width });
}

/** Prints each distinct error, and at most the first few of one code. */
export function printErrors(invocation: Invocation, { errors, exitCode, report }: RunResult): number {
  const most = invocation.has('verbose') || invocation.has('debug') ? Number.POSITIVE_INFINITY : ERRORS_SHOWN;
  for (const [code, all] of Map.groupBy(gravestFirst(distinct(errors), report), (error) => error.code)) {
    for (const error of all.slice(0, most)) printError(error, invocation.has('debug'));
    if (all.length > most)
      invocation.say(`and ${counted(all.length - most, 'more error')} ${code}: crawlhouse status\n`);
  }
  return exitCode;
}

/**
 * Sorts errors by severity. Errors of the whole run come first, because its units may be loaded but are not published.
 */
function gravestFirst(errors: readonly CrawlhouseError[], { units }: RunReport): CrawlhouseError[] {
  const ofUnits = new Set(units.map(({ error }) => error?.message));
  return errors.toSorted((a, b) => Number(ofUnits.has(a.message)) - Number(ofUnits.has(b.message)));
}

function nextCommand(exitCode: number, next: string): string {
  if (exitCode === 0) return next;
  return [1, 2, 5].includes(exitCode) ? 'doctor' : 'status';
}

function distinct(errors: readonly CrawlhouseError[]): CrawlhouseError[] {
  return errors.filter(
    (error, index) => errors.findIndex((other) => other.message === error.message) === index,
  );
}
