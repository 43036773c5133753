import { resolve } from 'node:path';
import { CrawlhouseError, toCrawlhouseError } from '../../core/errors.ts';
import type { Logger } from '../../core/logger.ts';
import { withLineage } from '../../operations/openlineage/with-lineage.ts';
import { type Firing, fire } from '../../operations/schedule/fire.ts';
import { recordFailedCrawl } from '../../operations/status/record-failed-crawl.ts';
import type { RunResult } from '../../project/model/run-result.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { LocalService } from './local-service.ts';
import { readReport, writeReport } from './write-report.ts';

/** Fires a schedule. In a folder without another service it loads from the local one; its crawl comes first. */
export async function fireSchedule(
  settings: Settings,
  firing: Firing,
  logger: Logger,
  signal: AbortSignal,
): Promise<RunResult> {
  const { crawl, allow_private: allowPrivate, report } = firing.schedule;
  const fired = async (own: Firing): Promise<RunResult> => {
    const result = await withLineage(settings, `schedule.${own.schedule.name}`, logger, signal, () =>
      fire(settings, own, logger, signal),
    );
    if (report !== undefined) await reportAfter(settings, report, logger, signal);
    return result;
  };
  if (settings.base_url !== undefined && crawl === undefined) return fired(firing);
  const load: Firing['load'] = async (run, own) => {
    await using service = await LocalService.start(settings, { allowPrivate, logger });
    if (crawl !== undefined)
      await service.crawlAgain(crawl, own).catch(async (error: unknown) => {
        if (error instanceof CrawlhouseError && !own.aborted)
          await recordFailedCrawl(settings, crawl, error, logger);
        throw error;
      });
    return await service.load(settings, (local, changed) => run(local, changed, own));
  };
  return fired({ ...firing, load });
}

/** A report that can't be written fails no run. */
async function reportAfter(
  settings: Settings,
  file: string,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  try {
    const projects = await readReport(settings, undefined, logger, signal);
    await writeReport(projects, resolve(settings.projectDir, file), settings);
  } catch (thrown) {
    logger.error('report not written', { file, error: toCrawlhouseError(thrown).message });
  }
}
