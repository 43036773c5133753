import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './temporary.ts';
import './process-timeout.ts';

/** A file system of its own that is full soon. */
export interface SmallDisk {
  readonly path: string;
  resize(megabytes: number): void;
}

/** Why no small disk can be made here; null where it can. */
export function noSmallDisk(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux may mount';
  const answer = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], {
    encoding: 'utf8',
  });
  return answer.status === 0
    ? null
    : `mounting is not allowed: ${answer.stderr?.trim() ?? answer.error?.message}`;
}

export async function smallDisk(megabytes: number): Promise<SmallDisk> {
  const path = join(await temporaryFolder(), 'disk');
  mkdirSync(path);
  mount('-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path);
  onTestFinished(() => void spawnSync('umount', ['--lazy', path]));
  return { path, resize: (to) => mount('-o', `remount,size=${to}m`, path) };
}

function mount(...args: string[]): void {
  const { status, stderr } = spawnSync('mount', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`mount ${args.join(' ')}: ${stderr}`);
}
