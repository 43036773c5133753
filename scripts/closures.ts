import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * Prints what each command can reach: files of `src` that run when it does, with those that it imports only when it needs
 * them, and their lines. Types are left out, because they are gone by then; so are threads and processes of their own. Fails where a command reaches more than
 * `closures.json` allows: an import that drags a whole wing along is seen here. `npm run lint` runs it.
 */
const ROOT = join(import.meta.dirname, '..', 'src');
const KEPT = join(import.meta.dirname, 'closures.json');

interface Reach {
  readonly files: number;
  readonly lines: number;
}

const most = JSON.parse(readFileSync(KEPT, 'utf8')) as Readonly<Record<string, Reach>>;
const texts = new Map<string, string>();
let isLarger = false;
for (const [command, limit] of Object.entries(most)) {
  const { files, lines } = reachOf(`people/cli/commands/${command}.ts`);
  const over = files > limit.files || lines > limit.lines;
  isLarger ||= over;
  process.stdout.write(
    `${command.padEnd(8)} reaches ${files} of ${limit.files} files, ${lines} of ${limit.lines} lines${over ? ': too many' : ''}\n`,
  );
}
if (isLarger) {
  process.stdout.write(
    'Cut the import that brings the rest, or raise the number in scripts/closures.json and say why in the commit.\n',
  );
  process.exitCode = 1;
}

function reachOf(first: string): Reach {
  const files = new Set([first]);
  let lines = 0;
  for (const file of files) {
    lines += textOf(file).split('\n').length - 1;
    for (const edge of importsOf(file)) files.add(edge);
  }
  return { files: files.size, lines };
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
