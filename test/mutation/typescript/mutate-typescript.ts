import { type ChildProcess, fork } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testFiles } from '../../support/kinds.ts';
import { type NearestTests, nearestTests } from '../../support/nearest-tests.ts';
import { seededRandom, testSeed } from '../../support/random.ts';
import { applyChange } from '../change.ts';
import { type Fault, faultsOf } from './faults.ts';
import type { RunRequest } from './run-tests.ts';

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
 * suite would find, but not the tests of its folder or of the folder above, is not caught.
 *
 * @param folders below `src/`, or files; all when empty
 * @param size how many faults to choose, by SEED
 */
export async function mutateTypeScript(folders: readonly string[], size: number): Promise<number> {
  const faults = sample(await allFaults(folders), size, seededRandom(testSeed()));
  const kinds = testFiles();
  const tests = [...kinds.unit, ...kinds.e2e, ...kinds.replacing];
  const groupsOf = ({ own, folder, above }: NearestTests): string[][] =>
    [own, folder, above].flatMap((files) => [
      files.filter((file) => kinds.unit.includes(file)),
      files.filter((file) => !kinds.unit.includes(file)),
    ]);
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-mutation-'));
  const counts: Record<Verdict, number> = { caught: 0, 'time limit': 0, 'NOT CAUGHT': 0, 'no tests': 0 };
  try {
    const copy = await copyRepository(folder);
    using runner = new TestRunner(copy);
    for (const fault of faults) {
      const began = performance.now();
      const verdict = await judge(runner, copy, fault, groupsOf(nearestTests(fault.file, tests)));
      counts[verdict]++;
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      console.log(`${fault.file}:${fault.line}  ${verdict}  ${fault.what}  (${seconds} s)`);
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

/** @param groups the tests that are nearest and take least first */
async function judge(
  runner: TestRunner,
  copy: string,
  fault: SourceFault,
  groups: readonly string[][],
): Promise<Verdict> {
  const asked = groups.filter((files) => files.length > 0);
  if (asked.length === 0) return 'no tests';
  const path = join(copy, fault.file);
  const source = await readFile(path, 'utf8');
  await writeFile(path, applyChange(source, fault));
  runner.changed(fault.file);
  try {
    for (const files of asked) {
      const verdict = await runner.run(files);
      if (verdict !== 'NOT CAUGHT') return verdict;
    }
    return 'NOT CAUGHT';
  } finally {
    await writeFile(path, source);
    runner.changed(fault.file);
  }
}

/** A process that keeps Vitest and the unchanged sources; another one follows if a fault makes it end or hang. */
class TestRunner implements Disposable {
  readonly #copy: string;
  #child: ChildProcess | undefined;
  #changed = new Set<string>();

  constructor(copy: string) {
    this.#copy = copy;
  }

  changed(file: string): void {
    this.#changed.add(file);
  }

  run(tests: readonly string[]): Promise<Verdict> {
    const child = this.#child ?? this.#start();
    const request: RunRequest = { tests, changed: [...this.#changed] };
    this.#changed.clear();
    return new Promise((resolve) => {
      const done = (verdict: Verdict): void => {
        clearTimeout(timer);
        child.removeAllListeners();
        if (verdict === 'time limit' || !child.connected) this[Symbol.dispose]();
        resolve(verdict);
      };
      const timer = setTimeout(() => done('time limit'), MOST_SECONDS * 1000);
      child.once('message', (isGood) => done(isGood === true ? 'NOT CAUGHT' : 'caught'));
      child.once('exit', () => done('caught'));
      child.send(request);
    });
  }

  #start(): ChildProcess {
    // Its processes end with it.
    this.#child = fork(join(this.#copy, 'test/mutation/typescript/run-tests.ts'), {
      cwd: this.#copy,
      stdio: 'ignore',
      detached: true,
    });
    return this.#child;
  }

  [Symbol.dispose](): void {
    if (this.#child?.pid !== undefined)
      try {
        process.kill(-this.#child.pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    this.#child = undefined;
  }
}
