import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Unpacked once for a clone and a version. Nothing is installed. */
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/crawlhouse/debian');

/**
 * Downloads a package of Debian and unpacks it. Returns the folder, in which `usr/share/doc` and so on lie.
 *
 * @throws Error in words where apt or its packages can't be had
 */
export async function unpackedPackage(name: string): Promise<string> {
  try {
    return await unpack(name).catch(async () => {
      // A new machine has no lists of packages, and old lists name versions that are gone.
      await run('apt-get', ['update']);
      return await unpack(name);
    });
  } catch (cause) {
    const { stderr, message } = cause as { stderr?: string; message: string };
    const reason = (stderr || message).trim().slice(-500);
    throw new Error(`can't have the package ${name} of Debian by apt-get: ${reason}`, { cause });
  }
}

async function unpack(name: string): Promise<string> {
  const { stdout } = await run('apt-get', ['download', '--print-uris', name]);
  // 'address' file size hash
  const file = stdout.trim().split(' ')[1];
  if (file === undefined) throw new Error('apt-get names no file');
  const folder = join(CACHE, file.replace(/\.deb$/, ''));
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const place = await mkdtemp(join(CACHE, 'unpacking-'));
  try {
    await run('apt-get', ['download', '-o', 'APT::Sandbox::User=root', name], { cwd: place });
    await run('dpkg-deb', ['-x', join(place, file), join(place, 'content')]);
    await rename(join(place, 'content'), folder);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
  return folder;
}

/** The package that another one of Debian depends on, such as that of the current version. */
export async function dependencyOf(name: string, pattern: RegExp): Promise<string> {
  const { stdout } = await run('apt-cache', ['depends', name]);
  return pattern.exec(stdout)?.[0] ?? name;
}
