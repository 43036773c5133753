import { counted } from '../../../core/text/amounts.ts';
import type { RemovedLog } from '../../../service/local/logs/remove-logs.ts';
import type { Command } from '../command.ts';
import { neededArguments } from '../flag-values.ts';
import { endRemoval, removeOrFinish } from '../local/end-load.ts';
import { LOCAL_PROJECT_FLAGS, localProject, projectFlags } from '../local/local-project.ts';
import { LocalService } from '../local/local-service.ts';
import { namedLogs } from '../local/log-sources.ts';
import { shownPath } from '../local/shown-path.ts';

export const logsRemove: Command = {
  name: 'logs remove',
  keepsLog: true,
  summary: 'take files that logs add added out again; lines that other files have too count there',
  positionals: { shown: 'FILE…', most: Number.POSITIVE_INFINITY },
  flags: {
    project: LOCAL_PROJECT_FLAGS.project,
    'dry-run': { help: 'print what would be removed, and remove nothing' },
  },
  async run(invocation) {
    const { workingDirectory: folder, signal, logger } = invocation;
    const named = neededArguments(invocation, 'no log file was named', 'crawlhouse logs remove FILE…');
    const settings = await invocation.settings();
    await using service = await LocalService.start(settings, { allowPrivate: false, logger });
    const project = await localProject(service, projectFlags(invocation));
    const isDryRun = invocation.has('dry-run');
    const removed = await removeOrFinish(service, project.id, isDryRun, () => {
      const files = namedLogs(named, { settings, folder }, signal);
      return service.handle.removeLogs({ projectId: project.id, files, isDryRun }, signal);
    });
    return await endRemoval(invocation, service, project, {
      removed,
      command: 'logs remove',
      text: removed.map((one) => describe(one, folder)).join(''),
      idle: 'Nothing new: the warehouse had none of these requests.',
    });
  },
};

function describe(
  { file, status, events, days, names, shared, incomplete }: RemovedLog,
  folder: string,
): string {
  const [name, others] = [
    shownPath(folder, file),
    names.filter((one) => one !== file).map((one) => shownPath(folder, one)),
  ];
  if (status === 'kept')
    return `${name}: nothing removed: ${others.join(', ')} was added later, begins with all of its lines, and keeps them.\n`;
  return [
    `${name}: ${counted(events, 'request')} of ${counted(days, 'day')} removed`,
    ...(others.length > 0 ? [`${name}: the same file was added as ${others.join(', ')}`] : []),
    ...shared.map(
      (one) =>
        `${shownPath(folder, one.file)} has ${counted(one.events, 'request')} of these, too: they count there now`,
    ),
    ...incomplete.map((one) => {
      const path = shownPath(folder, one);
      return `${path}: some of its lines were left out because other files had them, and are not kept: crawlhouse logs add --again ${path}`;
    }),
  ]
    .map((sentence) => `${sentence}.\n`)
    .join('');
}
