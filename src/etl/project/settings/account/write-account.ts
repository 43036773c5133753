import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../../../core/files/atomic-file.ts';
import { readText } from '../../../../core/files/read-text.ts';
import { documentToChange } from '../../../../core/text/parse-yaml.ts';
import { envLine } from '../command-environment.ts';

const TOKEN = 'CRAWLHOUSE_ACCESS_TOKEN';
const TOKEN_LINE = /^\s*(?:export\s+)?CRAWLHOUSE_ACCESS_TOKEN\s*=/;

interface NewAccount {
  readonly base_url: string;
  readonly access_token: string;
  /** Ids of projects. */
  readonly projects: 'all' | readonly string[];
}

/**
 * Writes the account of a project folder: its address and projects into `crawlhouse.yaml`, whose comments and other
 * keys stay, and the token into `.env`, which only the user may read.
 *
 * @throws CrawlhouseError `usage` for a token that `.env` cannot contain
 */
export async function writeAccount(
  projectDir: string,
  { base_url, access_token, projects }: NewAccount,
): Promise<void> {
  const path = join(projectDir, 'crawlhouse.yaml');
  const document = documentToChange(await textOf(path));
  document.set('base_url', base_url);
  if (projects !== 'all' || document.has('projects')) document.set('projects', projects);
  const environment = join(projectDir, '.env');
  const others = (await textOf(environment)).split('\n').filter((line) => !TOKEN_LINE.test(line));
  const former = others.join('\n').replace(/\n?$/, '\n').replace(/^\n$/, '');
  await writeFileAtomic(environment, former + envLine(TOKEN, access_token), 0o600);
  await writeFileAtomic(path, document.toString({ lineWidth: 0 }));
}

async function textOf(path: string): Promise<string> {
  return existsSync(path) ? await readText(path) : '';
}
