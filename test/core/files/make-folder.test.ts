import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CrawlhouseError, toCrawlhouseError } from '../../../src/core/errors/errors.ts';
import { checkFolder, makeFolder } from '../../../src/core/files/make-folder.ts';
import { host, withHost } from '../../../src/core/host/host.ts';
import { seededRandom, testSeed } from '../../support/random.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const NAMES = ['a', 'b', 'c', 'file', 'dangling', 'loop', 'to-a', 'to-file', 'n'.repeat(256)];

test('a folder is created or refused exactly as by mkdir -p', async () => {
  const folder = await temporaryFolder();
  const random = seededRandom(testSeed());
  const pick = (): string => NAMES[Math.floor(random() * NAMES.length)] as string;
  for (let round = 0; round < 60; round++) {
    const path = Array.from({ length: 1 + Math.floor(random() * 3) }, pick).join('/');
    const [ours, theirs, looked] = ['ours', 'theirs', 'looked'].map((name) => plant(join(folder, name)));
    const expected = spawnSync('mkdir', ['-p', join(String(theirs), path)]).status === 0;
    const made = attempt(() => makeFolder(join(String(ours), path)));
    expect(made === null, path).toBe(expected);
    const checked = attempt(() => checkFolder(join(String(looked), path), 'state_dir', false));
    if (expected) {
      expect(statSync(join(String(ours), path)).isDirectory(), path).toBe(true);
      expect(checked, path).toBe(null);
    } else {
      expect(made?.code, path).toBe('bad_project');
      expect(made?.message, path).toContain(join(String(ours), path));
      // A name that is too long below a folder that is not there yet shows when it is made.
      if (!path.includes('nnn')) expect(checked?.code, path).toBe('bad_project');
    }
    // A look leaves nothing behind.
    expect(readdirSync(String(looked)).sort(), path).toEqual([
      'a',
      'dangling',
      'file',
      'loop',
      'to-a',
      'to-file',
    ]);
  }
});

test.skipIf(process.platform !== 'linux')(
  'a folder below /proc is refused immediately, and existing folders stay',
  () => {
    for (const path of ['/proc/nope', '/proc/nope/below', '/proc/self/nope']) {
      const error = attempt(() => makeFolder(path, { from: 'state_dir' }));
      expect(error?.exitCode, path).toBe(2);
      expect(error?.message).toContain(`${path} (state_dir) cannot be created: /proc`);
      expect(error?.hint).toContain('CRAWLHOUSE_STATE_DIR');
      expect(attempt(() => checkFolder(path, 'state_dir', true))?.message).toBe(error?.message);
    }
    expect(makeFolder('/proc')).toBeUndefined();
  },
);

test('the first created folder is returned, or nothing if all exist', async () => {
  const folder = await temporaryFolder();
  expect(makeFolder(join(folder, 'a', 'b', 'c'))).toBe(join(folder, 'a'));
  expect(makeFolder(join(folder, 'a', 'b', 'c'))).toBeUndefined();
});

test('without write permission, a writer is refused, and a reader of a missing folder continues', async () => {
  const folder = await temporaryFolder();
  for (const [code, said] of [
    ['EACCES', `no right to write to ${folder}`],
    ['EROFS', `${folder} is on a read-only file system`],
  ] as const) {
    const refused = (): never => {
      throw Object.assign(new Error(code), { code });
    };
    const real = host();
    withHost({ ...real, files: { ...real.files, mkdirSync: refused } }, () => {
      const path = join(folder, 'state');
      expect(attempt(() => makeFolder(path))?.message).toContain(said);
      expect(attempt(() => checkFolder(path, 'state_dir', false))?.message).toContain(said);
      expect(attempt(() => checkFolder(path, 'state_dir', true))).toBe(null);
      expect(attempt(() => makeFolder(folder))).toBe(null);
    });
  }
});

test('a full or failing disk stays a retriable error', async () => {
  const folder = await temporaryFolder();
  const full = (): never => {
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  };
  const real = host();
  withHost({ ...real, files: { ...real.files, mkdirSync: full } }, () =>
    expect(attempt(() => makeFolder(join(folder, 'a')))?.code).toBe('disk'),
  );
});

/** A folder with what may be in the way. */
function plant(root: string): string {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(join(root, 'a'), { recursive: true });
  writeFileSync(join(root, 'file'), '');
  symlinkSync('nowhere', join(root, 'dangling'));
  symlinkSync('loop', join(root, 'loop'));
  symlinkSync('a', join(root, 'to-a'));
  symlinkSync('file', join(root, 'to-file'));
  return root;
}

function attempt(work: () => unknown): CrawlhouseError | null {
  try {
    work();
    return null;
  } catch (error) {
    return toCrawlhouseError(error);
  }
}
