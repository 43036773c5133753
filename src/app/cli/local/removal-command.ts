import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Command, Invocation } from '../command.ts';
import { neededArguments } from '../flag-values.ts';
import { endLoad } from './end-load.ts';
import { loadLocal } from './load-local.ts';
import { LOCAL_PROJECT_FLAGS, localProject, projectFlags } from './local-project.ts';
import { LocalService } from './local-service.ts';

interface Removal<T> {
  readonly name: 'demand remove' | 'logs remove';
  readonly summary: string;
  /** The message if no file is named. */
  readonly noFile: string;
  /** Inspects the files before the local service starts, and returns the function that removes them. */
  readonly prepare: (
    named: readonly string[],
    invocation: Invocation,
  ) => Promise<(service: LocalService, projectId: string, isDryRun: boolean) => Promise<readonly T[]>>;
  /** Describes the removed files in sentences; `folder` is the current one. */
  readonly describe: (removed: T, folder: string) => string;
  /** The message if no day has changed. */
  readonly idle: string;
}

/** Returns a command that removes added files and loads the days that change. */
export function removalCommand<T extends object>(removal: Removal<T>): Command {
  const { name, summary, noFile, prepare, describe, idle } = removal;
  return {
    name,
    keepsLog: true,
    summary,
    positionals: { shown: 'FILE…', most: Number.POSITIVE_INFINITY },
    flags: {
      project: LOCAL_PROJECT_FLAGS.project,
      'dry-run': { help: 'print what would be removed, without removing anything' },
    },
    async run(invocation) {
      const { workingDirectory: folder, logger } = invocation;
      const named = neededArguments(invocation, noFile, `crawlhouse ${name} FILE…`);
      const settings = await invocation.settings();
      const remove = await prepare(named, invocation);
      await using service = await LocalService.start(settings, { allowPrivate: false, logger });
      const project = await localProject(service, projectFlags(invocation));
      const isDryRun = invocation.has('dry-run');
      const removed = await removeOrFinish(service, project.id, isDryRun, () =>
        remove(service, project.id, isDryRun),
      );
      const text = removed.map((file) => describe(file, folder)).join('');
      const document = { project: { id: project.id, name: project.name }, removed };
      if (isDryRun) {
        if (invocation.has('json')) await invocation.printJson({ ...document, run: null, error: null });
        else await invocation.print(text);
        invocation.say('Nothing was removed (--dry-run).\n');
        return 0;
      }
      const result = await loadLocal(invocation, service, project.id, name);
      return await endLoad(invocation, result, [], {
        document,
        idle,
        text: removed.length === 0 ? FINISHED : text,
        next: async () => '',
      });
    },
  };
}

const FINISHED =
  'An interrupted command has already removed these files from the project. Loading their days now.\n';

/**
 * Removes files of a project. If files are missing and there are changed days to load, an interrupted command removed
 * the files. In that case, only the days are loaded.
 *
 * @throws CrawlhouseError `usage` for a file that was not added
 */
async function removeOrFinish<T>(
  { handle }: LocalService,
  projectId: string,
  isDryRun: boolean,
  remove: () => Promise<readonly T[]>,
): Promise<readonly T[]> {
  try {
    return await remove();
  } catch (error) {
    if (isDryRun || !(error instanceof CrawlhouseError) || error.code !== 'usage') throw error;
    const today = new Date().toISOString().slice(0, 10);
    const isUnfinished = (await handle.changedDays()).some(
      ({ project_id, loaded_by, day }) => project_id === projectId && loaded_by.length === 0 && day < today,
    );
    if (!isUnfinished) throw error;
    return [];
  }
}
