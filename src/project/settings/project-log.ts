import { join } from 'node:path';
import { logFile } from '../../core/logs/log-file.ts';
import type { LogSink } from '../../core/logs/logger.ts';
import type { Settings } from './settings.ts';

const MOST_FILES = 50;

/** Opens the log files of a project (docs/operate.md). `onFailure` hears once why they can't be written. */
export function projectLog({ state_dir, logs }: Settings, onFailure: (error: unknown) => void): LogSink {
  const folder = join(state_dir, 'logs');
  const maxBytes = logs.megabytes * 1_000_000;
  return logFile({ folder, maxBytes, maxDays: logs.days, maxFiles: MOST_FILES, onFailure });
}
