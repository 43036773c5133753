import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Check, errorsOf } from '../../../core/duckdb/check.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { endPrivacy } from '../../../core/files/private-files.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import { exitCodeOf } from '../../../etl/project/model/runs/run-result.ts';
import { setCloudVariables } from '../../../etl/project/settings/command-environment.ts';
import { examine } from '../../operations/doctor/examine.ts';
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
import { refuseProject, type ShippedModels, writeProject } from '../project/write-project.ts';
import { describeChecks, worst } from '../reports/doctor-report.ts';

const SHIPPED_MODELS: readonly ShippedModels[] = ['all', 'none'];

/** The default of the redirect address. It must not change, because services have it registered. */
const REDIRECT_PORT = 8976;

export const init: Command = {
  name: 'init',
  summary: 'make a project folder; on a terminal, init asks for the account',
  positionals: { shown: '[DIR]', most: 1 },
  flags: {
    'base-url': { value: 'URL', help: 'the address of the service; init then asks no questions' },
    'shipped-models': {
      value: 'WHICH',
      values: SHIPPED_MODELS,
      help: 'all (default), or none for raw tables only; init then asks no questions',
    },
    'token-file': { value: 'F', help: 'a file with the access token, such as /dev/stdin' },
    'client-id': { value: 'ID', help: 'sign in through the browser with this OAuth2 application' },
    'client-secret-file': { value: 'F', help: 'a file that contains the application secret' },
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

/** Returns the shipped models to use: by the flag, else by the user's answer. */
async function modelsFor(invocation: Invocation): Promise<ShippedModels> {
  const { person } = invocation;
  const wanted = oneOf(invocation, 'shipped-models', SHIPPED_MODELS);
  if (wanted !== null) return wanted;
  const isAsked = person !== null && invocation.text('base-url') === undefined;
  return isAsked ? await askModels(person, invocation.signal) : 'all';
}

/** Returns the account from the flags, else from the user's answers; null if there is none. */
async function accountFor(invocation: Invocation, folder: string): Promise<Account | null> {
  const baseUrl = invocation.text('base-url');
  const browser = browserOf(invocation);
  const isThere = existsSync(join(folder, '.env'));
  if (baseUrl === undefined) {
    const flag = ['token-file', 'client-id', 'client-secret-file'].find(
      (one) => invocation.text(one) !== undefined,
    );
    if (flag !== undefined)
      throw new CrawlhouseError('usage', `--${flag} needs --base-url`, {
        hint: '--base-url https://service.example',
      });
    const { person } = invocation;
    if (person === null || isThere || process.env.CRAWLHOUSE_BASE_URL) return null;
    return await askAccount(person, browser, invocation.signal);
  }
  if (isThere) {
    throw new CrawlhouseError(
      'usage',
      `${join(folder, '.env')} already exists and may have another account`,
      { hint: `leave out --base-url to keep this account, or move the file away` },
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
      { hint: 'on a terminal, init without flags asks for these values' },
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
  const state = isWell ? 'is ready' : 'is created but not ready';
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
