import { join } from 'node:path';
import { logFile } from '../../core/log-file.ts';
import type { LogSink } from '../../core/logger.ts';
import type { Settings } from './settings.ts';

const MOST_FILES = 50;

/** Opens the log files of a project (docs/operate.md). */
export function projectLog({ state_dir, logs }: Settings): LogSink {
  return logFile({
    folder: join(state_dir, 'logs'),
    maxBytes: logs.megabytes * 1_000_000,
    maxDays: logs.days,
    maxFiles: MOST_FILES,
  });
}
