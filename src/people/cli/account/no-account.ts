import { totalsOf } from '../../../project/model/runs/plan-report.ts';
import { isCrawlFolder, type Settings } from '../../../project/settings/settings.ts';
import type { Invocation } from '../command.ts';

/**
 * Whether a folder only crawls websites, so that there is no service to ask; says so. A folder with neither an account
 * nor crawls does not count: its account may have got lost.
 */
export function saysNoAccount({ say }: Invocation, settings: Settings): boolean {
  if (!isCrawlFolder(settings)) return false;
  say(
    'No account, so nothing is due. This folder crawls websites, which loads them too:\n  crawlhouse crawl URL\n',
  );
  return true;
}

/** The document of a run, or of its plan, in a folder where nothing is due. */
export async function printNothingDue(invocation: Invocation, settings: Settings): Promise<number> {
  if (!invocation.has('json')) return 0;
  if (invocation.has('plan')) await invocation.printJson({ units: [], totals: totalsOf([], settings) });
  else {
    const now = new Date().toISOString();
    const head = { run_id: null, status: 'done', started_at: now, ended_at: now };
    await invocation.printJson({ ...head, units: [], models: [], tests: [], error: null });
  }
  return 0;
}
