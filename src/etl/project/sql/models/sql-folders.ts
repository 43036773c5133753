import { existsSync, realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readText } from '../../../../core/files/read-text.ts';
import type { ChangeSettings } from '../../settings/change-settings.ts';
import type { IssueSettings } from '../../settings/issue-settings.ts';
import { badModel } from '../text/bad-model.ts';
import { type SqlFile, splitSqlFile } from '../text/sql-file.ts';

/** The folders of `sql/` without models. */
export const QUESTIONS_FOLDER = 'questions';
export const ISSUES_FOLDER = 'issues';
export const FILTERS_FOLDER = 'filters';
export const FOLDERS_WITHOUT_MODELS: readonly string[] = [QUESTIONS_FOLDER, ISSUES_FOLDER, FILTERS_FOLDER];

/** A folder of models and questions, and how errors name its files. */
export interface SqlFolder {
  readonly path: string;
  readonly shown: string;
  /** The project, wherever the files are: its folder, and its settings for issues, changes and days. */
  readonly project?: {
    readonly dir: string;
    readonly issues: IssueSettings;
    readonly changes?: ChangeSettings;
    readonly crawl_days?: number;
  };
}

export interface SqlSettings {
  readonly projectDir: string;
  readonly shipped_models: 'all' | 'none';
  readonly issues?: IssueSettings;
  readonly changes?: ChangeSettings;
  readonly crawl_days?: number;
}

/** The folder that ships with the package. */
export const SHIPPED_SQL: SqlFolder = {
  path: join(import.meta.dirname, '..', '..', '..', '..', '..', 'sql'),
  shown: 'crawlhouse/sql',
};

/**
 * Returns the folders whose files a project uses: the built-in ones, unless it disables them, and its own, which
 * override them by name. The package is itself a project folder.
 */
export function sqlFolders(settings: SqlSettings): SqlFolder[] {
  const { projectDir, issues = {}, changes = {}, crawl_days } = settings;
  const own = join(projectDir, 'sql');
  const folders: SqlFolder[] = [];
  const same = existsSync(own) && realpathSync(own) === realpathSync(SHIPPED_SQL.path);
  if (settings.shipped_models === 'all' && !same) folders.push(SHIPPED_SQL);
  if (existsSync(own)) folders.push(sqlFolder(own));
  return folders.map((folder) => ({
    ...folder,
    project: { dir: projectDir, issues, changes, ...(crawl_days && { crawl_days }) },
  }));
}

export function sqlFolder(path: string): SqlFolder {
  return { path, shown: 'sql' };
}

/**
 * Returns the files in one folder of `sql/`, sorted by name. A file in a later folder replaces an earlier file of the
 * same name.
 *
 * @throws CrawlhouseError `bad_model` for a header that is not YAML, or an invalid name
 */
export async function namedFiles(
  folders: readonly SqlFolder[],
  under: string,
): Promise<ReadonlyMap<string, SqlFile>> {
  const found = new Map<string, SqlFile>();
  for (const { path, shown } of folders) {
    const folder = join(path, under);
    if (!existsSync(folder)) continue;
    for (const file of (await readdir(folder)).filter((one) => one.endsWith('.sql'))) {
      const name = basename(file, '.sql');
      const source = splitSqlFile(`${shown}/${under}/${file}`, await readText(join(folder, file)));
      if (!/^[a-z][a-z0-9_]*$/.test(name)) {
        const place = { file: source.file, line: 1 };
        throw badModel(place, `${name} is not a valid name`, 'use lowercase letters, digits and _');
      }
      found.set(name, source);
    }
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}
