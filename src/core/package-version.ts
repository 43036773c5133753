import { readFile } from 'node:fs/promises';

const PACKAGE = new URL('../../package.json', import.meta.url);

/** The version of this program, such as `0.1.0`. */
export async function packageVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(PACKAGE, 'utf8')) as { version: string };
  return version;
}
