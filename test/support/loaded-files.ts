import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const IMPORT = /^(?:import|export)\b(?! type\b)[^'";]*?['"](\.[^'"]+\.ts)['"]|\bimport\('(\.[^']+\.ts)'\)/gm;
/** A program that the file starts, such as `main.ts`. */
const PROGRAM = /['"`/](\w[\w-]*)(?:\.ts['"`]|\$\{extname)/g;
const named = Map.groupBy(globSync('src/**/*.ts', { cwd: ROOT }), (path) => basename(path, '.ts'));
const next = new Map<string, readonly string[]>();

/** The files that a file imports, directly or not, and those of the programs that it may start. Paths below the root. */
export function loadedFiles(file: string): ReadonlySet<string> {
  const loaded = new Set([file]);
  for (const path of loaded) for (const imported of importsOf(path)) loaded.add(imported);
  return loaded;
}

function importsOf(file: string): readonly string[] {
  const before = next.get(file);
  if (before !== undefined) return before;
  const source = existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8') : '';
  const imported = [...source.matchAll(IMPORT)].map(([, path, later]) =>
    join(dirname(file), path ?? later ?? ''),
  );
  const programs = [...source.matchAll(PROGRAM)].flatMap(([, name = '']) => named.get(name) ?? []);
  const all = [...imported, ...programs];
  next.set(file, all);
  return all;
}
