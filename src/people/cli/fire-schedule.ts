import { resolve } from 'node:path';
import { CrawlhouseError, toCrawlhouseError } from '../../core/errors/errors.ts';
import type { Logger } from '../../core/logs/logger.ts';
import { withLineage } from '../../operations/openlineage/with-lineage.ts';
import { type Firing, fire } from '../../operations/schedule/fire.ts';
import { recordFailedCrawl } from '../../operations/status/record-failed-crawl.ts';
import { exitCodeOf, type RunResult } from '../../project/model/runs/run-result.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { addLogs, readingRules } from './local/add-logs.ts';
import { localProject } from './local/local-project.ts';
import { LocalService } from './local/local-service.ts';
import { logErrors } from './reports/log-report.ts';
import { readReport, writeReport } from './reports/write-report.ts';

/** Fires a schedule. In a folder without another service it loads from the local one; its crawl comes first. */
export async function fireSchedule(
  settings: Settings,
  firing: Firing,
  logger: Logger,
  signal: AbortSignal,
): Promise<RunResult> {
  const { crawl, logs, allow_private: allowPrivate, report } = firing.schedule;
  const fired = async (own: Firing): Promise<RunResult> => {
    const result = await withLineage(settings, `schedule.${own.schedule.name}`, logger, signal, () =>
      fire(settings, own, logger, signal),
    );
    if (report !== undefined) await reportAfter(settings, report, logger, signal);
    return result;
  };
  if (settings.base_url !== undefined && crawl === undefined && logs === undefined) return fired(firing);
  const load: Firing['load'] = async (run, own) => {
    await using service = await LocalService.start(settings, { allowPrivate, logger });
    if (crawl !== undefined)
      await service.crawlAgain(crawl, own).catch(async (error: unknown) => {
        if (error instanceof CrawlhouseError && !own.aborted)
          await recordFailedCrawl(settings, crawl, error, logger);
        throw error;
      });
    const logFaults = logs === undefined ? [] : await addScheduled(settings, service, logs, own);
    const result = await service.load(settings, (local, changed) => run(local, changed, own));
    if (logFaults.length === 0) return result;
    const errors = [...logFaults, ...result.errors];
    return { ...result, errors, exitCode: exitCodeOf(errors) };
  };
  return fired({ ...firing, load });
}

/** Adds the logs of a schedule; gives what is wrong with files. */
async function addScheduled(
  settings: Settings,
  service: LocalService,
  { from, site }: NonNullable<Firing['schedule']['logs']>,
  signal: AbortSignal,
): Promise<CrawlhouseError[]> {
  const { id } = await localProject(service, { named: undefined, site });
  const { projectDir: folder, access_logs, on_reject } = settings;
  const rules = readingRules(access_logs, on_reject === 'quarantine' ? on_reject : undefined);
  const logs = { projectId: id, from, folder, rules, again: false, progress: () => {} };
  return logErrors((await addLogs(settings, service, logs, signal)).files);
}

/** A report that can't be written fails no run. */
async function reportAfter(
  settings: Settings,
  file: string,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  try {
    const projects = await readReport(settings, {}, logger, signal);
    await writeReport(projects, { output: resolve(settings.projectDir, file) }, settings);
  } catch (thrown) {
    logger.error('report not written', { file, error: toCrawlhouseError(thrown).message });
  }
}
