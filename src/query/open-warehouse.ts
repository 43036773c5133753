import type { ChildProcess } from 'node:child_process';
import type { Settings } from '../config/settings.ts';
import type { Logger } from '../core/logger.ts';
import { QueryProcess, type QueryProcessOptions } from './query-process.ts';

/**
 * The published warehouse, for reading, with the limits of the settings.
 *
 * @param forked a process from `QueryProcess.fork`
 */
export async function openWarehouse(
  { logger }: { readonly logger: Logger },
  settings: Settings,
  more: Pick<QueryProcessOptions, 'output'> = {},
  forked: ChildProcess | null = null,
): Promise<QueryProcess> {
  const options = {
    warehouse: settings.warehouse,
    stateDir: settings.state_dir,
    threads: settings.threads,
    limits: {
      seconds: settings.query_timeout,
      memory: settings.query_memory_limit,
      temp: settings.query_temp_limit,
      rows: settings.query_row_limit,
      result: settings.query_result_limit,
    },
    ...more,
  };
  const warehouse = await QueryProcess.start(options, forked);
  if (warehouse.isCopy) {
    logger.warn('the warehouse was copied for this query: its disk takes no hard links', {
      warehouse: settings.warehouse,
    });
  }
  return warehouse;
}
