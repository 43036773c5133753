import { randomUUID } from 'node:crypto';
import { type CrawlhouseError, toCrawlhouseError } from '../../core/errors/errors.ts';
import { lockState } from '../../core/locks/state-lock.ts';
import type { Logger } from '../../core/logs/logger.ts';
import { crawlCommand } from '../../project/model/crawl-name.ts';
import { summarizeRun } from '../../project/model/runs/run-summary.ts';
import { readPublished } from '../../state/catalogue/published/read-published.ts';
import { projectNames } from '../../state/catalogue/raw/raw-projects.ts';
import { openLedger } from '../../state/ledger/open-ledger.ts';
import type { MemoryPlace } from '../alert/alert-facts.ts';

/**
 * Notes that a website that was crawled before could not be crawled, so that its pages say so beside the former answers.
 * Of an unknown website nothing is kept.
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
    logger.error('failed crawl not noted', { url: startUrl, error: toCrawlhouseError(thrown).message });
  }
}
