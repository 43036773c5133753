import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { counted } from '../../../core/text/amounts.ts';
import type { NamedFile, RemovedDemand } from '../../../service/ranking/remove-demand.ts';
import { hashOf } from '../../../site/search-data/read-demand.ts';
import { removalCommand } from '../local/removal-command.ts';
import { shownPath } from '../local/shown-path.ts';

export const demandRemove = removalCommand({
  name: 'demand remove',
  summary: 'remove files that demand add added, and restore the rows that they replaced',
  noFile: 'no file named',
  idle: 'Nothing new: the warehouse had none of these search results.',
  describe,
  async prepare(named, { workingDirectory, signal }) {
    const files: NamedFile[] = [];
    for (const path of named.map((name) => resolve(workingDirectory, name)))
      files.push({ path, sha256: existsSync(path) ? await hashOf(path, signal) : null });
    return async ({ handle }, projectId, isDryRun) => handle.removeDemand(projectId, files, isDryRun);
  },
});

function describe(
  { files, rows, days, restored_rows: restored, still_out: out }: RemovedDemand,
  folder: string,
): string {
  const back = restored === 0 ? '' : `; ${counted(restored, 'row')} of earlier exports are back`;
  return `${files.map((file) => shownPath(folder, file)).join(', ')}: ${counted(rows, 'row')} of ${counted(days, 'day')} removed${back}.\n${out.map((file) => stillOut(shownPath(folder, file))).join('')}`;
}

function stillOut(file: string): string {
  return `${file} was added with --keep, so some of its days stay out: they would hide totals of a period. To add them without --keep: crawlhouse demand add ${file}\n`;
}
