import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of `sql/` that holds saved questions. */
export const QUESTIONS_FOLDER = 'questions';
/** The folder of `sql/` that holds issues; every other one holds models. */
export const ISSUES_FOLDER = 'issues';

/** A folder of models and questions, and how errors name its files. */
export interface SqlFolder {
  readonly path: string;
  readonly shown: string;
}

/** The folder that ships with the package. */
const SHIPPED = join(import.meta.dirname, '..', '..', '..', '..', 'sql');

/**
 * The folders whose files a project uses: those that ship, unless it does without, and its own, which go over them by
 * name. The package is itself a project folder.
 */
export function sqlFolders(settings: {
  readonly projectDir: string;
  readonly shipped_models: 'all' | 'none';
}): SqlFolder[] {
  const own = join(settings.projectDir, 'sql');
  const folders: SqlFolder[] = [];
  const same = existsSync(own) && realpathSync(own) === realpathSync(SHIPPED);
  if (settings.shipped_models === 'all' && !same) folders.push({ path: SHIPPED, shown: 'crawlhouse/sql' });
  if (existsSync(own)) folders.push(sqlFolder(own));
  return folders;
}

export function sqlFolder(path: string): SqlFolder {
  return { path, shown: 'sql' };
}
