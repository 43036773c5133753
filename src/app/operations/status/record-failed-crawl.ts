import { randomUUID } from 'node:crypto';
import { type CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { lockState } from '../../../core/locks/state-lock.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { crawlCommand } from '../../../etl/project/model/crawl-name.ts';
import { summarizeRun } from '../../../etl/project/model/runs/run-summary.ts';
import { readPublished } from '../../../etl/state/catalog/published/read-published.ts';
import { projectNames } from '../../../etl/state/catalog/raw/raw-projects.ts';
import { openLedger } from '../../../etl/state/ledger/open-ledger.ts';
import type { MemoryPlace } from '../alert/alert-facts.ts';

/**
 * Records that a known website could not be crawled, so that its pages show this next to the earlier results. Stores
 * nothing for an unknown website.
 */
export async function recordFailedCrawl(
  settings: MemoryPlace,
  startUrl: string,
  error: CrawlhouseError,
  logger: Logger,
): Promise<void> {
  try {
    const command = crawlCommand(startUrl);
    const names = (await readPublished(settings, projectNames)) ?? new Map<string, string>();
    if (![...names.values()].some((name) => crawlCommand(name) === command)) return;
    const signal = new AbortController().signal;
    using _lock = lockState(settings.state_dir, command);
    await using ledger = await openLedger(settings, command, logger, signal);
    const at = new Date().toISOString();
    const runId = randomUUID();
    await ledger.startRun(runId, command, at);
    await ledger.endRun(runId, 'failed', at, summarizeRun([], [error]));
  } catch (thrown) {
    logger.error('failed crawl not recorded', { url: startUrl, error: toCrawlhouseError(thrown).message });
  }
}
