import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { BrowserFolder, browserEnvironment } from '../../../../src/site/crawler/render/browser-folder.ts';

/** A folder for temporary files, whose path has a beginning. */
function temporaryFiles(prefix: string): string {
  const folder = mkdtempSync(prefix);
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

test('a folder of a browser is private, and removed with it or with the program', async () => {
  const before = process.listenerCount('exit');
  const folder = new BrowserFolder();
  expect(statSync(folder.path).mode & 0o777).toBe(0o700);
  expect(browserEnvironment(folder.path).TMPDIR).toBe(folder.path);
  folder.removeAtExit();
  expect(process.listenerCount('exit')).toBe(before + 1);
  const remove = process.listeners('exit').at(-1);
  remove?.call(process, 0);
  expect(() => statSync(folder.path)).toThrow('ENOENT');
  mkdirSync(folder.path);
  await folder[Symbol.asyncDispose]();
  expect(process.listenerCount('exit')).toBe(before);
  expect(() => statSync(folder.path)).toThrow('ENOENT');
});

test('a folder whose path is too long for a socket is in /tmp, and those of dead processes are removed', async () => {
  temporaryFiles(join('/tmp', 'x'.repeat(60)));
  await using folder = new BrowserFolder();
  expect(dirname(folder.path)).toBe('/tmp');
  const short = temporaryFiles('/tmp/b-');
  await using first = new BrowserFolder();
  const left = first.path.replace(`-${process.pid}-`, '-4194305-');
  mkdirSync(left);
  await using second = new BrowserFolder();
  expect([dirname(first.path), dirname(second.path)]).toEqual([short, short]);
  expect(() => statSync(left)).toThrow('ENOENT');
});
