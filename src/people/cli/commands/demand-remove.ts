import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { counted } from '../../../core/text/amounts.ts';
import type { NamedFile, RemovedDemand } from '../../../service/local/ranking/remove-demand.ts';
import { hashOf } from '../../../service/site/demand/read-demand.ts';
import type { Command } from '../command.ts';
import { neededArguments } from '../flag-values.ts';
import { endRemoval, removeOrFinish } from '../local/end-load.ts';
import { LOCAL_PROJECT_FLAGS, localProject, projectFlags } from '../local/local-project.ts';
import { LocalService } from '../local/local-service.ts';
import { shownPath } from '../local/shown-path.ts';

export const demandRemove: Command = {
  name: 'demand remove',
  keepsLog: true,
  summary: 'take files that demand add added out again; what they had replaced comes back',
  positionals: { shown: 'FILE…', most: Number.POSITIVE_INFINITY },
  flags: {
    project: LOCAL_PROJECT_FLAGS.project,
    'dry-run': { help: 'print what would be removed, and remove nothing' },
  },
  async run(invocation) {
    const { workingDirectory: folder, signal, logger } = invocation;
    const named = neededArguments(invocation, 'no file named', 'crawlhouse demand remove FILE…');
    const settings = await invocation.settings();
    const files: NamedFile[] = [];
    for (const path of named.map((one) => resolve(folder, one)))
      files.push({ path, sha256: existsSync(path) ? await hashOf(path, signal) : null });
    await using service = await LocalService.start(settings, { allowPrivate: false, logger });
    const project = await localProject(service, projectFlags(invocation));
    const isDryRun = invocation.has('dry-run');
    const removed = await removeOrFinish(service, project.id, isDryRun, () =>
      service.handle.removeDemand(project.id, files, isDryRun),
    );
    return await endRemoval(invocation, service, project, {
      removed,
      command: 'demand remove',
      text: removed.map((one) => describe(one, folder)).join(''),
      idle: 'Nothing new: the warehouse had none of these search results.',
    });
  },
};

function describe(
  { files, rows, days, restored_rows: restored, still_out: out }: RemovedDemand,
  folder: string,
): string {
  const back = restored === 0 ? '' : `; ${counted(restored, 'row')} of earlier exports are back`;
  return `${files.map((file) => shownPath(folder, file)).join(', ')}: ${counted(rows, 'row')} of ${counted(days, 'day')} removed${back}.\n${out.map((file) => stillOut(shownPath(folder, file))).join('')}`;
}

function stillOut(file: string): string {
  return `${file} was added with --keep, and days of it stay out: they would hide totals of a period. Without --keep they are added: crawlhouse demand add ${file}\n`;
}
