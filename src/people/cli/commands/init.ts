import { existsSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Check, errorsOf } from '../../../core/duckdb/check.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { endPrivacy } from '../../../core/files/private-files.ts';
import { readText } from '../../../core/files/read-text.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import { examine } from '../../../operations/doctor/examine.ts';
import { exitCodeOf } from '../../../project/model/runs/run-result.ts';
import { setCloudVariables } from '../../../project/settings/command-environment.ts';
import { loadSettings } from '../../settings/load-settings.ts';
import {
  type Account,
  askAccount,
  askModels,
  type Browser,
  signedInAccount,
  tokenAccount,
} from '../account/ask-account.ts';
import { asCalled, callFor } from '../as-called.ts';
import type { Command, Invocation } from '../command.ts';
import { openBrowser } from '../console-address.ts';
import { oneOf, readFlagFile, wholeNumber } from '../flag-values.ts';
import { describeChecks, worst } from '../reports/doctor-report.ts';

const SHIPPED_MODELS: readonly ShippedModels[] = ['all', 'none'];

/** The default of the redirect address: one that is registered must stay. */
const REDIRECT_PORT = 8976;

export const init: Command = {
  name: 'init',
  summary: 'a new project folder, ready to run; on a terminal it asks for the account',
  positionals: { shown: '[DIR]', most: 1 },
  flags: {
    'base-url': { value: 'URL', help: 'the address of the service; nothing is asked then' },
    'shipped-models': {
      value: 'WHICH',
      values: SHIPPED_MODELS,
      help: 'all (default), or none: only raw tables, and quicker runs; nothing is asked then',
    },
    'token-file': { value: 'F', help: 'a file with the access token, such as /dev/stdin' },
    'client-id': { value: 'ID', help: 'sign in in the browser, by this OAuth2 application' },
    'client-secret-file': { value: 'F', help: 'a file with the secret of the application' },
    'redirect-port': {
      value: 'N',
      help: `the port of the redirect address of the sign-in; default ${REDIRECT_PORT}`,
    },
  },
  async run(invocation) {
    const folder = resolve(invocation.workingDirectory, invocation.positionals[0] ?? '.');
    refuseProject(folder);
    const account = await accountFor(invocation, folder);
    const models = await modelsFor(invocation);
    endPrivacy();
    const notes = await writeProject(folder, account, models);
    for (const note of notes) invocation.say(`${note}\n`);
    const settings = await loadSettings(folder, process.env);
    const checks = settings.base_url === undefined ? null : await examined(invocation, folder);
    if (invocation.has('json'))
      await invocation.printJson({ folder, doctor: checks && { status: worst(checks), checks } });
    else await report(invocation, folder, checks);
    return exitCodeOf(errorsOf(checks ?? []));
  },
};

/** Whether the shipped models are wanted: by the flag, else by the answer of a person. */
async function modelsFor(invocation: Invocation): Promise<ShippedModels> {
  const { person } = invocation;
  const wanted = oneOf(invocation, 'shipped-models', SHIPPED_MODELS);
  if (wanted !== null) return wanted;
  const isAsked = person !== null && invocation.text('base-url') === undefined;
  return isAsked ? await askModels(person, invocation.signal) : 'all';
}

/** The account by the flags, else by the answers of a person; null: none. */
async function accountFor(invocation: Invocation, folder: string): Promise<Account | null> {
  const baseUrl = invocation.text('base-url');
  const browser = browserOf(invocation);
  const isThere = existsSync(join(folder, '.env'));
  if (baseUrl === undefined) {
    const flag = ['token-file', 'client-id', 'client-secret-file'].find(
      (one) => invocation.text(one) !== undefined,
    );
    if (flag !== undefined)
      throw new CrawlhouseError('usage', `--${flag} goes with --base-url`, {
        hint: '--base-url https://service.example',
      });
    const { person } = invocation;
    if (person === null || isThere || process.env.CRAWLHOUSE_BASE_URL) return null;
    return await askAccount(person, browser, invocation.signal);
  }
  if (isThere) {
    throw new CrawlhouseError(
      'usage',
      `${join(folder, '.env')} is there already, and may hold another account`,
      {
        hint: `leave --base-url out, so that it stays, or move it away`,
      },
    );
  }
  const clientId = invocation.text('client-id');
  if (clientId === undefined) return tokenAccount(baseUrl, await secretOf(invocation, 'token-file'));
  const clientSecret = await secretOf(invocation, 'client-secret-file');
  return await signedInAccount({ baseUrl, clientId, clientSecret }, browser, invocation.signal);
}

function browserOf(invocation: Invocation): Browser {
  const port = wholeNumber(invocation, 'redirect-port', 1, 65_535) ?? REDIRECT_PORT;
  const show = (url: string): void => {
    invocation.say(`Your browser asks for your consent. If it does not open, go to:\n  ${url}\n`);
    openBrowser(url);
  };
  return { port, show };
}

async function secretOf(invocation: Invocation, flag: string): Promise<string> {
  const file = invocation.text(flag);
  if (file === undefined)
    throw new CrawlhouseError(
      'usage',
      `--base-url needs --token-file, or --client-id and --client-secret-file`,
      { hint: 'without flags, init asks on a terminal' },
    );
  return (await readFlagFile(invocation, flag, file)).trim();
}

async function examined({ logger, signal }: Invocation, folder: string): Promise<readonly Check[]> {
  const read = async () => {
    const settings = await loadSettings(folder, process.env);
    await setCloudVariables(folder);
    return settings;
  };
  return await examine(folder, read, logger, signal);
}

async function report(
  invocation: Invocation,
  folder: string,
  checks: readonly Check[] | null,
): Promise<void> {
  const isHere = folder === resolve(invocation.workingDirectory);
  const { call, isThere } = callFor(folder);
  const there = (text: string): string => asCalled(text, call);
  const file = isThere ? '.env' : join(folder, '.env');
  const isWell = checks === null || worst(checks) !== 'fail';
  const state = isWell ? 'is ready' : 'is made, but is not ready';
  invocation.say(`${folder} ${state}${isHere || !isThere ? '.' : `:\n  cd ${shellWord(folder)}`}\n\n`);
  if (checks === null) {
    invocation.say(
      there('Without an account, crawl a website:\n  crawlhouse crawl https://www.example.com/\n\n'),
    );
    invocation.say(
      `With an account, put CRAWLHOUSE_BASE_URL and CRAWLHOUSE_ACCESS_TOKEN in ${file}, then:\n`,
    );
    invocation.say(there('  crawlhouse doctor\n  crawlhouse run\n'));
    return;
  }
  await invocation.print(there(describeChecks(checks)));
  const next = isWell
    ? 'Next:\n  crawlhouse run\n'
    : `Correct what fails; the account is in ${file}. Then:\n  crawlhouse doctor\n`;
  invocation.say(there(`\n${next}`));
}

/** The package's own root, which is itself a project folder. */
const TEMPLATE = join(import.meta.dirname, '..', '..', '..', '..');
const COPIED = ['pipelines', 'schemas', 'schedules.yaml'];
const NAME_OTHER = 'name another folder: crawlhouse init DIR';
const IGNORED = ['.crawlhouse/', '.env', '*.duckdb', '*.duckdb.wal'];

const SETTINGS = `# yaml-language-server: $schema=schemas/crawlhouse.schema.json
# Settings. Each is also a variable CRAWLHOUSE_<KEY>. The access token is best kept in .env, which only you may read.
since: all
`;

type ShippedModels = 'all' | 'none';

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
function refuseProject(folder: string): void {
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
async function writeProject(
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
