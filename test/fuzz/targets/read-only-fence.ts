import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { PublishedWarehouse } from '../../../src/app/answers/query/query-warehouse.ts';
import { Database, text } from '../../../src/core/duckdb/duckdb.ts';
import { toCrawlhouseError } from '../../../src/core/errors/errors.ts';
import { action, options, wrapper } from '../../app/answers/query/hostile-statements.ts';
import { type FileTrace, traceFiles } from '../file-trace.ts';
import { fuzzFolder } from '../folder.ts';
import { checkRefusal, Fault, type Target, type Verdict } from '../target.ts';

const CANARY = 'canary-5b1f0e7d';
/** A statement may run for long; the fence has to hold from its first moment. */
const MOST_MS = 1500;
/** What the cases name in place of paths, which differ from run to run. */
const PLACES = {
  '@canary@': 'outside/canary.csv',
  '@new@': 'outside/new.csv',
  '@warehouse@': 'warehouse.duckdb',
};

interface Scene {
  readonly folder: string;
  readonly warehouse: PublishedWarehouse;
  readonly port: number;
  readonly connections: () => number;
  readonly trace: FileTrace | undefined;
  /** What the folders had at the beginning. */
  readonly before: string;
}

async function checkStatement(scene: Scene, input: Buffer): Promise<Verdict> {
  let sql = input.toString().replaceAll('@port@', String(scene.port));
  for (const [name, path] of Object.entries(PLACES)) sql = sql.replaceAll(name, join(scene.folder, path));
  let said = '';
  let isTaken = false;
  try {
    said = JSON.stringify(
      await scene.warehouse.ask(sql, AbortSignal.timeout(MOST_MS), (rows) => rows.rows()),
      (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    );
    isTaken = true;
  } catch (thrown) {
    const error = toCrawlhouseError(thrown);
    if (error.code !== 'interrupted') checkRefusal(thrown);
    said = `${error.message} ${error.hint}`;
  }
  if (said.includes(CANARY) && !input.includes(CANARY)) throw new Fault('a file outside is read', said);
  if (scene.connections() > 0) throw new Fault('an address of the network is asked', sql);
  if (listing(scene.folder) !== scene.before) throw new Fault('a file is made, changed or removed', sql);
  const { folder } = scene;
  const listed = [folder, join(folder, 'outside'), process.cwd()];
  const foreign = scene.trace?.foreign((path, isListed) => {
    // The private name of the warehouse, what is spilled, and what a case itself lists.
    if (path.startsWith(join(folder, 'state')) || path === join(folder, 'warehouse.duckdb')) return true;
    return (isListed && listed.includes(path)) || path.includes('/test/fuzz/');
  });
  if (foreign !== undefined && foreign.length > 0)
    throw new Fault('a path outside is opened', `${foreign.slice(0, 5).join(' ')} by ${sql}`);
  return isTaken ? 'taken' : 'refused';
}

/** The files of the folders, but those in which queries run, with sizes and times. */
function listing(folder: string): string {
  const own = [folder, join(folder, 'outside')].flatMap((place) =>
    readdirSync(place).map((name) => {
      // They change while queries run, and with the trace.
      if (name === 'state' || name === 'trace') return name;
      const { size, mtimeMs, ino } = statSync(join(place, name));
      return `${name} ${size} ${mtimeMs} ${ino}`;
    }),
  );
  return [...own, ...readdirSync(process.cwd())].join('\n');
}

async function openScene(): Promise<{ readonly scene: Scene; readonly close: () => Promise<void> }> {
  const { folder, close } = fuzzFolder();
  const path = join(folder, 'warehouse.duckdb');
  mkdirSync(join(folder, 'outside'));
  mkdirSync(join(folder, 'state'));
  writeFileSync(join(folder, 'outside', 'canary.csv'), `${CANARY},b\n1,${CANARY}\n`);
  await using database = await Database.open({
    memoryLimit: '200MB',
    threads: 1,
    tempDirectory: join(folder, 'state'),
  });
  const connection = await database.connect();
  await connection.run(`ATTACH ${text(path)} AS w`);
  await connection.run('CREATE TABLE w.t AS SELECT range AS a, CAST(range AS VARCHAR) AS b FROM range(10)');
  await connection.run('CREATE SEQUENCE w.s');
  await connection.run('DETACH w');
  const warehouse = await PublishedWarehouse.open({
    warehouse: path,
    stateDir: join(folder, 'state'),
    memoryLimit: '200MB',
    tempLimit: '50MB',
    threads: 1,
  });
  let asked = 0;
  const server = createServer((socket) => {
    asked++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  const signal = new AbortController().signal;
  for (const sql of ['SELECT a, b FROM t ORDER BY b', 'FROM duckdb_settings()', 'SELECT 1 + '])
    await warehouse.ask(sql, signal, (rows) => rows.rows()).catch(() => {});
  const trace = await traceFiles(join(folder, 'trace'));
  const before = listing(folder);
  return {
    scene: { folder, warehouse, port, connections: () => asked, trace, before },
    close: async () => {
      await trace?.close();
      warehouse[Symbol.dispose]();
      server.close();
      await close();
    },
  };
}

const place = fc.constantFrom(
  ...Object.keys(PLACES),
  'http://127.0.0.1:@port@/a.csv',
  '/etc/passwd',
  's3://a/b.parquet',
  '',
);
const statement = fc
  .tuple(action, wrapper, wrapper, place, options)
  .map(([act, inner, outer, path, how]) => outer(inner(act(text(path), how))));

/** Statements of people and assistants on a warehouse: nothing outside is read, nothing is written. */
export const readOnlyFence: Target = {
  name: 'read-only-fence',
  seeds: [
    'SELECT a, b FROM t ORDER BY a DESC LIMIT 3',
    "FROM read_csv('@canary@')",
    "SELECT * FROM '@canary@'",
    "COPY (SELECT 1) TO '@new@'",
    "ATTACH '@new@' AS x",
    "FROM 'http://127.0.0.1:@port@/a.csv'",
    "WITH x AS (SELECT getenv('HOME') AS h) FROM x",
    "SELECT * FROM query('FROM read_text(''@canary@'')')",
    'SUMMARIZE t',
    "SELECT content FROM read_text(['@canary@', '/etc/passwd'])",
  ],
  words: [
    'read_csv',
    'read_text',
    'read_blob',
    'glob(',
    'getenv',
    'COPY',
    'ATTACH',
    'query(',
    'query_table(',
    'EXPLAIN ANALYZE',
    '@canary@',
    '@new@',
    '@warehouse@',
    'FROM',
    'SELECT',
    'WITH',
    'PIVOT',
    'SET',
    'PRAGMA',
    'LOAD',
    'INSTALL',
    '$$',
    '--',
    '/*',
    '*/',
    "E'",
    "U&'",
    'duckdb_secrets()',
    'which_secret',
    'sniff_csv',
    'parquet_scan',
    'read_json',
    'COLUMNS(*)',
    'lambda x: x',
    "nextval('s')",
    ';',
  ],
  grammar: statement,
  shortRound: 100,
  // Whatever the engine does on its own threads counts for it, not for the fence.
  seconds: 4,
  async open() {
    const { scene, close } = await openScene();
    return { close, check: (input) => checkStatement(scene, input) };
  },
};
