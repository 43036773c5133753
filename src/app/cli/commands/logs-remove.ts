import { counted } from '../../../core/text/amounts.ts';
import type { RemovedLog } from '../../../service/logs/remove-logs.ts';
import { namedLogs } from '../local/log-sources.ts';
import { removalCommand } from '../local/removal-command.ts';
import { shownPath } from '../local/shown-path.ts';

export const logsRemove = removalCommand({
  name: 'logs remove',
  summary: 'remove files that logs add added; lines that are also in other files still count',
  noFile: 'no log file was named',
  idle: 'Nothing new: the warehouse had none of these requests.',
  describe,
  async prepare(named, invocation) {
    const { workingDirectory: folder, signal } = invocation;
    const place = { settings: await invocation.settings(), folder };
    return async ({ handle }, projectId, isDryRun) => {
      const files = namedLogs(named, place, signal);
      return handle.removeLogs({ projectId, files, isDryRun }, signal);
    };
  },
});

function describe(
  { file, status, events, days, names, shared, incomplete }: RemovedLog,
  folder: string,
): string {
  const [name, others] = [
    shownPath(folder, file),
    names.filter((name) => name !== file).map((name) => shownPath(folder, name)),
  ];
  if (status === 'kept')
    return `${name}: nothing removed: ${others.join(', ')} was added later, begins with all of its lines, and keeps them.\n`;
  return [
    `${name}: ${counted(events, 'request')} of ${counted(days, 'day')} removed`,
    ...(others.length > 0 ? [`${name}: the same file was added as ${others.join(', ')}`] : []),
    ...shared.map(
      (one) =>
        `${shownPath(folder, one.file)} has ${counted(one.events, 'request')} of these too, and they now count there`,
    ),
    ...incomplete.map((one) => {
      const path = shownPath(folder, one);
      return `${path}: some of its lines were left out because other files had them. To add them: crawlhouse logs add --again ${path}`;
    }),
  ]
    .map((sentence) => `${sentence}.\n`)
    .join('');
}
