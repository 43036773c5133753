import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../../../core/files/atomic-file.ts';
import { readText } from '../../../../core/files/read-text.ts';
import { envLine } from '../command-environment.ts';

/**
 * Sets a variable in the `.env` file of a project folder, which only the user may read; null removes the variable.
 * Other lines stay.
 *
 * @throws CrawlhouseError `usage` for a value that `.env` cannot contain
 */
export async function writeDotEnv(projectDir: string, name: string, value: string | null): Promise<void> {
  const path = join(projectDir, '.env');
  const line = value === null ? '' : envLine(name, value);
  const others = (await textIfAny(path)).split('\n').filter((one) => variableIn(one) !== name);
  const former = others.join('\n').replace(/\n?$/, '\n').replace(/^\n$/, '');
  if (existsSync(path) || line !== '') await writeFileAtomic(path, former + line, 0o600);
}

/** Returns the name before `=`; of another line, its text. */
function variableIn(line: string): string {
  const [before = ''] = line.split('=');
  return before.trim().replace(/^export\s+/, '');
}

/** Empty if the file does not exist. */
export async function textIfAny(path: string): Promise<string> {
  return existsSync(path) ? await readText(path) : '';
}
