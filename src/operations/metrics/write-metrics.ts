import { writeFileAtomic } from '../../core/atomic-file.ts';
import { toCrawlhouseError } from '../../core/errors.ts';
import type { Logger } from '../../core/logger.ts';
import { giveUserMode } from '../../core/private-files.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { metricsReader } from './read-metrics.ts';

/** Writes the metrics to the file of the setting, whole. Errors are logged: metrics must not fail a run. */
export async function writeMetrics(settings: Settings, logger: Logger): Promise<void> {
  const { metrics_file: file } = settings;
  if (file === undefined) return;
  try {
    await writeFileAtomic(file, await metricsReader(settings)());
    await giveUserMode(file);
  } catch (thrown) {
    logger.error('metrics not written', { file, error: toCrawlhouseError(thrown).message });
  }
}
