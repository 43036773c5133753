import { existsSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { readText } from '../../../core/files/read-text.ts';
import type { Account } from '../account/ask-account.ts';

/** The package's own root, which is itself a project folder. */
const TEMPLATE = join(import.meta.dirname, '..', '..', '..', '..');
const COPIED = ['pipelines', 'schemas', 'schedules.yaml'];
const NAME_OTHER = 'name another folder: crawlhouse init DIR';
const IGNORED = ['.crawlhouse/', '.env', '*.duckdb', '*.duckdb.wal'];

const SETTINGS = `# yaml-language-server: $schema=schemas/crawlhouse.schema.json
# Settings. Each is also a variable CRAWLHOUSE_<KEY>. The access token is best kept in .env, which only you may read.
since: all
`;

/** Whether the models and questions that ship are wanted. */
export type ShippedModels = 'all' | 'none';

const ENVIRONMENT =
  '# Read by every command in this folder. Keep it to yourself: nobody else may read this file.\n';

const EXAMPLE = `# Copy this file to .env and fill it in. The environment goes before .env, and .env before crawlhouse.yaml.
# Never put .env under version control.

# The address of the service, without /api/v2, and a token with the scopes account:read and projects:read.
# CRAWLHOUSE_BASE_URL=https://service.example
# CRAWLHOUSE_ACCESS_TOKEN=

# In place of the token, an OAuth2 application and the grant of a person.
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

A file sql/mart/NAME.sql makes the table mart.NAME, beside the models that ship with crawlhouse; of the same name, in
their place. Cases for them are in sql/cases/. See docs/models.md of crawlhouse.
`;

/** @throws CrawlhouseError `usage` if the folder has a file of a project already */
export function refuseProject(folder: string): void {
  const known = [...COPIED, 'sql', 'crawlhouse.yaml'].find((name) => existsSync(join(folder, name)));
  if (known === undefined) return;
  throw new CrawlhouseError('usage', `${folder} has ${known} already`, {
    hint: NAME_OTHER,
  });
}

/**
 * Writes the files of a new project. A file that is there stays as it is.
 *
 * @returns what a person should know of files that stayed
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
        .map(variable)
        .join('')}`,
      0o600,
    ],
  ];
  for (const [name, text, mode] of files)
    if (!(await written(join(folder, name), text, mode))) stayed.push(name);
  const lacks = stayed.includes('.gitignore') ? await notIgnored(join(folder, '.gitignore')) : [];
  return [
    ...(stayed.length === 0 ? [] : [`These files were there and stay as they are: ${stayed.join(', ')}`]),
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

/** A line of `.env`, quoted by a mark that the value does not have: `#` would begin a comment. */
function variable([name, value]: readonly [string, string]): string {
  const mark = ["'", '"', '`'].find((one) => !value.includes(one));
  if (mark === undefined)
    throw new CrawlhouseError('usage', `${name} has all three kinds of quotation marks`);
  return `${name}=${/^[\w:/.@+-]+$/.test(value) ? value : `${mark}${value}${mark}`}\n`;
}
