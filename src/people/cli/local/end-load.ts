import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { exitCodeOf, type RunResult } from '../../../project/model/runs/run-result.ts';
import type { Project } from '../../../service/api/resources/projects.ts';
import type { Invocation } from '../command.ts';
import { failureOf, printError } from '../print-error.ts';
import { printErrors, runSummary } from '../reports/run-report.ts';
import { loadLocal } from './load-local.ts';
import type { LocalService } from './local-service.ts';

/** Prints what became of files and of the run that loaded it; gives the exit code. */
export async function endLoad(
  invocation: Invocation,
  result: RunResult,
  own: readonly CrawlhouseError[],
  said: {
    readonly document: object;
    readonly text: string;
    readonly idle: string;
    readonly next: () => Promise<string>;
  },
): Promise<number> {
  const isJson = invocation.has('json');
  const errors = [...own, ...result.errors];
  const exitCode = exitCodeOf(errors);
  const end = { run: result.report, error: failureOf(errors, exitCode) };
  if (isJson) await invocation.printJson({ ...said.document, ...end });
  else await invocation.print(said.text);
  for (const error of own) printError(error, invocation.has('debug'));
  const settings = await invocation.settings();
  if (!isJson) invocation.say(`\n${await runSummary(invocation, settings, result.report, said.idle)}`);
  printErrors(invocation, result);
  if (exitCode === 0 && !isJson) invocation.say(await said.next());
  return exitCode;
}

/**
 * Removes files of a project. Files that are not there were removed by an interrupted command, if days have changed that
 * are not in the warehouse yet: then there is nothing to remove, and the days are still to load.
 *
 * @throws CrawlhouseError `usage` for a file that was not added
 */
export async function removeOrFinish<T>(
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

interface Removal {
  /** The words of the command. */
  readonly command: string;
  readonly removed: readonly object[];
  readonly text: string;
  /** What is said where no day has changed. */
  readonly idle: string;
}

/** Loads the days that a removal has changed, and prints what was removed; gives the exit code. */
export async function endRemoval(
  invocation: Invocation,
  service: LocalService,
  { id, name }: Project,
  { command, removed, text, idle }: Removal,
): Promise<number> {
  const document = { project: { id, name }, removed };
  if (invocation.has('dry-run')) {
    if (invocation.has('json')) await invocation.printJson({ ...document, run: null, error: null });
    else await invocation.print(text);
    invocation.say('Nothing was removed (--dry-run).\n');
    return 0;
  }
  const finished =
    'None of these files is in the project: an interrupted command removed them. Their days are loaded now.\n';
  const result = await loadLocal(invocation, service, id, command);
  return await endLoad(invocation, result, [], {
    ...{ document, idle, text: removed.length === 0 ? finished : text },
    next: async () => '',
  });
}
