import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/crawlhouse');
const INSTALL_MS = 600_000;

/**
 * A virtual environment with packages of PyPI, installed once for a clone. Each package has its version: `scrapy==2.19.0`.
 *
 * @returns the environment's folder
 * @throws Error in words where Python or PyPI can't be had
 */
export async function installPython(name: string, packages: readonly string[]): Promise<string> {
  const folder = join(CACHE, name, `${packages.join(',').replaceAll('==', '-')}-${process.platform}`);
  const whole = join(folder, 'whole');
  if (existsSync(whole)) return folder;
  try {
    await run('python3', ['-m', 'venv', '--clear', folder], { timeout: INSTALL_MS });
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages];
    await run(join(folder, 'bin', 'python'), pip, { timeout: INSTALL_MS });
    await writeFile(whole, '');
  } catch (cause) {
    await rm(folder, { recursive: true, force: true });
    const { stderr, message } = cause as { stderr?: string; message: string };
    throw new Error(
      `can't install ${packages.join(', ')} with python3, venv and PyPI: ${(stderr || message).trim().slice(-500)}`,
      { cause },
    );
  }
  return folder;
}
