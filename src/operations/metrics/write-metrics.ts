import { toCrawlhouseError } from '../../core/errors/errors.ts';
import { writeFileAtomic } from '../../core/files/atomic-file.ts';
import { giveUserMode } from '../../core/files/private-files.ts';
import type { Logger } from '../../core/logs/logger.ts';
import type { MemoryPlace } from '../alert/alert-facts.ts';
import { metricsReader } from './read-metrics.ts';

type MetricsSettings = MemoryPlace & { readonly metrics_file?: string | undefined };

/** Writes the metrics to the file of the setting, whole. Errors are logged: metrics must not fail a run. */
export async function writeMetrics(settings: MetricsSettings, logger: Logger): Promise<void> {
  const { metrics_file: file } = settings;
  if (file === undefined) return;
  try {
    await writeFileAtomic(file, await metricsReader(settings)());
    await giveUserMode(file);
  } catch (thrown) {
    logger.error('metrics not written', { file, error: toCrawlhouseError(thrown).message });
  }
}
