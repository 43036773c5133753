import { execFileSync } from 'node:child_process';
import { mkdir, open, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { capture, projectFolder } from './capture.ts';

/** Files of a project, and a command that reads each. */
const FILES: readonly (readonly [name: string, words: readonly string[]])[] = [
  ['crawlhouse.yaml', ['config']],
  ['.env', ['config']],
  ['schedules.yaml', ['status']],
  ['pipelines/x.yaml', ['docs', '--dbt']],
  ['sql/mart/x.sql', ['transform']],
];
/** What may stand in the place of a file, and what is said of it. */
const ODD: readonly (readonly [kind: string, make: (path: string) => Promise<void>, said: RegExp])[] = [
  ['a pipe', async (path) => void execFileSync('mkfifo', [path]), /is a pipe or a device/],
  ['an endless device', (path) => symlink('/dev/zero', path), /is a pipe or a device/],
  ['a folder', async (path) => void (await mkdir(path)), /is a folder/],
  ['a large file', (path) => largeFile(path), /has more than 32 MB/],
];

async function largeFile(path: string): Promise<void> {
  await using file = await open(path, 'w');
  await file.truncate(100_000_000);
}

test.for(FILES)('%s is read only if it is a plain file within the size limit', async ([name, words]) => {
  const folder = await projectFolder();
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  for (const [kind, make, said] of ODD) {
    await rm(path, { force: true, recursive: true });
    await make(path);
    const { code, stderr } = await capture(...words, '--project-dir', folder);
    expect([kind, code, stderr]).toEqual([kind, 2, expect.stringMatching(said)]);
  }
});

test('a file flag accepts a pipe with limited length', async () => {
  const folder = await projectFolder();
  const path = join(folder, 'endless.txt');
  await symlink('/dev/zero', path);
  const { code, stderr } = await capture('query', '--file', path, '--project-dir', folder);
  expect([code, stderr]).toEqual([2, expect.stringContaining('has more than 256 MB')]);
  const pipe = join(folder, 'pipe.sql');
  execFileSync('mkfifo', [pipe]);
  const [asked] = await Promise.all([
    capture('query', '--file', pipe, '--project-dir', folder),
    writeFile(pipe, 'SELECT 1'),
  ]);
  expect(asked.stderr).toContain('there is no warehouse');
});
