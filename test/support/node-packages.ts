import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/crawlhouse');
const INSTALL_MS = 600_000;

/**
 * A folder with packages of npm that are no dependencies of the project, installed once for a clone, without their scripts.
 * Each package has its version: `crawlee@3.18.1`.
 *
 * @returns the folder that has their `node_modules`
 * @throws Error in words where npm's registry can't be had
 */
export async function installPackages(name: string, packages: readonly string[]): Promise<string> {
  const folder = join(CACHE, name, packages.join(',').replaceAll('/', '+'));
  const whole = join(folder, 'whole');
  if (existsSync(whole)) return folder;
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"private": true}');
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
    await run('npm', ['install', '--prefix', folder, ...flags, ...packages], {
      cwd: folder,
      timeout: INSTALL_MS,
    });
    await writeFile(whole, '');
  } catch (cause) {
    await rm(folder, { recursive: true, force: true });
    const { stderr, message } = cause as { stderr?: string; message: string };
    throw new Error(
      `can't install ${packages.join(', ')} with npm: ${(stderr || message).trim().slice(-500)}`,
      { cause },
    );
  }
  return folder;
}

/**
 * The files of one package of npm, without those it depends on: `swagger-ui-dist@5.35.0`.
 *
 * @returns the folder that has its `package.json`
 * @throws Error in words where npm's registry can't be had
 */
export async function unpackPackage(name: string): Promise<string> {
  const folder = join(CACHE, 'packages', name.replaceAll('/', '+'));
  const whole = join(folder, 'whole');
  if (existsSync(whole)) return join(folder, 'package');
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const packed = await run('npm', ['pack', name, '--silent', '--pack-destination', folder], {
      cwd: folder,
      timeout: INSTALL_MS,
    });
    await run('tar', ['-xzf', join(folder, packed.stdout.trim()), '-C', folder]);
    await writeFile(whole, '');
  } catch (cause) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`can't have ${name} from npm: ${(cause as Error).message.slice(-500)}`, { cause });
  }
  return join(folder, 'package');
}
