import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';

/**
 * Builds `dist/` for the bin and the package, with the manual page and the files of the console. Does nothing where
 * `dist/` is what these sources gave.
 */
const root = join(import.meta.dirname, '..');
const DIST = join(root, 'dist');
/** Written first, and renamed once it is whole: a build that fails leaves the former `dist/`. */
const BUILDING = join(root, 'dist.building');
/** Of which sources the files beside it were made, and which files these were. Written last. */
const STAMP = '.built';
const SOURCES = [
  'package.json',
  'package-lock.json',
  'pipelines',
  'scripts/build.ts',
  'sql',
  'src',
  'tsconfig.build.json',
  'tsconfig.json',
  'tsconfig.types.json',
];

sayWhichNode();
const sources = hashOf(root, filesOf(...SOURCES), (file) => readFileSync(file));
const stampFile = join(DIST, STAMP);
if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stampOf(DIST)) {
  rmSync(BUILDING, { recursive: true, force: true });
  mkdirSync(BUILDING);
  await Promise.all([compile('build'), compile('types'), addManPage(), addYaml(), buildConsole()]);
  chmodSync(join(BUILDING, 'app', 'cli', 'main.js'), 0o755);
  dropInnerTypes();
  writeFileSync(join(BUILDING, STAMP), stampOf(BUILDING));
  rmSync(DIST, { recursive: true, force: true });
  renameSync(BUILDING, DIST);
}

/** npm runs on the Node of the machine, and would warn of each package that asks for a later one (.npmrc). */
function sayWhichNode(): void {
  const { npm_command, npm_config_user_agent = '' } = process.env;
  const [, version, major] = /\bnode\/v((\d+)\.\S+)/.exec(npm_config_user_agent) ?? [];
  if (npm_command !== 'ci' || version === undefined || Number(major) >= 24) return;
  process.stdout.write(
    `npm runs on Node.js ${version}; crawlhouse and its scripts run on the ${process.version.slice(1)} that is installed now.\n`,
  );
}

/** The sources, and the files of a folder that was made from them. */
function stampOf(folder: string): string {
  const built = filesIn(folder).filter((file) => file !== join(folder, STAMP));
  return `${sources}\n${hashOf(folder, built, (file) => String(statSync(file).size))}\n`;
}

function filesOf(...names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const path = join(root, name);
    return statSync(path).isDirectory() ? filesIn(path) : path;
  });
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function hashOf(from: string, files: readonly string[], read: (file: string) => string | Uint8Array): string {
  const hash = createHash('sha256');
  for (const file of files) {
    const value = read(file);
    hash.update(`${relative(from, file)}\0${value.length}\0`).update(value);
  }
  return hash.digest('hex');
}

/** Writes the program (`build`), or the types of what its entry imports (`types`). */
async function compile(part: 'build' | 'types'): Promise<void> {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const project = join(root, `tsconfig.${part}.json`);
  // `npm run types` checks types, which takes longer than all else here. Several checkers would each infer the same types.
  const flags = ['--project', project, '--outDir', BUILDING, '--noCheck', '--checkers', '1'];
  const [code] = await once(spawn(process.execPath, [compiler, ...flags], { stdio: 'inherit' }), 'exit');
  if (code !== 0) process.exit(code ?? 1);
}

/** Leaves the types that the package's entry leads to: no other file can be imported. */
function dropInnerTypes(): void {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(
      /(?:from |import\()['"](\.[^'"]+)\.[jt]s['"]/g,
    ))
      visit(join(file, '..', `${path}.d.ts`));
  };
  visit(join(BUILDING, 'index.d.ts'));
  for (const file of filesIn(BUILDING).filter((one) => one.endsWith('.d.ts') && !reached.has(one)))
    rmSync(file);
}

async function addManPage(): Promise<void> {
  const { manPage } = await import('../src/app/cli/man-page.ts');
  writeFileSync(join(BUILDING, 'crawlhouse.1'), await manPage());
}

/** The headers under `sql/` and the pipelines, as YAML gives them. */
async function addYaml(): Promise<void> {
  const { compileYaml } = await import('../src/core/text/parse-yaml.ts');
  const { parseYaml } = await import('../src/core/text/parse-yaml.ts');
  const { headerComment } = await import('../src/etl/project/sql/text/sql-file.ts');
  const texts = filesOf('sql', 'pipelines').flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return file.endsWith('.sql') ? (headerComment(text)?.yaml ?? []) : file.endsWith('.yaml') ? text : [];
  });
  const values = new Map<string, unknown>();
  for (const text of texts)
    try {
      values.set(text, parseYaml(text).value);
    } catch {
      // The command that reads the file says what is wrong with it.
    }
  writeFileSync(join(BUILDING, 'yaml.json'), compileYaml(values));
}

async function buildConsole(): Promise<void> {
  const { build } = await import('vite');
  const { CHART_STYLE } = await import('../src/app/answers/presentation/charts/chart-style.ts');
  const { PAGE_STYLE } = await import('../src/app/answers/presentation/page-style.ts');
  const folder = join(root, 'src', 'app', 'console');
  const assets = join(BUILDING, 'app', 'console', 'assets');
  cpSync(join(folder, 'assets'), assets, { recursive: true });
  const style = join(assets, 'console.css');
  writeFileSync(style, PAGE_STYLE + CHART_STYLE + readFileSync(style, 'utf8'));
  await build({
    root: join(folder, 'browser'),
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: assets,
      emptyOutDir: false,
      target: 'es2024',
      modulePreload: false,
      rolldownOptions: {
        input: { console: join(folder, 'browser', 'main.ts') },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
}
