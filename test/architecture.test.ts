import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { parseAst } from 'vitest/node';

const ROOT = join(import.meta.dirname, '..', 'src');

/** A room of each wing, and its rank: imports go to a strictly lower one, or stay in their room (docs/architecture.md). */
const RANKS: Readonly<Record<string, number>> = {
  core: 0,
  client: 1,
  'core/stores': 1,
  'etl/project/model': 2,
  'site/crawler': 2,
  'site/search-data': 2,
  'site/access-logs': 2,
  'etl/project/settings': 3,
  service: 3,
  'etl/project/sql': 4,
  'etl/state/catalog': 5,
  'etl/state/ledger': 5,
  'etl/engines': 6,
  'etl/pipeline/discover': 7,
  'etl/pipeline/routes': 7,
  'etl/pipeline/stage': 7,
  'etl/pipeline/load': 7,
  'etl/pipeline/transform': 7,
  'etl/pipeline/publish': 7,
  'etl/pipeline/unit': 8,
  'etl/pipeline/workers': 9,
  'etl/pipeline': 10,
  'app/answers/presentation': 11,
  'app/answers/questions': 12,
  'app/answers/query': 13,
  'app/answers/dictionary': 13,
  'app/answers/report': 13,
  'app/answers/explore': 13,
  'app/answers/workbook': 14,
  'app/answers/prove': 14,
  'app/operations/alert': 14,
  'app/operations/mirror': 14,
  'app/operations/move': 14,
  'app/operations/crawls': 15,
  'app/operations/status': 15,
  'app/operations/metrics': 15,
  'app/operations/openlineage': 15,
  'app/operations/schedule': 15,
  'app/operations/doctor': 16,
  'app/settings': 17,
  'app/mcp': 17,
  'app/console': 17,
  'app/cli': 18,
  // index.ts
  '': 19,
};
/** What the first look at `src/` shows, in the order of their ranks; `service` has rooms on both sides of `etl/project`. */
const WINGS: readonly string[] = [...new Set(Object.keys(RANKS).map(wingOf))].filter((wing) => wing !== '');
/** The local service shares the contract and the readers of sites with the rest, and no other part: where both sides are wrong in the same way, no test could see it. */
const LOCAL_MAY_IMPORT = [
  'core',
  'client',
  'site/crawler',
  'site/search-data',
  'site/access-logs',
  'service',
];
/** The floors of the local service, held like those of the program (docs/architecture.md). */
const LOCAL_RANKS: Readonly<Record<string, number>> = {
  fields: 0,
  resources: 1,
  configs: 2,
  ingest: 2,
  notify: 2,
  oql: 2,
  rows: 3,
  aggregates: 4,
  crawls: 4,
  logs: 4,
  website: 5,
  ranking: 5,
  http: 6,
  // start-local-service.ts
  '': 7,
  sandbox: 8,
};
/** What only trying needs: data out of nothing, faults, stores, sign-in. */
const SANDBOX_RANKS: Readonly<Record<string, number>> = {
  faults: 0,
  oauth: 0,
  exports: 0,
  import: 0,
  pages: 1,
  stores: 1,
  generate: 1,
  http: 2,
  // start-sandbox.ts
  '': 3,
};
/** The page is drawn by what is below it; nothing below knows of a server. */
const CONSOLE_RANKS: Readonly<Record<string, number>> = {
  access: 0,
  readers: 0,
  layout: 0,
  actions: 1,
  'page-parts': 2,
  'crawl-settings': 3,
  pages: 4,
  forms: 5,
  server: 6,
};
/** The routes know nothing of each other; what they share is below them, what chooses among them is above. */
const ROUTES_RANKS: Readonly<Record<string, number>> = {
  download: 0,
  stream: 1,
  export: 1,
  search: 1,
  aggregates: 1,
  list: 1,
  // registry.ts, route.ts and what chooses among the routes
  '': 2,
};
/** A model is read and planned, each by what is below it; `text` knows no file of the project. */
const SQL_RANKS: Readonly<Record<string, number>> = {
  text: 0,
  segments: 1,
  models: 2,
  plan: 3,
  questions: 3,
};
/** The base stands on its own host, secrets, texts and queues. */
const CORE_RANKS: Readonly<Record<string, number>> = {
  host: 0,
  secrets: 0,
  text: 0,
  queue: 0,
  errors: 1,
  progress: 1,
  time: 2,
  files: 2,
  xlsx: 2,
  duckdb: 3,
  logs: 3,
  net: 4,
  locks: 4,
  stores: 5,
};
/** Questions and models are tested and built, each by what is below it. */
const TRANSFORM_RANKS: Readonly<Record<string, number>> = { tests: 0, build: 1, faults: 2 };
/** Files of a folder. */
const MOST_OF_A_FOLDER = 20;
/** Files and lines that tell the order of a run. */
const MOST_OF_THE_ORDER = { files: 15, lines: 1800 };
const LONGEST_FILE = 400;
const MOST_PARAMETERS = 4;
const LONGEST_FUNCTION = 90;
/** Longer ones, which are lists and no steps. */
const LISTS: readonly string[] = [
  // A schema: one setting after the other.
  'etl/project/settings/settings-file.ts: settingsFile',
  // The SQL of one field after the other.
  'service/sandbox/generate/page-values.ts: pageValues',
];

/** What opens a session, or serves a whole project: it hands each room the settings that the room reads. */
const OPENS_A_SESSION: readonly string[] = [
  'app/console/server/serve-console.ts',
  'app/operations/doctor/examine.ts',
  'app/operations/move/move-warehouse.ts',
  'app/operations/schedule/fire.ts',
  'etl/pipeline/drop.ts',
  'etl/pipeline/load-packages.ts',
  'etl/pipeline/plan.ts',
  'etl/pipeline/run.ts',
  'etl/pipeline/session.ts',
  // The type of what opens a worker's session.
  'etl/pipeline/unit/shared-units.ts',
  'etl/pipeline/workers/run-worker.ts',
];

interface Source {
  /** Below `src`, such as `core/text/json.ts`. */
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
    /\bimport\s*\(\s*(?:optional\(\s*)?['"]([^'"]+)['"]\s*\)/g,
  ];
  return forms.flatMap((form) => [...text.matchAll(form)].map((match) => String(match[1])));
}

/** The files of `src` that a source imports, below `src`. */
function edgesOf({ file, text }: Source): string[] {
  return importsOf(text)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => relative(ROOT, join(ROOT, dirname(file), specifier)));
}

/** The first folder of a path; nothing for a file in none. */
function folderOf(file: string): string {
  return file.includes('/') ? wingOf(file) : '';
}

function wingOf(path: string): string {
  return path.split('/')[0] ?? '';
}

/** The room of a file: the deepest folder on its way that has a rank. */
function roomOf(file: string): string {
  const folders = dirname(file).split('/');
  const rooms = folders.map((_, index) => folders.slice(0, folders.length - index).join('/'));
  return rooms.find((room) => room in RANKS) ?? folderOf(file);
}

/** Files whose text matches, but those that `allowed` lets. */
function offenders(pattern: RegExp, allowed: (file: string) => boolean): string[] {
  return sources.filter(({ file, text }) => !allowed(file) && pattern.test(text)).map(({ file }) => file);
}

test('the import check recognizes every form of import', () => {
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

/** Imports between rooms that do not go to a strictly lower rank; the place of files in no room is ''. */
function upwardEdges(
  edges: readonly (readonly [string, string])[],
  ranks: Readonly<Record<string, number>>,
  placeOf: (file: string) => string = folderOf,
): string[] {
  return edges
    .filter(([file, edge]) => {
      const [from, to] = [placeOf(file), placeOf(edge)];
      if (from === to) return false;
      return !((ranks[to] ?? Number.POSITIVE_INFINITY) < (ranks[from] ?? -1));
    })
    .map(([file, edge]) => `${file} → ${edge}`);
}

const imports = sources.flatMap((source) => edgesOf(source).map((edge) => [source.file, edge] as const));

test('imports lead to a strictly lower rank or stay in their folder', () => {
  expect(roomOf('etl/engines/trino/client/trino-client.ts')).toBe('etl/engines');
  expect(roomOf('etl/pipeline/stage/macros.ts')).toBe('etl/pipeline/stage');
  expect(roomOf('etl/pipeline/run.ts')).toBe('etl/pipeline');
  expect(upwardEdges(imports, RANKS, roomOf)).toEqual([]);
});

test.each([
  ['core', CORE_RANKS],
  ['service', LOCAL_RANKS],
  ['service/sandbox', SANDBOX_RANKS],
  ['etl/project/sql', SQL_RANKS],
  ['etl/pipeline/transform', TRANSFORM_RANKS],
])('%s consists of folders with ranks', (place, ranks) => {
  const isIn = (file: string): boolean => file.startsWith(`${place}/`);
  const below = (file: string): string => relative(place, file);
  const own = sources.filter(({ file }) => isIn(file)).map(({ file }) => below(file));
  const inside = imports.filter(([file, edge]) => isIn(file) && isIn(edge));
  expect(
    upwardEdges(
      inside.map(([file, edge]) => [below(file), below(edge)]),
      ranks,
    ),
  ).toEqual([]);
  const rooms = new Set(own.map(folderOf));
  expect([...rooms].sort()).toEqual(Object.keys(ranks).sort());
});

/** A file for each command: one more is not a room that grows. */
const COMMANDS = 'app/cli/commands';

test(`a folder other than commands contains at most ${MOST_OF_A_FOLDER} files`, () => {
  const folders = [...Map.groupBy(sources, ({ file }) => dirname(file))];
  const large = folders.filter(([folder, files]) => files.length > MOST_OF_A_FOLDER && folder !== COMMANDS);
  expect(large.map(([folder, files]) => [folder, files.length])).toEqual([]);
});

test('the sequence of a run is defined in few files', () => {
  const order = sources.filter(({ file }) => dirname(file) === 'etl/pipeline');
  const lines = order.reduce((sum, { text }) => sum + text.trimEnd().split('\n').length, 0);
  expect(order.length).toBeLessThanOrEqual(MOST_OF_THE_ORDER.files);
  expect(lines).toBeLessThanOrEqual(MOST_OF_THE_ORDER.lines);
});

/** The folders of engines that know no other engine; the line of the registry names each. */
const ENGINES = readdirSync(join(ROOT, 'etl/engines'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

test('an engine is referenced only by its folder and one line each for readers and writers', () => {
  expect(ENGINES).toEqual(expect.arrayContaining(['duckdb', 'trino']));
  const registry = ['etl/engines/kinds.ts', 'etl/engines/open-engine.ts'];
  const engineOf = (file: string): string => /^etl\/engines\/([^/]+)\//.exec(file)?.[1] ?? '';
  const others = imports.filter(([file, edge]) => engineOf(edge) !== '' && engineOf(edge) !== engineOf(file));
  // The catalog is DuckDB's with each engine: its lists are rows there, and cases of models run there.
  const foreign = others.filter(([, edge]) => engineOf(edge) !== 'duckdb');
  expect([...new Set(foreign.map(([file]) => file))]).toEqual(registry);
  expect(offenders(/trino/i, (file) => file.startsWith('etl/engines/'))).toEqual([]);
  expect(
    sources
      .filter(({ file, text }) => /^etl\/engines\/[^/]+$/.test(file) && /trino/i.test(text))
      .map(({ file }) => file),
  ).toEqual(registry);
});

test('the folders of the console have ranks', () => {
  const below = (file: string): string => relative('app/console', file);
  const inside = imports.filter(
    ([file, edge]) => roomOf(file) === 'app/console' && roomOf(edge) === 'app/console',
  );
  const program = inside.filter(([file]) => folderOf(below(file)) !== 'browser');
  expect(
    upwardEdges(
      program.map(([file, edge]) => [below(file), below(edge)]),
      CONSOLE_RANKS,
    ),
  ).toEqual([]);
  const browser = imports.filter(([file]) => file.startsWith('app/console/browser/'));
  expect(browser.filter(([, edge]) => !edge.startsWith('app/console/browser/'))).toEqual([]);
});

test('a third engine needs a folder of fewer than 300 lines', () => {
  const folder = join(import.meta.dirname, 'support', 'memory-engine');
  const lines = readdirSync(folder).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8').trimEnd().split('\n'),
  );
  expect(lines.length).toBeLessThan(300);
});

/** What a file imports before its first line runs: types are gone by then, and `import()` comes later. */
function readAtOnce(text: string): string[] {
  const form = /^\s*(?:import|export)\b(?!\s+type\b)(?:[^'";]*?\bfrom)?\s*['"]([^'"]+)['"]/gm;
  return [...text.matchAll(form)].map((match) => String(match[1]));
}

/** The files and packages that are read before the first line of a file runs. */
function allReadAtOnce(first: string): { files: ReadonlySet<string>; packages: ReadonlySet<string> } {
  const files = new Set([first]);
  const packages = new Set<string>();
  for (const file of files) {
    for (const name of readAtOnce(sources.find((one) => one.file === file)?.text ?? '')) {
      if (name.startsWith('.')) files.add(relative(ROOT, join(ROOT, dirname(file), name)));
      else if (!name.startsWith('node:')) packages.add(name);
    }
  }
  return { files, packages };
}

test('the program starts without packages and settings that only some commands need', () => {
  const text = "import type { A } from 'a';\nimport 'b';\nimport { c } from 'c';\nawait import('d');";
  expect(readAtOnce(text)).toEqual(['b', 'c']);
  const { files, packages } = allReadAtOnce('app/cli/app.ts');
  expect([...packages]).toEqual([]);
  expect([...files].filter((file) => file.startsWith('app/cli/commands/'))).toEqual([]);
});

test.each([
  // The process that it starts has DuckDB.
  ['app/cli/commands/query.ts', ['yaml', 'zod']],
  ['app/settings/load-settings.ts', ['yaml', 'zod']],
  ['etl/project/settings/settings.ts', []],
  ['app/answers/query/query-child.ts', ['@duckdb/node-api']],
  ['app/cli/commands/status.ts', ['@duckdb/node-api', 'node-cron', 'yaml', 'zod']],
])('%s loads no package at start but %j', (file, known) => {
  const { files, packages } = allReadAtOnce(file);
  expect([...packages].sort()).toEqual(known);
  const heavy =
    /^(service|site\/crawler|app\/console|etl\/pipeline\/(stage|load|unit|workers)|etl\/pipeline\/[^/]+\.ts)/;
  expect([...files].filter((one) => heavy.test(one))).toEqual([]);
});

test('parser threads load only the parsers, because each needs memory for pages', () => {
  const { packages } = allReadAtOnce('site/crawler/parse/threads/parse-thread.ts');
  const parsers = ['@exodus/bytes/encoding.js', '@exodus/bytes/whatwg.js', 'css-select'];
  expect([...packages].sort()).toEqual([...parsers, 'html-encoding-sniffer', 'parse5']);
});

/** The six folders of `src`, and which others each may import. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  client: ['core'],
  site: ['core', 'client'],
  service: ['core', 'client', 'site'],
  etl: ['core', 'client'],
  app: ['core', 'client', 'site', 'service', 'etl'],
};

test('each of the six folders imports only from allowed folders', () => {
  const wrong = imports.filter(([file, edge]) => {
    const [from, to] = [wingOf(file), wingOf(edge)];
    return file !== 'index.ts' && from !== to && !MAY_IMPORT[from]?.includes(to);
  });
  expect(wrong.map(([file, edge]) => `${file} → ${edge}`)).toEqual([]);
});

test('no route imports another route', () => {
  const inside = imports
    .filter(
      ([file, edge]) => file.startsWith('etl/pipeline/routes/') && edge.startsWith('etl/pipeline/routes/'),
    )
    .map(
      ([file, edge]) =>
        [relative('etl/pipeline/routes', file), relative('etl/pipeline/routes', edge)] as const,
    )
    .filter(([, edge]) => folderOf(edge) !== '');
  expect(upwardEdges(inside, ROUTES_RANKS)).toEqual([]);
});

test('the local service shares only the contract, the site readers and core with other code', () => {
  const shared = sources
    .filter(({ file }) => roomOf(file) === 'service')
    .flatMap((source) =>
      edgesOf(source)
        .filter((edge) => !LOCAL_MAY_IMPORT.includes(roomOf(edge)))
        .map((edge) => `${source.file} → ${edge}`),
    );
  expect(shared).toEqual([]);
});

test('no file imports itself through other files', () => {
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

test('only src/index.ts re-exports, and no other file is named index', () => {
  expect(offenders(/^\s*export\b[^'";=(]*\bfrom\s*['"]/m, (file) => file === 'index.ts')).toEqual([]);
  expect(sources.filter(({ file }) => basename(file) === 'index.ts' && file !== 'index.ts')).toEqual([]);
});

test('src lists its folders, each with a short README, and every file is in a folder', () => {
  const folders = readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  expect(folders.sort()).toEqual([...WINGS].sort());
  expect(folders.sort()).toEqual(Object.keys(MAY_IMPORT).sort());
  const loose = sources.filter(({ file }) => !(roomOf(file) in RANKS) && file !== 'index.ts');
  expect(loose.map(({ file }) => file)).toEqual([]);
  for (const wing of WINGS) {
    const lines = readFileSync(join(ROOT, wing, 'README.md'), 'utf8')
      .trim()
      .split('\n');
    expect(lines.length, wing).toBeLessThanOrEqual(16);
  }
});

test('every file and folder name is kebab-case', () => {
  const named = sources.filter(
    ({ file }) => !/^([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*(\.d)?\.ts$/.test(file),
  );
  expect(named.map(({ file }) => file)).toEqual([]);
});

interface NamedFunction {
  readonly name: string;
  readonly parameters: readonly unknown[];
  readonly lines: number;
}

/** The functions of a text; one without a name has that of what it is part of. */
function functionsOf(text: string): NamedFunction[] {
  const found: NamedFunction[] = [];
  const nodes: { readonly node: unknown; readonly name: string }[] = [
    { node: parseAst(text, { lang: 'ts' }), name: '' },
  ];
  for (let one = nodes.pop(); one !== undefined; one = nodes.pop()) {
    if (typeof one.node !== 'object' || one.node === null) continue;
    const { id, key, params, type, start, end } = one.node as Record<string, unknown>;
    const name = nameOf(id) ?? nameOf(key) ?? one.name;
    if (/Function/.test(String(type)) && Array.isArray(params)) {
      const lines = text.slice(Number(start), Number(end)).split('\n').length;
      found.push({ name, parameters: params, lines });
    }
    for (const child of Object.values(one.node)) nodes.push({ node: child, name });
  }
  return found;
}

const manyParameters = ({ parameters }: NamedFunction): boolean =>
  parameters.filter((one) => !/^_?signal$/.test(parameterName(one))).length > MOST_PARAMETERS;

function nameOf(node: unknown): string | undefined {
  const name = (node as { name?: unknown } | null | undefined)?.name;
  return typeof name === 'string' ? name : undefined;
}

/** Also of one with a default. */
function parameterName(node: unknown): string {
  return nameOf(node) ?? nameOf((node as { left?: unknown }).left) ?? '';
}

test(`no function has more than ${MOST_PARAMETERS} parameters besides a signal`, () => {
  const text = `export class A { async b(one, two, three, four, signal) {} c(one, two, { three }, four, five = 5) {} }
    function d(one: number, two: string, three: Date, four: URL, five?: Error, signal?: AbortSignal): void {}
    const e = (one, two, three, four, ...five) => 1;`;
  const names = functionsOf(text).filter(manyParameters);
  expect(names.map(({ name }) => name).sort()).toEqual(['c', 'd', 'e']);
  expect(functionsThat(manyParameters)).toEqual([]);
});

test(`no function has more than ${LONGEST_FUNCTION} lines, except lists`, () => {
  const isLong = ({ lines }: NamedFunction): boolean => lines > LONGEST_FUNCTION;
  const long = `const a = () => {${'\n'.repeat(LONGEST_FUNCTION)}};\nfunction b() {${'\n'.repeat(LONGEST_FUNCTION - 1)}}`;
  expect(functionsOf(long).filter(isLong)).toMatchObject([{ name: 'a', lines: LONGEST_FUNCTION + 1 }]);
  expect(functionsThat(isLong)).toEqual([...LISTS].sort());
});

/** Of all sources, which are parsed once. */
let functions: readonly (readonly [file: string, functions: readonly NamedFunction[]])[] | undefined;

function functionsThat(are: (one: NamedFunction) => boolean): string[] {
  functions ??= sources.map(({ file, text }) => [file, functionsOf(text)]);
  const found = functions.flatMap(([file, own]) => own.filter(are).map(({ name }) => `${file}: ${name}`));
  return found.sort();
}

/** The lines of a text where an error is passed over without a word why beside it. */
function silentCatches(text: string): string[] {
  const lines = text.split('\n');
  return lines.filter((line, index) => {
    if (!/\bcatch \{|\.catch\(\(\) =>/.test(line)) return false;
    const around = lines.slice(Math.max(0, index - 2), index + 2);
    const isSaid = around.some((one) => /(^|\s)\/\/ |^\s*\/?\*/.test(one));
    return !isSaid && !/^\s*throw /.test(lines[index + 1] ?? '');
  });
}

test('every ignored error has a comment with the reason', () => {
  const text = [
    'try { a(); } catch {\n  return 1;\n}',
    'try { b(); } catch {\n  // Nobody waits for it.\n}',
    'try { c(); } catch {\n  throw new Error();\n}',
    '// Gone already.\nawait d().catch(() => {});',
    'const e = 1;\n\nawait e().catch(() => {});',
  ];
  expect(silentCatches(text.join('\n\n'))).toEqual(['try { a(); } catch {', 'await e().catch(() => {});']);
  const found = sources.flatMap((one) =>
    silentCatches(one.text).map((line) => `${one.file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

test('only one function parses untrusted text as URLs', () => {
  const rooms = ['site/crawler', 'site/access-logs', 'site/search-data'];
  const parses = /\bnew URL\(|\bURL\.(?:parse|canParse)\(/;
  expect(
    offenders(parses, (file) => !rooms.includes(roomOf(file)) && file !== 'core/net/web-url.ts'),
  ).toEqual(['core/net/web-url.ts']);
});

/** Where bytes become characters of their numbers, so that none is lost: these are protocols and files of their own. */
const BYTES_BY_NUMBER =
  /^(?:core\/(?:duckdb|secrets)|etl\/pipeline\/stage|service\/(?:logs|sandbox\/stores)|site\/access-logs|site\/crawler\/(?:fetch|render|vitals))\//;

test('only one module decodes text in encodings other than UTF-8', () => {
  const place = 'core/text/encodings.ts';
  expect(offenders(/from '@exodus\/bytes/, () => false)).toEqual([place]);
  const decoder = /\bTextDecoder(?:Stream)?\((?!\)|'utf-8'[,)])|\bTextDecoderStream\b/;
  expect(["new TextDecoder('euc-kr')", 'new TextDecoder(name)'].every((one) => decoder.test(one))).toBe(true);
  expect(["new TextDecoder('utf-8', {})", 'new TextDecoder()'].some((one) => decoder.test(one))).toBe(false);
  expect(offenders(decoder, (file) => file === place)).toEqual([]);
  const buffer =
    /\b(?:toString|setEncoding|readFile|readFileSync)\([^;]*?'(?:latin1|binary|ascii|ucs-?2|utf-?16le)'/;
  expect(offenders(buffer, (file) => BYTES_BY_NUMBER.test(file))).toEqual([]);
});

test('SQLite is opened in one place, which names the path of a file that cannot be opened', () => {
  expect(offenders(/\bnew DatabaseSync\b/, () => false)).toEqual(['core/locks/open-sqlite.ts']);
});

test('DuckDB is opened in one place', () => {
  expect(offenders(/\bDuckDBInstance\s*\.\s*(?:create|fromCache)\b/, () => false)).toEqual([
    'core/duckdb/duckdb.ts',
  ]);
});

/** Names a table of `ops` or asks DuckDB's catalog, as a statement does. */
const OPS_OR_CATALOG =
  /\bops\.[a-z_]+|\bduckdb_(?:columns|tables|views|schemas|databases)\s*\(|\binformation_schema\./;
/** Texts for people that name a table of `ops`, and are no statement. */
const HINTS: readonly string[] = [
  'core/errors/error-codes.ts: ops.rejects lists all rejects; on_reject: quarantine loads the other rows',
];

/** Where things come one after the other that others made: days, properties, files, sitemaps, lists, workspaces, alerts. */
const OF_OTHERS =
  /^(?:app\/cli\/local|app\/operations\/(?:alert|doctor|openlineage)|etl\/pipeline\/discover|site\/crawler\/robots|site\/search-data\/read-demand|service\/logs\/added-logs)/;

/** Loops there that do without `eachApart`, by file and what they go over, and why. */
const TOGETHER: Readonly<Record<string, string>> = {
  'app/cli/local/crawl-config.ts: new Set(others.map((other) => new URL(other).href))':
    'a start URL that is no URL refuses the command',
  'app/cli/local/log-sources.ts: given': 'a path that is not there refuses the command',
  'app/cli/local/log-sources.ts: await pathsOf(given, folder)': 'LogAdder.add isolates each file',
  'app/cli/local/log-sources.ts: named': 'logs that are not there are taken out by their names',
  'app/cli/local/log-sources.ts: logSources([one], place, signal)': 'names of logs, in one transaction',
  'app/cli/local/sync-demand.ts: console.rows({ property, from, to }, [‘date’], signal)':
    'pages of one answer',
  'app/cli/local/update-bot-ranges.ts: update.files': 'all files are checked before one is written',
  'app/cli/local/write-sitemaps.ts: pieces': 'our own rows',
  'app/cli/local/write-sitemaps.ts: pages': 'our own rows',
  'app/cli/local/write-sitemaps.ts: sites.values()': 'our own rows',
  'app/cli/local/write-sitemaps.ts: await readdir(this.#folder)': 'our own files',
  'app/operations/openlineage/with-lineage.ts: events()':
    'events in their order: no later one without an earlier one',
  'app/operations/doctor/examine-upgrade.ts: [‘raw’, ‘ops’, ‘mart’]': 'our own schemas',
  'app/operations/doctor/examine-upgrade.ts: plan': 'the next run would fail on the model too',
  'app/operations/doctor/examine-upgrade.ts: sources.keys()': 'our own tables',
  'app/operations/doctor/examine-service.ts: selected':
    'projectsOf says which workspace fails: a finding is one',
  'app/operations/doctor/examine-state.ts: [dirname(path), stateDir].map(nearest)': 'our own folders',
  'app/operations/doctor/examine.ts: configuredStores(settings)': 'each store is a check of its own',
  'etl/pipeline/discover/discover-dates.ts: projects': 'orReason isolates each request',
  'etl/pipeline/discover/discover-dates.ts: [‘pages’, ‘events’] as const': 'orReason isolates each request',
  'etl/pipeline/discover/plan-run.ts: inventory.workspaces': 'again() isolates each list',
  'etl/pipeline/discover/record-listing.ts: inventory.workspaces': 'our own tables',
  'etl/pipeline/discover/record-listing.ts: listReadings(workspace)': 'our own tables',
  'site/search-data/read-demand.ts: paths': 'a file that nobody knows refuses the command',
  'site/search-data/read-demand.ts: groups.values()': 'a file that nobody knows refuses the command',
  'site/search-data/read-demand.ts: members': 'members of one archive',
  'site/search-data/read-demand.ts: members.entries()': 'members of one archive',
  'site/search-data/read-demand.ts: createReadStream(path, { signal })': 'pieces of one file',
  'site/crawler/robots/read-sitemaps.ts: files.entries()': 'readOne turns what fails into a record',
  'site/crawler/robots/robots.ts: waits': 'attempts of one request',
  'service/logs/added-logs.ts: sources': 'LogAdder.add isolates each file',
  'service/logs/added-logs.ts: resources.list(‘projects’)': 'our own tables',
};

/** What the loops of a text go over that await something. */
function awaitingLoops(text: string): string[] {
  const awaits = (node: unknown): boolean => {
    if (typeof node !== 'object' || node === null) return false;
    const { type, await: isAwaited } = node as { type?: unknown; await?: unknown };
    if (/Function/.test(String(type))) return false;
    if (type === 'AwaitExpression' || (type === 'ForOfStatement' && isAwaited === true)) return true;
    return Object.values(node).some(awaits);
  };
  const loops = nodesOf(text).filter(
    (one) => one.type === 'ForOfStatement' && (one.await || awaits(one.body)),
  );
  return loops.map(({ right }) => {
    const { start, end } = right as Syntax;
    return text
      .slice(start, end)
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/'([^']*)'/g, '‘$1’');
  });
}

test('external items are processed with eachApart, so that a bad item affects only itself', () => {
  expect(
    awaitingLoops('for (const a of b) await c(a);\nfor (const d of e) f(async () => await g(d));'),
  ).toEqual(['b']);
  const found = sources.flatMap(({ file, text }) =>
    OF_OTHERS.test(file) ? awaitingLoops(text).map((over) => `${file}: ${over}`) : [],
  );
  expect([...new Set(found)].sort()).toEqual(Object.keys(TOGETHER).sort());
});

/** The texts that a program is written with: its strings, and the fixed parts of its templates. */
function textsOf(text: string): string[] {
  const found: string[] = [];
  const nodes: unknown[] = [parseAst(text, { lang: 'ts' })];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    const { type, value } = node as { type?: unknown; value?: unknown };
    if (type === 'Literal' && typeof value === 'string') found.push(value);
    if (type === 'TemplateElement') found.push(String((value as { cooked?: unknown }).cooked));
    nodes.push(...Object.values(node));
  }
  return found;
}

test('only the catalog and the engines contain statements on ops and the catalog', () => {
  const text = "const a = `FROM ops.loads`; // ops.units\nrun('FROM duckdb_tables()');";
  expect(textsOf(text).filter((one) => OPS_OR_CATALOG.test(one)).length).toBe(2);
  const outside = sources.filter(
    ({ file, text }) =>
      !['etl/state/catalog', 'etl/engines'].includes(roomOf(file)) &&
      file !== 'core/duckdb/table-columns.ts' &&
      /ops|duckdb_|information_schema/.test(text),
  );
  const named = outside.flatMap(({ file, text }) =>
    textsOf(text)
      .filter((one) => OPS_OR_CATALOG.test(one))
      .map((one) => `${file}: ${one}`),
  );
  expect(named.filter((one) => !HINTS.includes(one))).toEqual([]);
  expect(HINTS.filter((one) => !named.includes(one))).toEqual([]);
  const quoted = outside.filter(({ text }) => /\btable\([^()]*'ops'/.test(text));
  expect(quoted.map(({ file }) => file)).toEqual([]);
});

/** Where a file is renamed into place by hand, and why `writeWhole` does not fit. */
const RENAMES: Readonly<Record<string, string>> = {
  'app/operations/status/live-crawl.ts': 'the progress of a moment, on a timer that must not wait',
  'core/files/atomic-file.ts': 'the one place',
  'etl/engines/working-copy.ts': 'a copied database, whose blocks are verified first',
  'etl/pipeline/publish/publish.ts': 'the spare becomes the copy',
  'etl/pipeline/publish/put-in-place.ts': 'the publication itself',
  'etl/pipeline/routes/download/write-parts.ts': 'a part of a download, which a killed process loses',
  'etl/pipeline/routes/export/export-route.ts': 'a part of a download, which a killed process loses',
  'etl/pipeline/stage/package-builder.ts': 'a part of a package without manifest',
  'etl/state/catalog/published/former-copies.ts': 'the former publication becomes the spare',
  'etl/state/catalog/published/restore-former.ts': 'the former publication gets its name back',
  'etl/state/catalog/published/set-aside-wal.ts': 'a log is set aside',
  'etl/state/ledger/live-run.ts': 'the progress of a moment, on a timer that must not wait',
  'etl/state/ledger/sqlite/sqlite-ledger.ts': 'a damaged ledger is set aside',
};

test('whole files are written in one place, and no partial write is ignored', () => {
  const own = (file: string): boolean => !file.startsWith('service/');
  const renames = offenders(/\brename(?:Sync)?\(/, (file) => !own(file));
  expect(renames).toEqual(Object.keys(RENAMES).sort());
  // FileHandle.write may take a part of the bytes only.
  const writes = offenders(/\b(?:handle|file)\.write\(/, (file) => !own(file));
  expect(writes).toEqual(['core/duckdb/copy-blocks.ts', 'etl/pipeline/routes/download/write-parts.ts']);
});

/** Files of people and operations that write where no person says, or what the guard would refuse, and why. */
const UNGUARDED: Readonly<Record<string, string>> = {
  'app/cli/local/log-sources.ts': 'in a temporary folder',
  'app/cli/local/update-bot-ranges.ts': 'a seed of the project itself',
  'app/cli/local/write-sitemaps.ts': 'in a folder that the command has checked',
  'app/cli/project/write-project.ts': 'a new project',
  'app/cli/prompt/query-prompt.ts': 'the history, in the state directory',
  'app/console/actions/staged-files.ts': 'in the state directory, under a name that cannot leave it',
  'app/console/server/send-download.ts': 'in the state directory',
  'app/operations/move/move-warehouse.ts': 'the new warehouse, in the state directory until it is whole',
  'app/operations/schedule/state-file.ts': 'in the state directory',
  'app/operations/status/live-crawl.ts': 'in the state directory',
};

test('all user-chosen output paths pass one check', () => {
  const writer =
    /\b(?:writeFileAtomic|writeWhole|writeFile(?:Sync)?|appendFile(?:Sync)?|createWriteStream|cp|copyFile)\(/;
  const isOther = (file: string): boolean => !/^app\/(?!answers\/)/.test(file);
  const guarded = new Set(offenders(/\bcheckOutput\(/, isOther));
  const others = offenders(writer, (file) => isOther(file) || guarded.has(file));
  expect(others).toEqual(Object.keys(UNGUARDED));
});

/** Where an open table gets a value by a name; a reading is `lookUp`'s. */
const WRITES_BY_NAME: readonly string[] = [
  'app/operations/schedule/plan-tick.ts: next',
  'app/settings/load-settings.ts: merged',
  'app/settings/variables.ts: settings',
  'etl/pipeline/workers/run-tables.ts: tables',
  'client/openapi/openapi-operation.ts: responses',
  'client/openapi/openapi.ts: paths',
  'site/crawler/custom-fields/extractor.ts: values',
  'etl/state/ledger/sqlite/sqlite-database.ts: named',
];
/** By names of its own alone. */
const READS_BY_NAME: readonly string[] = [
  'app/answers/presentation/charts/bars.ts: row',
  'core/text/look-up.ts: table',
  'client/openapi/openapi-schemas.ts: json',
];
const OPEN_TABLE = /^:\s*(?:(?:Readonly|Partial)<)*(?:Record<\s*string,|\{\s*(?:readonly )?\[\w+: string\])/;

interface Syntax {
  readonly type?: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

function nodesOf(text: string): Syntax[] {
  const found: Syntax[] = [];
  const nodes: unknown[] = [parseAst(text, { lang: 'ts' })];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    if ('type' in node) found.push(node as Syntax);
    nodes.push(...Object.values(node));
  }
  return found;
}

/** Names that a text declares as a table whose keys may be any text. */
function openTables(text: string, nodes: readonly Syntax[]): Set<string> {
  const open = nodes.filter(({ type, typeAnnotation }) => {
    const annotation = typeAnnotation as Syntax | null | undefined;
    return (
      type === 'Identifier' && annotation && OPEN_TABLE.test(text.slice(annotation.start, annotation.end))
    );
  });
  return new Set(open.map(({ name }) => String(name)));
}

/** The open tables that a text indexes by something else than a literal; `exported` are those of other files. */
function readByName(text: string, exported: ReadonlySet<string> = new Set()): string[] {
  // Most sources have neither such a table nor the operator, and need no parsing.
  const code = text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  const hasTable = /Record<\s*string,|\[\w+: string\]/.test(code);
  if (!hasTable && !/ in /.test(code) && exported.isDisjointFrom(new Set(code.match(/\w+/g)))) return [];
  const nodes = nodesOf(text);
  const own = openTables(text, nodes);
  const taken = nodes
    .filter(({ type }) => type === 'ImportSpecifier')
    .map(({ local }) => nameOf(local) ?? '')
    .filter((name) => exported.has(name));
  const open = new Set([...own, ...taken]);
  return nodes.flatMap(({ type, computed, object, property, operator, left, right }) => {
    const isIn = type === 'BinaryExpression' && operator === 'in' && (left as Syntax).type !== 'Literal';
    if (isIn) return [`in ${text.slice((right as Syntax).start, (right as Syntax).end)}`];
    const isRead = type === 'MemberExpression' && computed && (property as Syntax).type !== 'Literal';
    const name = isRead ? (nameOf(object) ?? '') : '';
    return open.has(name) ? [name] : [];
  });
}

test('external names are looked up with lookUp, Object.hasOwn or a Map, because objects have a constructor', () => {
  const text = `const T: Readonly<Record<string, number>> = {}; const U = { a: 1 };
    T[name]; T['a']; T.a; U[key]; name in T; 'a' in U; function f(row: Record<string, unknown>) { return row[name]; }`;
  expect(readByName(text).sort()).toEqual(['T', 'in T', 'row']);
  const program = sources.filter(({ file }) => !file.startsWith('app/console/browser/'));
  const exported = program.flatMap(({ text: one }) =>
    [...one.matchAll(/^export const (\w+)(:[^=]*)/gm)].filter(([, , type]) => OPEN_TABLE.test(String(type))),
  );
  const tables = new Set(exported.map(([, name]) => String(name)));
  const found = program.flatMap(({ file, text: one }) =>
    [...new Set(readByName(one, tables))].map((name) => `${file}: ${name}`),
  );
  expect(found.sort()).toEqual([...WRITES_BY_NAME, ...READS_BY_NAME].sort());
});

/** Where texts become expressions, and whose texts they are. */
const EXPRESSIONS: Readonly<Record<string, string>> = {
  'app/answers/explore/url/url-place.ts': 'names of our parameters',
  'core/duckdb/sql-tokens.ts': 'ours',
  'core/text/portable-pattern.ts': 'ours, of one letter',
  'core/text/display-width.ts': 'the class of a regular expression that DuckDB has too',
  'core/secrets/redact.ts': 'ours',
  'etl/engines/trino/rows/definition.ts': 'ours',
  'app/cli/as-called.ts': 'ours',
  'etl/pipeline/stage/loose-text.ts': 'ours, and the code of one character',
  'site/crawler/custom-fields/selector.ts': 'a person: CSS, XPath, regular expressions',
  'site/crawler/fetch/fetch-error.ts': 'ours',
  'site/crawler/parse/content-kind.ts': 'ours',
  'site/search-data/exports/parse-day.ts': 'ours',
  'site/access-logs/formats/prefixes.ts': 'ours',
  'site/access-logs/formats/strftime.ts': 'ours, and escaped text between them',
  'site/access-logs/search-engines.ts': 'ours',
  'site/access-logs/log-text.ts': 'ours',
  'site/access-logs/log-time.ts': 'ours',
  'service/sandbox/faults/fault-box.ts': 'a person: regular expressions on paths',
  'service/sandbox/faults/fault.ts': 'a person: compiled, never run',
  'service/http/create-server.ts': 'paths of endpoints',
  'service/sandbox/stores/s3/xml.ts': 'names of elements',
};

test('user-written expressions run in one place, with a time limit', () => {
  expect(offenders(/node:vm/, () => false)).toEqual(['core/time/within-time.ts']);
  expect(offenders(/\bnew RegExp\(|require\('xpath'\)|from 'css-select'/, () => false)).toEqual(
    Object.keys(EXPRESSIONS).sort(),
  );
  const doors = sources.filter(({ file }) => EXPRESSIONS[file]?.startsWith('a person'));
  expect(doors.length).toBe(3);
  expect(doors.filter(({ text }) => !text.includes('withinTime(')).map(({ file }) => file)).toEqual([]);
});

test('forms of the console may lack a body', () => {
  const takers = offenders(/\.body\b/, (file) => !file.startsWith('app/console/server/'));
  expect(takers).toEqual(['app/console/server/answer-page.ts', 'app/console/server/file-form.ts']);
});

/** What takes time, randomness, files and names from its host alone, so that simulated processes can run it (docs/how-we-test.md). */
const HOSTED =
  /^(core\/(locks\/(?!open-sqlite)|files\/(atomic-file|make-folder|private-files|read-text)|errors\/catch-uncaught|progress\/meter|time\/retry)|etl\/state\/ledger\/|etl\/pipeline\/(workers|unit)\/|etl\/pipeline\/load\/read-package\.ts|etl\/pipeline\/publish\/put-in-place\.ts|etl\/pipeline\/routes\/export\/(data-export-job|ensure-export|reconcile-exports)\.ts|etl\/pipeline\/stage\/unit-folders\.ts|app\/operations\/schedule\/(?!listen)|app\/operations\/alert\/(?!run-command)|etl\/engines\/trino\/rows\/(pointer-table|vacuum-rows)\.ts|core\/stores\/read-object\.ts|client\/http\/(rate-limit|transport)\.ts)/;
const OWN_MACHINE =
  /from 'node:(?:os|timers\/promises)'|^import \{(?! constants \})[^}]*\} from 'node:fs|^import \{ (?!type )[^}]*\} from 'node:fs\/promises'|randomUUID|\bDate\.now\b|new Date\(\)|performance\.now|Math\.random|\bset(?:Timeout|Interval)\(|process\.(?:pid|hrtime)/m;
/** Of addresses and files that no simulated process has. */
const NOT_HOSTED: readonly string[] = [
  'etl/state/ledger/postgres/postgres-pool.ts: a certificate of an authority',
];

test('simulated code takes time, randomness and files only from its host', () => {
  for (const text of ["import { rm } from 'node:fs/promises';", 'const a = Date.now();', 'setTimeout(b, 1);'])
    expect(OWN_MACHINE.test(text), text).toBe(true);
  expect(
    OWN_MACHINE.test("import { constants } from 'node:fs';\nimport type { Stats } from 'node:fs/promises';"),
  ).toBe(false);
  const own = offenders(OWN_MACHINE, (file) => !HOSTED.test(file));
  expect(own).toEqual(NOT_HOSTED.map((one) => one.split(':')[0]));
  expect(sources.filter(({ file }) => HOSTED.test(file)).length).toBeGreaterThan(60);
});

test('YAML written by people is parsed in one place, which limits aliases', () => {
  expect(offenders(/\bparse(?:Document|AllDocuments)?\b[^;]*\} from 'yaml'/, () => false)).toEqual([
    'core/text/parse-yaml.ts',
  ]);
});

test('CSV and Markdown cells are written in one place each', () => {
  // Doubled quotes of CSV, and an escaped bar or a row of Markdown. The sandbox writes what the service writes.
  const csv = /replace(?:All)?\(\s*(?:'"'|\/"\/g),\s*(?:'""'|"\\"\\"")\s*\)/;
  expect(offenders(csv, (file) => file.startsWith('service/'))).toEqual([
    // An identifier of SQL.
    'app/answers/dictionary/dictionary-site.ts',
    // An identifier of SQL.
    'core/duckdb/duckdb.ts',
    'core/text/csv-cell.ts',
  ]);
  expect(offenders(/replaceAll\('\|'|\| -{3}|`\| \$\{/, () => false)).toEqual([
    'app/answers/presentation/markdown.ts',
  ]);
});

test('folders are created in one place, which reports a folder that cannot be created', () => {
  expect(offenders(/\bmkdir(?:Sync)?\(/, () => false)).toEqual(['core/files/make-folder.ts']);
});

test('no two files export types with one name', () => {
  const exported = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/^export (?:declare )?(?:abstract )?(?:type|interface|class) (\w+)/gm)].map(
      (match) => ({ file, name: String(match[1]) }),
    ),
  );
  const files = Map.groupBy(exported, ({ name }) => name);
  const shared = [...files].map(([name, all]) => [name, ...new Set(all.map(({ file }) => file))]);
  expect(shared.filter((one) => one.length > 2)).toEqual([]);
});

test('no comment begins with "The same": it describes the difference', () => {
  const begins = /^\s*(?:\/\*\*|\*|\/\/) The same\b/m;
  expect(sources.filter(({ text }) => begins.test(text)).map(({ file }) => file)).toEqual([]);
});

test('only the command line prints to the console', () => {
  expect(
    offenders(
      /\bconsole\.(?:log|info|warn|error|debug|table|dir|trace)\b/,
      (file) => roomOf(file) === 'app/cli',
    ),
  ).toEqual([]);
});

test('only the settings and the command line read the environment', () => {
  const allowed = ['etl/project/settings', 'app/cli'];
  // It only hands the environment on to another program.
  const handsOn = 'core/host/child-environment.ts';
  const isAllowed = (file: string): boolean => file === handsOn || allowed.includes(roomOf(file));
  expect(offenders(/\bprocess\.env\b/, isAllowed)).toEqual([]);
});

test('only the command line and session openers accept all settings; other functions accept the ones they read', () => {
  const edge = ['app/cli', 'app/settings', 'etl/project/settings', 'etl/project/model', 'etl/project/sql'];
  const takes = /import(?: type)? \{[^}]*\bSettings\b[^}]*\} from '[^']*settings\/settings\.ts'/;
  expect(offenders(takes, (file) => edge.includes(roomOf(file)))).toEqual(OPENS_A_SESSION);
});

test('rows of a database get their type from a schema, and no value by way of unknown', () => {
  const cast = /\.rows<(?![TR]>)|\bas unknown as\b/;
  expect(offenders(cast, () => false)).toEqual([]);
});

test(`no file is longer than ${LONGEST_FILE} lines`, () => {
  const long = sources.filter(({ text }) => text.split('\n').length - 1 > LONGEST_FILE);
  expect(long.map(({ file }) => file)).toEqual([]);
});

test('every pipeline and route file with logic has a test next to it', () => {
  const without = sources
    .filter(({ file }) => ['etl/pipeline', 'etl/pipeline/routes'].includes(roomOf(file)))
    .filter(({ text }) => /^export (?!interface|type)/m.test(text))
    .filter(({ file }) => {
      const beside = join(ROOT, '..', 'test', file.replace(/\.ts$/, ''));
      return !existsSync(`${beside}.test.ts`) && !existsSync(`${beside}.long.test.ts`);
    });
  expect(without.map(({ file }) => file)).toEqual([]);
});

test('a test named like a source file has the same path', () => {
  const placesOf = Map.groupBy(sources, ({ file }) => `${wingOf(file)}/${basename(file, '.ts')}`);
  const tests = readdirSync(join(ROOT, '..', 'test'), { recursive: true, encoding: 'utf8' });
  const named = tests
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => ({ file, name: basename(file).replace(/(\.long)?\.test\.ts$/, '') }))
    .map(({ file, name }) => ({ file, places: placesOf.get(`${wingOf(file)}/${name}`) ?? [] }));
  expect(named.filter(({ places }) => places.length > 0).length).toBeGreaterThan(200);
  const elsewhere = named
    .filter(({ places }) => places.length > 0)
    .filter(({ file, places }) => !places.some((place) => dirname(place.file) === dirname(file)));
  expect(
    elsewhere.map(({ file, places }) => `${file}: ${places.map((place) => place.file).join(', ')}`),
  ).toEqual([]);
});

test('a long test of the whole product is in a subject folder of test/long', () => {
  const entries = readdirSync(join(ROOT, '..', 'test', 'long'), { withFileTypes: true });
  expect(entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)).toEqual([]);
});
