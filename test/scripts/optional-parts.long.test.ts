import { spawnSync } from 'node:child_process';
import { cp, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary.ts';

const ROOT = join(import.meta.dirname, '../..');
const PARTS = ['src/etl/engines/trino', 'src/etl/pipeline/workers', 'src/etl/state/ledger/postgres'];
const NEEDED = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'tsconfig.types.json',
  'scripts',
  'src',
];

/** A copy of the sources without some folders. */
async function copyWithout(parts: readonly string[]): Promise<string> {
  const folder = await temporaryFolder();
  for (const name of [...NEEDED, 'pipelines', 'sql'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  for (const part of parts) await rm(join(folder, part), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function run(folder: string, ...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
  expect(status, `${words.join(' ')}\n${stdout}${stderr}`).toBe(0);
  return stdout;
}

test.each(PARTS)(
  'everything else compiles without %s',
  async (part) => {
    const folder = await copyWithout([part]);
    run(folder, 'node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json', '--noEmit');
  },
  300_000,
);

test('everything else builds and runs without the optional parts', async () => {
  const folder = await copyWithout(PARTS);
  run(folder, 'scripts/build.ts');
  const main = join('dist', 'app', 'cli', 'main.js');
  expect(run(folder, main, '--version')).toMatch(/^\d/m);
  expect(run(folder, main, 'move', '--help')).not.toContain('trino');
});
