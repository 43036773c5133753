import { existsSync } from 'node:fs';
import { workingFile } from '../../../engines/working-copy.ts';
import { runSession } from '../../../pipeline/session.ts';
import { totalsOf } from '../../../project/model/runs/plan-report.ts';
import { isCrawlFolder, type Settings } from '../../../project/settings/settings.ts';
import type { Invocation } from '../command.ts';
import { printDocument } from '../reports/documents.ts';
import { printRun } from '../reports/run-report.ts';

const NOTHING_DUE =
  'No account, so nothing is due. This folder crawls websites, which loads them too:\n  crawlhouse crawl URL';

/**
 * Whether a folder only crawls websites, so that there is no service to ask; says so. A folder with neither an account
 * nor crawls does not count: its account may have got lost.
 */
export function saysNoAccount({ say }: Invocation, settings: Settings): boolean {
  if (!isCrawlFolder(settings)) return false;
  say(`${NOTHING_DUE}\n`);
  return true;
}

/**
 * A run in a folder that only crawls websites. No service is asked, but models that are behind are built, and what a
 * killed process has left is published.
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

/** The document of a run, or of its plan, in a folder where nothing is due. */
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
