import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CrawlhouseError } from '../../core/errors/errors.ts';

/** The folder that holds `schedules.yaml`: `given`, or the working directory or the nearest above it. */
export function findProject(given: string | undefined, workingDirectory: string): string {
  if (given !== undefined) {
    const folder = resolve(workingDirectory, given);
    if (existsSync(join(folder, 'schedules.yaml'))) return folder;
    throw new CrawlhouseError('bad_project', `${folder} is not a project folder: it has no schedules.yaml`, {
      hint: `crawlhouse init ${given} makes one`,
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
