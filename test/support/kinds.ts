import { existsSync, readdirSync, readFileSync } from 'node:fs';
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
  'src/core/duckdb/duckdb.ts',
  'src/service/sandbox/start-sandbox.ts',
  'src/core/net/listen-http.ts',
  'src/app/operations/schedule/listen.ts',
  'src/app/answers/query/query-process.ts',
];
/** A test that imports this has the longer timeout. */
const LONGER = ['test/support/process-timeout.ts'];
/** A test that imports this plays a sample of its cases in `npm test`, and all of them in `npm run test:long`. */
const SAMPLED = ['test/support/runs.ts'];
/** Tests with commands of their own. */
const OWN_COMMAND = ['bench', 'browser', 'integration', 'long', 'trino'];

interface TestFiles {
  /** Those that start no process, no server and no database. */
  readonly unit: readonly string[];
  /** Those that do. */
  readonly e2e: readonly string[];
  /** Those that replace a module: what other files of a worker have imported would stay as it was. */
  readonly replacing: readonly string[];
  /** Those of `e2e` with the longer timeout. */
  readonly slow: readonly string[];
  /** Those of all that play a sample of their cases. */
  readonly sampled: readonly string[];
}

/** The tests of `npm test`. Paths below the root. */
export function testFiles(): TestFiles {
  const files = readdirSync(TEST, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !file.endsWith('.long.test.ts'))
    .filter((file) => !OWN_COMMAND.includes(file.split('/')[0] ?? ''))
    .sort()
    .map((file) => `test/${file}`);
  const replacing = files.filter((file) => readFileSync(join(ROOT, file), 'utf8').includes('vi.mock('));
  const shared = files.filter((file) => !replacing.includes(file));
  const e2e = shared.filter(reaching(STARTS));
  const unit = shared.filter((file) => !e2e.includes(file));
  return {
    unit,
    e2e,
    replacing,
    slow: e2e.filter(reaching(LONGER)),
    sampled: files.filter(reaching(SAMPLED)),
  };
}

/** Whether a file, or one of the tests' own that it imports, imports one of these modules. */
function reaching(modules: readonly string[]): (file: string) => boolean {
  const known = new Map<string, boolean>();
  const reaches = (file: string): boolean => {
    const before = known.get(file);
    if (before !== undefined) return before;
    known.set(file, false);
    const text = readFileSync(file, 'utf8');
    const forms = [/^(?:import|export)\b(?! type\b)[^'";]*?['"]([^'"]+)['"]/gm, /\bimport\('([^']+\.ts)'\)/g];
    const imports = forms
      .flatMap((form) => [...text.matchAll(form)])
      .map(([, path = '']) => (path.startsWith('.') ? join(dirname(file), path) : path));
    const found = imports.some((path) => {
      if (modules.includes(path) || modules.includes(relative(ROOT, path))) return true;
      return (
        READ.some((folder) => path.startsWith(folder)) &&
        path.endsWith('.ts') &&
        existsSync(path) &&
        reaches(path)
      );
    });
    known.set(file, found);
    return found;
  };
  return (file) => reaches(join(ROOT, file));
}
