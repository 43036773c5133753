import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testFiles } from '../../support/kinds.ts';
import { type NearestTests, nearestTests } from '../../support/nearest-tests.ts';
import { seededRandom, testSeed } from '../../support/random.ts';
import { applyChange } from '../change.ts';
import { type Fault, faultsOf } from './faults.ts';

const ROOT = join(import.meta.dirname, '../../..');
const LEAST_RATIO = 0.9;
const MOST_SECONDS = 180;
/** What the tests read besides `node_modules` and `dist`, which are linked. */
const LEFT_OUT = ['node_modules', 'dist', 'coverage', '.git', '.engines', '.demo'];
const LINKED = ['node_modules', 'dist'];

interface SourceFault extends Fault {
  readonly file: string;
}
type Verdict = 'caught' | 'time limit' | 'NOT CAUGHT' | 'no tests';

/**
 * Puts single faults into a copy of the repository and runs the tests that are nearest to each. A fault that the whole
 * suite would find, but not the tests of its folder, is not caught.
 *
 * @param folders below `src/`, or files; all when empty
 * @param size how many faults to choose, by SEED
 */
export async function mutateTypeScript(folders: readonly string[], size: number): Promise<number> {
  const faults = sample(await allFaults(folders), size, seededRandom(testSeed()));
  const { unit, e2e, replacing } = testFiles();
  const tests = [...unit, ...e2e, ...replacing];
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-mutation-'));
  const counts: Record<Verdict, number> = { caught: 0, 'time limit': 0, 'NOT CAUGHT': 0, 'no tests': 0 };
  try {
    const copy = await copyRepository(folder);
    for (const fault of faults) {
      const verdict = await judge(copy, fault, nearestTests(fault.file, tests));
      counts[verdict]++;
      console.log(`${fault.file}:${fault.line}  ${verdict}  ${fault.what}`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const found = counts.caught + counts['time limit'];
  const ratio = faults.length === 0 ? 1 : found / faults.length;
  console.log(`${faults.length} faults, ${found} caught, ${(100 * ratio).toFixed(1)} % (SEED=${testSeed()})`);
  return ratio >= LEAST_RATIO ? 0 : 1;
}

async function allFaults(folders: readonly string[]): Promise<SourceFault[]> {
  const sources = (await readdir(join(ROOT, 'src'), { recursive: true }))
    .map((name) => `src/${name}`)
    // What runs in a browser is tested in one.
    .filter((file) => file.endsWith('.ts') && !file.startsWith('src/app/console/browser/'))
    .sort();
  const wanted = (file: string): boolean =>
    folders.length === 0 || folders.some((folder) => `${file}/`.startsWith(`${folder.replace(/\/$/, '')}/`));
  const chosen = sources.filter(wanted);
  if (chosen.length === 0)
    throw new Error(`no source is in ${folders.join(', ')}: name folders as src/core/net`);
  const faults = await Promise.all(
    chosen.map(async (file) => {
      const source = await readFile(join(ROOT, file), 'utf8');
      return faultsOf(source).map((fault) => ({ ...fault, file }));
    }),
  );
  return faults.flat();
}

function sample<T>(values: readonly T[], size: number, random: () => number): T[] {
  const left = [...values];
  return Array.from({ length: Math.min(size, left.length) }, () => {
    const [chosen] = left.splice(Math.floor(random() * left.length), 1);
    return chosen as T;
  });
}

/** The working tree stays as it is: nobody commits a fault by accident. */
async function copyRepository(folder: string): Promise<string> {
  const copy = join(folder, 'repository');
  await cp(ROOT, copy, {
    recursive: true,
    filter: (path) => !LEFT_OUT.some((name) => path === join(ROOT, name)),
  });
  for (const name of LINKED) await symlink(join(ROOT, name), join(copy, name));
  return copy;
}

async function judge(copy: string, fault: SourceFault, { own, folder }: NearestTests): Promise<Verdict> {
  if (own.length + folder.length === 0) return 'no tests';
  const path = join(copy, fault.file);
  const source = await readFile(path, 'utf8');
  await writeFile(path, applyChange(source, fault));
  try {
    for (const files of [own, folder].filter((list) => list.length > 0)) {
      const verdict = await runTests(copy, files);
      if (verdict !== 'NOT CAUGHT') return verdict;
    }
    return 'NOT CAUGHT';
  } finally {
    await writeFile(path, source);
  }
}

async function runTests(copy: string, files: readonly string[]): Promise<Verdict> {
  const vitest = join(copy, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', '--bail=1', '--maxWorkers=1', ...files], {
    cwd: copy,
    stdio: 'ignore',
    // Its processes end with it.
    detached: true,
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, MOST_SECONDS * 1000);
  const [code] = await once(child, 'exit');
  clearTimeout(timer);
  if (isLate) return 'time limit';
  return code === 0 ? 'NOT CAUGHT' : 'caught';
}
