import type { Settings } from '../config/settings.ts';
import type { Logger } from '../core/logger.ts';
import type { RunResult } from '../model/run-result.ts';
import { withLineage } from '../openlineage/with-lineage.ts';
import { type Firing, fire } from '../schedule/fire.ts';
import { LocalService } from './local-service.ts';

/** Fires a schedule. In a folder without another service it loads from the local one; its crawl comes first. */
export function fireSchedule(
  settings: Settings,
  firing: Firing,
  logger: Logger,
  signal: AbortSignal,
): Promise<RunResult> {
  const { crawl, allow_private: allowPrivate } = firing.schedule;
  const fired = (own: Firing): Promise<RunResult> =>
    withLineage(settings, `schedule.${own.schedule.name}`, logger, signal, () =>
      fire(settings, own, logger, signal),
    );
  if (settings.base_url !== undefined && crawl === undefined) return fired(firing);
  const load: Firing['load'] = async (run, own) => {
    await using service = await LocalService.start(settings, { allowPrivate, logger });
    if (crawl !== undefined) await service.crawlAgain(crawl, own);
    return await run(service.settingsFor(settings), own);
  };
  return fired({ ...firing, load });
}
