import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);
const NEEDED = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'tsconfig.json',
  'tsconfig.build.json',
  'tsconfig.types.json',
];

/** A clone that is installed and built. */
let clone = '';
/** When its `dist/` was built. */
let built = 0;

beforeAll(async () => {
  await run(process.execPath, ['scripts/build.ts'], { cwd: ROOT });
  clone = await mkdtemp(join(tmpdir(), 'crawlhouse-clone-'));
  for (const name of [...NEEDED, 'scripts', 'src', 'pipelines', 'sql', 'dist'])
    await cp(join(ROOT, name), join(clone, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  built = (await stat(stamp())).mtimeMs;
});

afterAll(() => rm(clone, { recursive: true, force: true }));

const stamp = (): string => join(clone, 'dist', '.built');
const build = (): Promise<{ code: number }> =>
  run(process.execPath, ['scripts/build.ts'], { cwd: clone }).then(
    () => ({ code: 0 }),
    ({ code }: { code: number }) => ({ code }),
  );

test('the first npx in a clone builds nothing again, whatever the file times', async () => {
  const env = { ...process.env, npm_config_cache: await temporaryFolder(), npm_config_offline: 'true' };
  const { stdout, stderr } = await run('npx', ['crawlhouse', '--version'], { cwd: clone, env });
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  expect([stdout.trim(), stderr]).toEqual([version, '']);
  expect((await stat(stamp())).mtimeMs).toBe(built);
});

test('npm ci explains in a sentence which Node runs what', async () => {
  const said = async (version: string): Promise<string> => {
    const env = {
      ...process.env,
      npm_command: 'ci',
      npm_config_user_agent: `npm/11.0.0 node/v${version} linux x64`,
    };
    return (await run(process.execPath, ['scripts/build.ts'], { cwd: clone, env })).stdout;
  };
  expect(await said('20.20.2')).toMatch(/^npm runs on Node\.js 20\.20\.2; .* run on the 24\.\d+\.\d+ .*\n$/);
  expect(await said('24.0.0')).toBe('');
});

test('a missing file of dist/ is rebuilt, and a source that does not compile keeps the previous dist/', async () => {
  const main = join(clone, 'dist', 'app', 'cli', 'main.js');
  await rm(main);
  expect(await build()).toEqual({ code: 0 });
  expect(await readFile(main, 'utf8')).toBe(
    await readFile(join(ROOT, 'dist', 'app', 'cli', 'main.js'), 'utf8'),
  );
  const former = [await readFile(main, 'utf8'), await readFile(stamp(), 'utf8')];
  await writeFile(join(clone, 'src', 'index.ts'), 'export const broken = ;\n');
  for (const _ of ['at first', 'and again']) expect((await build()).code).not.toBe(0);
  expect([await readFile(main, 'utf8'), await readFile(stamp(), 'utf8')]).toEqual(former);
});
