import { join } from 'node:path';
import { writeFileAtomic } from '../../../../core/files/atomic-file.ts';
import { documentToChange } from '../../../../core/text/parse-yaml.ts';
import { textIfAny, writeDotEnv } from './dot-env.ts';

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
  const document = documentToChange(await textIfAny(path));
  document.set('base_url', base_url);
  if (projects !== 'all' || document.has('projects')) document.set('projects', projects);
  await writeDotEnv(projectDir, 'CRAWLHOUSE_ACCESS_TOKEN', access_token);
  await writeFileAtomic(path, document.toString({ lineWidth: 0 }));
}
