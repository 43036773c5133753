import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asCalled, callFor, programWords } from '../../../src/app/cli/as-called.ts';
import { shellWord } from '../../../src/core/text/shell-word.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const BIN = join(ROOT, 'dist', 'app', 'cli', 'main.js');
const FILES = `${shellWord(process.execPath)} ${join(ROOT, 'src', 'app', 'cli', 'main.ts')}`;

/** A folder with a program `crawlhouse`: ours, or another one of the same name. */
async function binFolder(folder: string, isOurs: boolean): Promise<string> {
  await mkdir(folder, { recursive: true });
  const program = join(folder, 'crawlhouse');
  if (isOurs) await symlink(BIN, program);
  else {
    await writeFile(program, '#!/bin/sh\n');
    await chmod(program, 0o755);
  }
  return folder;
}

test('a program on the PATH is called by its name', async () => {
  const folder = await temporaryFolder();
  const PATH = await binFolder(join(folder, 'bin'), true);
  expect(programWords({ folder, environment: { PATH } })).toBe('crawlhouse');
});

test('the longest matching command is recognized', () => {
  const call = { argv: ['--project-dir', 'p'], folder: ROOT, environment: {} };
  expect(asCalled('crawlhouse logs bots update F; crawlhouse logs bots', call)).toBe(
    'npx crawlhouse logs bots update --project-dir p F; npx crawlhouse logs bots --project-dir p',
  );
});

test('another program with the same name is not called', async () => {
  const folder = await temporaryFolder();
  const PATH = await binFolder(join(folder, 'bin'), false);
  expect(programWords({ folder, environment: { PATH } })).toBe(FILES);
});

test('npx finds crawlhouse in the clone and in its subfolders', () => {
  expect(programWords({ folder: ROOT, environment: { PATH: '/nowhere' } })).toBe('npx crawlhouse');
  expect(programWords({ folder: join(ROOT, 'docs'), environment: {} })).toBe('npx crawlhouse');
});

test('npx finds an installed crawlhouse, and PATH entries added by npx do not count', async () => {
  const folder = await temporaryFolder();
  const PATH = await binFolder(join(folder, 'node_modules', '.bin'), true);
  await mkdir(join(folder, 'acme'));
  const environment = { PATH, npm_command: 'exec' };
  for (const place of [folder, join(folder, 'acme')])
    expect(programWords({ folder: place, environment })).toBe('npx crawlhouse');
});

test('elsewhere the files are named, because npx would request a foreign package', async () => {
  const folder = await temporaryFolder();
  expect(programWords({ folder, environment: { PATH: '/nowhere' } })).toBe(FILES);
  await binFolder(join(folder, 'node_modules', '.bin'), false);
  expect(programWords({ folder, environment: { PATH: '/nowhere' } })).toBe(FILES);
});

test('every command in a message works as printed, with the current project folder', () => {
  const call = { argv: ['doctor', '--project-dir', '../my site'], folder: ROOT, environment: {} };
  expect(asCalled('crawlhouse run publishes one; crawlhouse sandbox start; crawlhouse init DIR', call)).toBe(
    "npx crawlhouse run --project-dir '../my site' publishes one; npx crawlhouse sandbox start; npx crawlhouse init DIR",
  );
  expect(asCalled('crawlhouse query', { ...call, argv: ['doctor', '--project-dir=acme'] })).toBe(
    'npx crawlhouse query --project-dir acme',
  );
});

test('text that is not a command stays unchanged', () => {
  const text = 'crawlhouse 0.1.0, /srv/crawlhouse run, crawlhouse needs Node.js';
  expect(asCalled(text, { argv: [], folder: ROOT, environment: {} })).toBe(text);
});

test('hints for a new project use a path from the clone if no command name works', async () => {
  const folder = await temporaryFolder();
  const here = { argv: ['init', folder], folder: ROOT, environment: { PATH: '/nowhere' } };
  const from = callFor(folder, here);
  expect(from.isThere).toBe(false);
  expect(asCalled('crawlhouse doctor', from.call)).toBe(`npx crawlhouse doctor --project-dir ${folder}`);
  const below = callFor(join(ROOT, 'docs'), here);
  expect([below.isThere, asCalled('crawlhouse doctor', below.call)]).toEqual([true, 'npx crawlhouse doctor']);
  const near = callFor(join(ROOT, '..'), here);
  expect(asCalled('crawlhouse run', near.call)).toBe('npx crawlhouse run --project-dir ..');
  const nowhere = callFor(folder, { ...here, folder: await temporaryFolder() });
  expect([nowhere.isThere, asCalled('crawlhouse doctor', nowhere.call)]).toEqual([true, `${FILES} doctor`]);
});
