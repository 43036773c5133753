import type { Settings } from '../config/settings.ts';
import type { Logger } from '../core/logger.ts';
import { configuredStores } from '../stores/registry.ts';
import { compileQuestions } from '../transform/compile-questions.ts';
import { loadModels } from '../transform/load-models.ts';
import { sqlFolders } from '../transform/sql-folders.ts';
import { type Check, type Finding, look } from './check.ts';
import { examineProject } from './examine-project.ts';
import { examineService } from './examine-service.ts';
import { examineState } from './examine-state.ts';
import { examineStore } from './examine-store.ts';

/**
 * Looks at all that a run needs, and changes nothing that stays: an object that is written to a store is removed again.
 *
 * @param readSettings throws `bad_settings`; without settings there is little else to look at
 */
export async function examine(
  projectDir: string,
  readSettings: () => Promise<Settings>,
  logger: Logger,
  signal: AbortSignal,
): Promise<Check[]> {
  let settings: Settings | undefined;
  const first = await look(
    'settings',
    async () => {
      settings = await readSettings();
      return { message: `of ${projectDir}` };
    },
    signal,
  );
  const checks = [first, ...(await examineProject(projectDir, settings?.shipped_models ?? 'all', signal))];
  if (settings === undefined) return checks;
  const known = settings;
  if (checks.some(({ name, status }) => name === 'models' && status === 'ok'))
    checks.push(await look('questions', () => questions(known), signal));
  checks.push(...(await examineState(settings, signal)), ...(await examineService(settings, logger, signal)));
  for (const store of configuredStores(settings)) checks.push(await examineStore(settings, store, signal));
  return checks;
}

async function questions(settings: Settings): Promise<Finding> {
  const models = await loadModels(sqlFolders(settings));
  return { message: `${(await compileQuestions(settings, models)).length} saved` };
}
