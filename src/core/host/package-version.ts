import { readFile } from 'node:fs/promises';

const PACKAGE = new URL('../../../package.json', import.meta.url);

let version: Promise<string> | undefined;

/**
 * Returns the version of this program, such as `0.1.0`. Reads it once, because an upgrade does not change a running
 * process.
 */
export function packageVersion(): Promise<string> {
  version ??= readFile(PACKAGE, 'utf8').then((text) => (JSON.parse(text) as { version: string }).version);
  return version;
}
