import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { changedCases } from '../test/support/changed-cases.ts';
import { testFiles } from '../test/support/kinds.ts';
import { nearestTests } from '../test/support/nearest-tests.ts';
import { testsWith } from '../test/support/tests-with.ts';

/**
 * Says what a change forgot: types, lint, architecture, lists that lack something, the cases of models and issues that
 * differ from `main`, and the tests of the folders that do. It takes about a minute of processor time; `npm test` is
 * for the end.
 */
const root = join(import.meta.dirname, '..');
const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--maxWorkers=2'];

interface Step {
  readonly name: string;
  /** Arguments of Node, or of npm where the first is `npm`. */
  readonly command: readonly string[];
}

const changed = changedFiles();
const tests = Object.values(testFiles()).flat();
const complete = testsWith('gaps(', [...new Set(tests)]);
const rules = tests.filter((file) => file === 'test/architecture.test.ts' || file.startsWith('test/docs/'));
const own = testsOf(changed).filter((file) => !rules.includes(file));
const steps: readonly Step[] = [
  { name: 'types', command: ['npm', 'run', '-s', 'types'] },
  ...lintSteps(),
  { name: 'rules and docs', command: [...VITEST, ...rules] },
  { name: 'lists', command: [...VITEST, ...complete.files, '--testNamePattern', complete.pattern] },
  ...changedCases(changed).map((cases) => ({
    name: `cases of ${cases.of.join(', ')}`,
    command: [...VITEST, ...cases.arguments],
  })),
  ...(own.length > 0 ? [{ name: `tests of ${folders(own)}`, command: [...VITEST, ...own] }] : []),
];
process.stdout.write(`${changed.length} files differ from ${base()}\n`);
const failed: string[] = [];
for (const step of steps) if (!(await isGood(step))) failed.push(step.name);
process.stdout.write(failed.length === 0 ? 'Nothing forgotten.\n' : `Failed: ${failed.join(', ')}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** The parts of `npm run lint`: each runs, also where an earlier one fails. */
function lintSteps(): Step[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return String(scripts.lint)
    .split(' && ')
    .map((part) => ({ name: `lint: ${part}`, command: ['npm', 'exec', '--no', '-c', part] }));
}

async function isGood({ name, command }: Step): Promise<boolean> {
  const began = performance.now();
  const [first = '', ...rest] = command;
  const child =
    first === 'npm' ? spawn('npm', rest, { cwd: root }) : spawn(process.execPath, command, { cwd: root });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'}  ${name} (${seconds} s)\n`);
  if (code !== 0) process.stdout.write(`${stdout}${stderr}\n`);
  return code === 0;
}

function git(...words: string[]): string {
  return execFileSync('git', words, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

/** Where this branch left `main`; without that branch the last commit. */
function base(): string {
  for (const branch of ['origin/main', 'main']) {
    try {
      return git('merge-base', 'HEAD', branch);
    } catch {
      // No such branch here.
    }
  }
  return 'HEAD';
}

/** Files that the working tree has otherwise than the base, or in addition. */
function changedFiles(): string[] {
  const lists = [git('diff', '--name-only', base()), git('ls-files', '--others', '--exclude-standard')];
  return lists.flatMap((list) => list.split('\n')).filter((file) => file !== '');
}

/** The tests that changed, and those nearest to a source that did. */
function testsOf(files: readonly string[]): string[] {
  const near = files.flatMap((file) => {
    if (!/^src\/.*\.ts$/.test(file)) return tests.includes(file) ? [file] : [];
    const { own, folder } = nearestTests(file, tests);
    return [...own, ...folder];
  });
  return [...new Set(near)].filter((file) => existsSync(join(root, file))).sort();
}

function folders(files: readonly string[]): string {
  return [...new Set(files.map((file) => file.replace(/\/[^/]*$/, '')))].join(', ');
}
