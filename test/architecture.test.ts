import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', 'src');

/** Imports go to a strictly lower rank, or stay in their folder (docs/architecture.md). */
const RANKS: Readonly<Record<string, number>> = {
  core: 0,
  model: 1,
  config: 2,
  api: 2,
  stores: 2,
  ledger: 2,
  warehouse: 2,
  discover: 3,
  extract: 3,
  stage: 3,
  load: 3,
  transform: 3,
  publish: 3,
  query: 3,
  document: 3,
  alert: 3,
  pipeline: 4,
  schedule: 5,
  doctor: 5,
  sandbox: 5,
  cli: 6,
};
/** The sandbox shares only the contract: where both sides are wrong in the same way, no test could see it. */
const SANDBOX_MAY_IMPORT = ['api', 'core', 'sandbox'];
const LONGEST_FILE = 320;

interface Source {
  /** Below `src`, such as `core/json.ts`. */
  readonly file: string;
  readonly text: string;
}

const sources: readonly Source[] = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .sort()
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));

/** Every module that a text imports or exports from, in whatever form. */
function importsOf(text: string): string[] {
  const forms = [
    /^\s*(?:import|export)\b[^'";]*?\bfrom\s*['"]([^'"]+)['"]/gm,
    /^\s*import\s*['"]([^'"]+)['"]/gm,
    /\bimport\s*\(\s*['"]([^'"]+)['"]\s*\)/g,
  ];
  return forms.flatMap((form) => [...text.matchAll(form)].map((match) => String(match[1])));
}

/** The files of `src` that a source imports, below `src`. */
function edgesOf({ file, text }: Source): string[] {
  return importsOf(text)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => relative(ROOT, join(ROOT, dirname(file), specifier)));
}

function folderOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? '') : '';
}

/** Files whose text matches, but those that `allowed` lets. */
function offenders(pattern: RegExp, allowed: (file: string) => boolean): string[] {
  return sources.filter(({ file, text }) => !allowed(file) && pattern.test(text)).map(({ file }) => file);
}

test('the walk sees every form of import', () => {
  const text = [
    "import a from './a.ts';",
    "import {\n  type B,\n  c,\n} from '../b.ts';",
    "import './side-effect.ts';",
    "export { d } from './d.ts';",
    "export * from './e.ts';",
    "const f = await import('./f.ts');",
    "import type { G } from 'g';",
  ].join('\n');
  expect(importsOf(text).sort()).toEqual(
    ['./a.ts', '../b.ts', './side-effect.ts', './d.ts', './e.ts', './f.ts', 'g'].sort(),
  );
  expect(sources.length).toBeGreaterThan(50);
});

test('every relative import names a file that exists', () => {
  const missing = sources.flatMap((source) =>
    edgesOf(source)
      .filter(
        (edge) => !existsSync(join(ROOT, edge)) && !existsSync(join(ROOT, edge.replace(/\.js$/, '.ts'))),
      )
      .map((edge) => `${source.file} → ${edge}`),
  );
  expect(missing).toEqual([]);
});

test('imports go to a strictly lower rank or stay in their folder', () => {
  const upward = sources.flatMap((source) => {
    const from = folderOf(source.file);
    if (from === '') return [];
    return edgesOf(source)
      .filter((edge) => {
        const to = folderOf(edge);
        if (to === from) return false;
        return !((RANKS[to] ?? Number.POSITIVE_INFINITY) < (RANKS[from] ?? -1));
      })
      .map((edge) => `${source.file} → ${edge}`);
  });
  expect(upward).toEqual([]);
});

test('the sandbox shares only api and core with the rest', () => {
  const shared = sources
    .filter(({ file }) => folderOf(file) === 'sandbox')
    .flatMap((source) =>
      edgesOf(source)
        .filter((edge) => !SANDBOX_MAY_IMPORT.includes(folderOf(edge)))
        .map((edge) => `${source.file} → ${edge}`),
    );
  expect(shared).toEqual([]);
});

test('no file imports itself over others', () => {
  const edges = new Map(sources.map((source) => [source.file, edgesOf(source)]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (path.includes(file) || done.has(file)) return;
    for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const { file } of sources) visit(file, []);
  expect(circles).toEqual([]);
});

test('only src/index.ts re-exports, and no other file is called index', () => {
  expect(offenders(/^\s*export\b[^'";=(]*\bfrom\s*['"]/m, (file) => file === 'index.ts')).toEqual([]);
  expect(sources.filter(({ file }) => basename(file) === 'index.ts' && file !== 'index.ts')).toEqual([]);
});

test('the folders of src are those that the design names', () => {
  const folders = readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  expect(folders.filter((name) => !(name in RANKS))).toEqual([]);
  const loose = sources.filter(({ file }) => folderOf(file) === '' && file !== 'index.ts');
  expect(loose.map(({ file }) => file)).toEqual([]);
});

test('every file and folder is named in kebab-case', () => {
  const named = sources.filter(
    ({ file }) => !/^([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*(\.d)?\.ts$/.test(file),
  );
  expect(named.map(({ file }) => file)).toEqual([]);
});

test('nothing outside cli prints to the console', () => {
  expect(offenders(/\bconsole\./, (file) => folderOf(file) === 'cli')).toEqual([]);
});

test('nothing outside config and cli reads the environment', () => {
  const allowed = ['config', 'cli'];
  expect(offenders(/\bprocess\.env\b/, (file) => allowed.includes(folderOf(file)))).toEqual([]);
});

test(`no file is longer than ${LONGEST_FILE} lines`, () => {
  const long = sources.filter(({ text }) => text.split('\n').length - 1 > LONGEST_FILE);
  expect(long.map(({ file }) => file)).toEqual([]);
});
