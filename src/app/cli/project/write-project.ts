import { existsSync } from 'node:fs';
import { cp, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { endPrivacy } from '../../../core/files/private-files.ts';
import { readText } from '../../../core/files/read-text.ts';
import { envLine } from '../../../etl/project/settings/command-environment.ts';
import type { Account } from '../account/ask-account.ts';
import type { Invocation } from '../command.ts';

/** The root folder of the package, which is itself a project folder. */
const TEMPLATE = join(import.meta.dirname, '..', '..', '..', '..');
const COPIED = ['pipelines', 'schemas', 'schedules.yaml'];
const NAME_OTHER = 'name another folder: crawlhouse init DIR';
const IGNORED = ['.crawlhouse/', '.env', '*.duckdb', '*.duckdb.wal'];

const SETTINGS = `# yaml-language-server: $schema=schemas/crawlhouse.schema.json
# Settings. Each is also a variable CRAWLHOUSE_<KEY>. Keep the access token in .env, which only you can read.
since: all
`;

export type ShippedModels = 'all' | 'none';

const ENVIRONMENT = '# Every command in this folder reads this file. Only you can read it.\n';

const EXAMPLE = `# Copy this file to .env and fill it in. The environment overrides .env, and .env overrides crawlhouse.yaml.
# Never put .env under version control.

# The address of the service, without /api/v2, and a token with the scopes account:read and projects:read.
# CRAWLHOUSE_BASE_URL=https://service.example
# CRAWLHOUSE_ACCESS_TOKEN=

# Instead of the token, an OAuth2 application and the grant of a person.
# CRAWLHOUSE_OAUTH_CLIENT_ID=
# CRAWLHOUSE_OAUTH_CLIENT_SECRET=
# CRAWLHOUSE_OAUTH_REFRESH_TOKEN=

# The secret of the console at its OpenID Connect provider, if console_oidc is set.
# CRAWLHOUSE_CONSOLE_OIDC_CLIENT_SECRET=

# The keys of the clouds, if store_a or store_b is set. GOOGLE_APPLICATION_CREDENTIALS is a path below this folder.
# GOOGLE_APPLICATION_CREDENTIALS=
# AWS_ACCESS_KEY_ID=
# AWS_SECRET_ACCESS_KEY=
`;

const SQL_README = `# Models of this project

A file sql/mart/NAME.sql defines the table mart.NAME. It replaces a shipped model of the same name. Test cases of models
are in sql/cases/. See docs/models.md of crawlhouse.
`;

/** @throws CrawlhouseError `usage` if the folder already contains a file of a project */
export function refuseProject(folder: string): void {
  const known = [...COPIED, 'sql', 'crawlhouse.yaml'].find((name) => existsSync(join(folder, name)));
  if (known === undefined) return;
  throw new CrawlhouseError('usage', `${folder} already has ${known}`, { hint: NAME_OTHER });
}

/**
 * Writes the files of a new project, and keeps existing files.
 *
 * @returns notices about kept files
 */
export async function writeProject(
  folder: string,
  account: Account | null,
  models: ShippedModels = 'all',
): Promise<readonly string[]> {
  makeFolder(folder, { hint: NAME_OTHER });
  for (const name of COPIED)
    await cp(join(TEMPLATE, name), join(folder, name), { recursive: true, force: false, errorOnExist: true });
  makeFolder(join(folder, 'sql', 'mart'));
  const stayed: string[] = [];
  const files: readonly (readonly [name: string, text: string, mode: number])[] = [
    [join('sql', 'README.md'), SQL_README, 0o666],
    ['crawlhouse.yaml', models === 'all' ? SETTINGS : `${SETTINGS}shipped_models: none\n`, 0o666],
    ['.env.example', EXAMPLE, 0o666],
    ['.gitignore', `${IGNORED.join('\n')}\n`, 0o666],
    [
      '.env',
      `${ENVIRONMENT}${Object.entries(account ?? {})
        .map(([name, value]) => envLine(name, value))
        .join('')}`,
      0o600,
    ],
  ];
  for (const [name, text, mode] of files)
    if (!(await written(join(folder, name), text, mode))) stayed.push(name);
  const lacks = stayed.includes('.gitignore') ? await notIgnored(join(folder, '.gitignore')) : [];
  return [
    ...(stayed.length === 0 ? [] : [`These files already existed and are unchanged: ${stayed.join(', ')}`]),
    ...(lacks.length === 0 ? [] : [`Add to .gitignore: ${lacks.join(' ')}`]),
  ];
}

async function written(path: string, text: string, mode: number): Promise<boolean> {
  try {
    makeFolder(dirname(path));
    await writeFile(path, text, { flag: 'wx', mode });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function notIgnored(path: string): Promise<readonly string[]> {
  const lines = (await readText(path)).split('\n').map((line) => line.trim());
  return IGNORED.filter((one) => !lines.includes(one));
}

/** Files that npm leaves in a folder where it installed crawlhouse. */
const OF_NPM = ['node_modules', 'package.json', 'package-lock.json'];

/**
 * Turns the working directory into a project folder without an account, if the directory is empty and not inside a
 * project folder.
 */
export async function writeProjectIfEmpty(invocation: Invocation): Promise<void> {
  const { workingDirectory: folder } = invocation;
  if (invocation.text('project-dir') !== undefined) return;
  try {
    invocation.projectDir();
  } catch (error) {
    const names = await readdir(folder);
    if (names.some((name) => !name.startsWith('.') && !OF_NPM.includes(name))) throw error;
    const mask = process.umask();
    endPrivacy();
    const notes = await writeProject(folder, null).finally(() => process.umask(mask));
    for (const note of [`${folder} was empty, and is a project folder now.`, ...notes])
      invocation.say(`${note}\n`);
  }
}
