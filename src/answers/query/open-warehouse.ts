import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Logger } from '../../core/logger.ts';
import type { TrinoAddress } from '../../core/trino-address.ts';
import { PublicationFollower } from '../../engines/publication-follower.ts';
import type { TrinoClient } from '../../engines/trino/client.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { QueryProcess, type QueryProcessOptions } from './query-process.ts';
import type { Warehouse } from './warehouse.ts';

interface Opening {
  readonly logger: Logger;
  readonly signal?: AbortSignal;
  /** Of a process that reads on. */
  readonly follower?: PublicationFollower;
}

/**
 * The published warehouse, for reading, with the limits of the settings.
 *
 * @param forked a process from `QueryProcess.fork`
 */
export async function openWarehouse(
  { logger, signal, follower }: Opening,
  settings: Settings,
  more: Pick<QueryProcessOptions, 'output'> = {},
  forked: ChildProcess | null = null,
): Promise<Warehouse> {
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
  await (follower ?? new PublicationFollower(settings, logger)).follow(signal);
  const client = settings.trino && (await clientOf(settings.trino));
  const warehouse = await QueryProcess.start(options, forked);
  if (warehouse.isCopy) {
    logger.warn('the warehouse was copied for this query: its disk takes no hard links', {
      warehouse: settings.warehouse,
    });
  }
  if (settings.trino === null || client === null) return warehouse;
  const { TrinoWarehouse } = await import('./trino-warehouse.ts');
  const { limits, threads } = options;
  return new TrinoWarehouse(warehouse, client, {
    ...{ prefix: settings.trino.schemaPrefix, limits, threads },
    spill: join(settings.state_dir, 'spill'),
  });
}

/** Read only where it is used: it brings libraries. */
async function clientOf(address: TrinoAddress): Promise<TrinoClient> {
  const { openTrinoClient } = await import('../../engines/trino/open-trino.ts');
  return openTrinoClient(address);
}
