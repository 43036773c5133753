import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { logFile } from '../../../core/logs/log-file.ts';
import type { LogSink } from '../../../core/logs/logger.ts';
import type { Settings } from './settings.ts';

/**
 * Returns the folder of `schedules.yaml`: `given`, or the working directory or its nearest parent that contains the
 * file.
 */
export function findProject(given: string | undefined, workingDirectory: string): string {
  if (given !== undefined) {
    const folder = resolve(workingDirectory, given);
    if (existsSync(join(folder, 'schedules.yaml'))) return folder;
    throw new CrawlhouseError('bad_project', `${folder} is not a project folder: it has no schedules.yaml`, {
      hint: `crawlhouse init ${given} creates one`,
    });
  }
  for (let folder = resolve(workingDirectory); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'schedules.yaml'))) return folder;
    if (folder === dirname(folder)) {
      throw new CrawlhouseError(
        'bad_project',
        `no project folder: neither ${resolve(workingDirectory)} nor a folder above it has a schedules.yaml`,
      );
    }
  }
}

const MOST_FILES = 50;

/** Opens the log files of a project (docs/operate.md). `onFailure` is called once if they cannot be written. */
export function projectLog({ state_dir, logs }: Settings, onFailure: (error: unknown) => void): LogSink {
  const folder = join(state_dir, 'logs');
  const maxBytes = logs.megabytes * 1_000_000;
  return logFile({ folder, maxBytes, maxDays: logs.days, maxFiles: MOST_FILES, onFailure });
}
