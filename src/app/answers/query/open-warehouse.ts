import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Logger } from '../../../core/logs/logger.ts';
import type { FollowedPlace } from '../../../etl/engines/engine.ts';
import { PublicationFollower } from '../../../etl/engines/publication-follower.ts';
import { openRemote } from '../../../etl/engines/registry.ts';
import { QueryProcess, type QueryProcessOptions } from './query-process.ts';
import type { Warehouse } from './warehouse.ts';

interface Opening {
  readonly logger: Logger;
  readonly signal?: AbortSignal;
  /** Prints a text for the user. */
  readonly say?: (text: string) => void;
  /** For a long-running reader. */
  readonly follower?: PublicationFollower;
}

export interface QuerySettings extends FollowedPlace {
  readonly threads: number;
  readonly query_timeout: number;
  readonly query_memory_limit: string;
  readonly query_temp_limit: string;
  readonly query_row_limit: number;
  readonly query_result_limit: string;
}

/** The maximum wait of a user or an assistant; the settings may allow less. */
export const MOST_WAITED_SECONDS = 60;
/** The maximum size of an answer for a user or an assistant. */
export const MOST_RESULT = '1MB';

export function waitingLimits<T extends QuerySettings>(settings: T): T {
  const seconds = Math.min(settings.query_timeout, MOST_WAITED_SECONDS);
  return { ...settings, query_timeout: seconds, query_result_limit: MOST_RESULT };
}

/**
 * Opens the published warehouse for reading, with the limits from the settings.
 *
 * @param forked a process from `QueryProcess.fork`
 */
export async function openWarehouse(
  { logger, signal, say, follower }: Opening,
  settings: QuerySettings,
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
  const remote = await openRemote(settings.engine);
  const statements = await remote?.openStatements();
  const warehouse = await QueryProcess.start(options, forked);
  if (warehouse.isCopy) {
    logger.warn(
      'crawlhouse copied the warehouse for this query because its disk does not support hard links',
      { warehouse: settings.warehouse },
    );
  }
  const { limits, threads } = options;
  const spill = join(settings.state_dir, 'spill');
  const opened =
    statements === undefined
      ? warehouse
      : new (await import('./engine-warehouse.ts')).EngineWarehouse(warehouse, statements, {
          engine: settings.engine,
          limits,
          threads,
          spill,
        });
  if (say !== undefined) opened.say = (sentence) => say(`${sentence}\n`);
  return opened;
}
