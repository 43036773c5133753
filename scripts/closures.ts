import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * Prints how many files of `src` each command can reach, with those that it imports only when it needs them. Types are
 * left out, because the build removes them; so are optional parts, threads and processes that a command starts. Fails
 * where a command reaches more files than `closures.json` allows: an import that brings a whole layer with it is found
 * here.
 * `npm run lint` runs it.
 */
const ROOT = join(import.meta.dirname, '..', 'src');
const KEPT = join(import.meta.dirname, 'closures.json');

const most = JSON.parse(readFileSync(KEPT, 'utf8')) as Readonly<Record<string, number>>;
const texts = new Map<string, string>();
let isLarger = false;
for (const [command, limit] of Object.entries(most)) {
  const files = reachOf(`app/cli/commands/${command}.ts`);
  isLarger ||= files > limit;
  process.stdout.write(
    `${command.padEnd(8)} reaches ${files} of ${limit} files${files > limit ? ': too many' : ''}\n`,
  );
}
if (isLarger) {
  process.stdout.write(
    'Cut the import that brings the rest, or raise the number in scripts/closures.json and say why in the commit.\n',
  );
  process.exitCode = 1;
}

function reachOf(first: string): number {
  const files = new Set([first]);
  for (const file of files) for (const edge of importsOf(file)) files.add(edge);
  return files.size;
}

/** What a file imports, at once or later, below `src`. */
function importsOf(file: string): string[] {
  const forms = [
    /^\s*(?:import|export)\b(?!\s+type\b)(?:[^'";]*?\bfrom)?\s*['"](\.[^'"]+)['"]/gm,
    /\bimport\s*\(\s*['"](\.[^'"]+)['"]\s*\)/g,
  ];
  const found = forms.flatMap((form) => [...textOf(file).matchAll(form)]);
  return found.map(([, path = '']) => relative(ROOT, join(ROOT, dirname(file), path)));
}

function textOf(file: string): string {
  const known = texts.get(file) ?? readFileSync(join(ROOT, file), 'utf8');
  texts.set(file, known);
  return known;
}
