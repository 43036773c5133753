import { existsSync } from 'node:fs';
import { workingFile } from '../../../etl/engines/working-copy.ts';
import { runSession } from '../../../etl/pipeline/session.ts';
import { totalsOf } from '../../../etl/project/model/runs/plan-report.ts';
import { isCrawlFolder, type Settings } from '../../../etl/project/settings/settings.ts';
import type { Invocation } from '../command.ts';
import { printDocument } from '../reports/documents.ts';
import { printRun } from '../reports/run-report.ts';

const NOTHING_DUE =
  'No account, so nothing is due. In this folder you crawl websites, and a crawl is loaded when it ends:\n  crawlhouse crawl URL';

/**
 * Returns whether a folder only crawls websites and needs no account, and prints a message if so. A folder with neither
 * an account nor crawls does not count, because its account may have been lost.
 */
export function saysNoAccount({ say }: Invocation, settings: Settings): boolean {
  if (!isCrawlFolder(settings)) return false;
  say(`${NOTHING_DUE}\n`);
  return true;
}

/**
 * Executes a run in a folder that only crawls websites. Sends no requests, but builds outdated models and publishes
 * units that a killed process left unpublished.
 */
export async function runWithoutAccount(
  invocation: Invocation,
  settings: Settings,
  command: string,
): Promise<number> {
  if (invocation.has('plan') || !existsSync(workingFile(settings.state_dir))) {
    saysNoAccount(invocation, settings);
    return await printNothingDue(invocation, settings);
  }
  const { logger, signal, progress } = invocation;
  const work = async () => ({ units: [], errors: [] });
  const result = await runSession({ command, settings, logger, signal, progress }, work);
  return await printRun(invocation, settings, result, { idle: NOTHING_DUE });
}

/** Prints the document of a run, or of its plan, in a folder without due units. */
async function printNothingDue(invocation: Invocation, settings: Settings): Promise<number> {
  if (!invocation.has('json')) return 0;
  if (invocation.has('plan'))
    await printDocument(invocation, 'plan', { units: [], totals: totalsOf([], settings) });
  else {
    const now = new Date().toISOString();
    const head = { run_id: null, status: 'done' as const, started_at: now, ended_at: now };
    await printDocument(invocation, 'run', { ...head, units: [], models: [], tests: [], error: null });
  }
  return 0;
}
