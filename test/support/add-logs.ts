import { join } from 'node:path';
import { logSources } from '../../src/app/cli/local/log-sources.ts';
import { readBotList } from '../../src/app/cli/local/read-bot-list.ts';
import { LogRules } from '../../src/core/logs/log-rules.ts';
import type { Settings } from '../../src/etl/project/settings/settings.ts';
import { AddedLogs } from '../../src/service/logs/added-logs.ts';
import { Resources } from '../../src/service/resources/resources.ts';
import { ensureProject } from '../../src/service/resources/seed.ts';
import { ServiceRows } from '../../src/service/rows/service-rows.ts';
import type { LogFileReport } from '../../src/site/access-logs/log-report.ts';

/**
 * Adds log files to the project of a folder, as the local service does; gives what was read of each.
 *
 * @param onFile is called when a file was read, before its days are counted
 */
export async function addLogsIn(
  folder: string,
  paths: readonly string[],
  rules: Partial<LogRules> = {},
  onFile: () => void = () => {},
): Promise<LogFileReport[]> {
  using resources = new Resources(join(folder, 'service.sqlite'));
  await using rows = await ServiceRows.open(folder);
  const project = ensureProject(resources, { name: 'shop', startUrl: 'https://www.example.com/' });
  const logs = new AddedLogs({ resources, rows, clock: Date, stateDir: folder });
  const { signal } = new AbortController();
  const place = { settings: { state_dir: folder } as Settings, folder };
  const files: LogFileReport[] = [];
  await logs.add(
    {
      projectId: project.id,
      sources: logSources(paths, place, signal),
      rules: LogRules.parse(rules),
      again: false,
      bots: { list: await readBotList({ projectDir: folder }) },
      onFile: (report) => {
        files.push(report);
        onFile();
      },
    },
    signal,
  );
  return files;
}

const [, script, folder, ...paths] = process.argv;
if (script === import.meta.filename && folder !== undefined) {
  process.stdout.write('begun\n');
  await addLogsIn(folder, paths);
}
