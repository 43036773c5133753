import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const TEST = join(import.meta.dirname, '..');
const ROOT = join(TEST, '..');
/** Folders whose files are read for what they import. */
const READ = [`${TEST}/`, `${ROOT}/scripts/`];

/** Modules by which a test starts a process, a server or a database. */
const STARTS = [
  'node:child_process',
  'node:http',
  'node:https',
  'node:net',
  'node:worker_threads',
  'fastify',
  'src/core/duckdb.ts',
  'src/sandbox/start-sandbox.ts',
  'src/schedule/listen.ts',
  'src/query/query-process.ts',
];
/** Tests with commands of their own. */
const OWN_COMMAND = ['integration', 'long', 'bench'];

/** The tests of `npm test`: those that start no process, no server and no database, and the others. Paths below the root. */
export function testFiles(): { readonly unit: readonly string[]; readonly e2e: readonly string[] } {
  const files = readdirSync(TEST, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !OWN_COMMAND.includes(file.split('/')[0] ?? ''))
    .sort();
  const known = new Map<string, boolean>();
  const { true: e2e = [], false: unit = [] } = Object.groupBy(files, (file) =>
    String(starts(join(TEST, file), known)),
  ) as Record<string, string[] | undefined>;
  return { unit: unit.map((file) => `test/${file}`), e2e: e2e.map((file) => `test/${file}`) };
}

/** Whether a file of the tests, or one of theirs that it imports, starts something. */
function starts(file: string, known: Map<string, boolean>): boolean {
  const before = known.get(file);
  if (before !== undefined) return before;
  known.set(file, false);
  const text = readFileSync(file, 'utf8');
  const imports = [...text.matchAll(/^(?:import|export)\b(?! type\b)[^'";]*?['"]([^'"]+)['"]/gm)].map(
    (match) => (match[1]?.startsWith('.') ? join(dirname(file), match[1]) : (match[1] ?? '')),
  );
  const found = imports.some((path) => {
    if (STARTS.includes(path) || STARTS.includes(relative(ROOT, path))) return true;
    return READ.some((folder) => path.startsWith(folder)) && path.endsWith('.ts') && starts(path, known);
  });
  known.set(file, found);
  return found;
}
