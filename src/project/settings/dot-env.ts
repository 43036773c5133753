import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { readText } from '../../core/files/read-text.ts';

/** The variables in the `.env` of a project folder; none where there is no such file. */
export async function readDotEnv(projectDir: string): Promise<Record<string, string | undefined>> {
  const path = join(projectDir, '.env');
  return existsSync(path) ? parseEnv(await readText(path)) : {};
}
