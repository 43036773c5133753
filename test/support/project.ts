import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as streamText } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { loadSettings } from '../../src/app/settings/load-settings.ts';
import { type Connection, ident, text } from '../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import type { RouteOverride } from '../../src/etl/pipeline/routes/choose-route.ts';
import { type RunRequest, run } from '../../src/etl/pipeline/run.ts';
import type { RunResult } from '../../src/etl/project/model/runs/run-result.ts';
import { loadPipelines } from '../../src/etl/project/settings/pipelines.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { temporaryFolder } from './temporary.ts';
import { threads } from './threads.ts';
import './process-timeout.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PROGRAM = join(ROOT, 'src', 'app', 'cli', 'main.ts');
/** The built program, as it is installed. */
export const BUILT_PROGRAM = join(ROOT, 'dist', 'app', 'cli', 'main.js');

/** What every process gets. */
const PROCESS = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };

/** Real data beside the project, for tests that skip without it. */
export const SHARED_DATA = join(ROOT, '..', 'shared', 'data');

/** A project folder of its own, with what this repository ships. */
export async function projectFolder(parent?: string): Promise<string> {
  const folder = await rawProjectFolder(parent);
  await cp(join(ROOT, 'sql'), join(folder, 'sql'), { recursive: true });
  return folder;
}

/** The same without models, for tests that look at `raw` and `ops` only. */
export async function rawProjectFolder(parent?: string): Promise<string> {
  const folder = join(parent ?? (await temporaryFolder()), 'project');
  await mkdir(join(folder, 'sql'), { recursive: true });
  for (const name of ['pipelines', 'schedules.yaml'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await writeFile(join(folder, 'crawlhouse.yaml'), 'shipped_models: none\n');
  return folder;
}

export async function sandboxFor(options: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

export interface RunOptions {
  readonly command?: 'run' | 'backfill';
  readonly reload?: boolean;
  readonly route?: RouteOverride['route'];
  readonly format?: RouteOverride['format'];
  readonly store?: RouteOverride['store'];
  readonly pipelines?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** What the clock says, UTC milliseconds. */
  readonly now?: number;
  /** As the setting `since`, UTC milliseconds. */
  readonly from?: number;
  /** Told how far the units are. */
  readonly progress?: (text: string) => void;
}

/** A run in this process, everything real but the terminal. */
export async function runProject(
  folder: string,
  sandbox: Sandbox,
  options: RunOptions = {},
): Promise<RunResult> {
  const environment = environmentOf(sandbox, options.environment);
  useCredentials(environment);
  const settings = await loadSettings(folder, environment);
  const pipelines = await loadPipelines(folder);
  const request: RunRequest = {
    command: options.command ?? 'run',
    pipelines: pipelines.filter((one) => options.pipelines?.includes(one.dataset) ?? true),
    selection: {
      projects: 'all',
      crawls: null,
      from: options.from ?? Number.NEGATIVE_INFINITY,
      to: Number.POSITIVE_INFINITY,
    },
    override: { route: options.route ?? null, format: options.format ?? null, store: options.store ?? null },
    reload: options.reload ?? false,
    ...(options.now === undefined ? {} : { now: options.now }),
  };
  const signal = options.signal ?? new AbortController().signal;
  return run(settings, request, silentLogger, signal, options.progress);
}

/** The program as a process. Not `spawnSync`: the sandbox it talks to answers from this process. */
export async function crawlhouse(
  folder: string,
  sandbox: Sandbox | null,
  args: readonly string[],
  extra = {},
) {
  const child = crawlhouseProcess(folder, args, sandbox ? environmentOf(sandbox, extra) : extra);
  const [stdout, stderr, [status]] = await Promise.all([
    streamText(child.stdout),
    streamText(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { status, stdout, stderr };
}

/** The program as a process whose output is read. */
export function crawlhouseProcess(
  folder: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
) {
  return spawn(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    env: { ...PROCESS, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The program as a process that goes on, to be killed. */
export function spawnCrawlhouse(
  folder: string,
  sandbox: Sandbox,
  args: readonly string[],
  { extra = {}, program = PROGRAM }: { extra?: Readonly<Record<string, string>>; program?: string } = {},
) {
  return spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { ...PROCESS, ...environmentOf(sandbox, extra) },
    stdio: 'ignore',
  });
}

/** What a process needs to talk to a sandbox. */
export function environmentOf(
  sandbox: Sandbox,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const { store_a, store_b } = sandbox.ready;
  return {
    CRAWLHOUSE_BASE_URL: sandbox.baseUrl,
    CRAWLHOUSE_ACCESS_TOKEN: sandbox.accessToken,
    CRAWLHOUSE_STORE_A_BUCKET: store_a.bucket,
    CRAWLHOUSE_STORE_A_ENDPOINT: store_a.endpoint,
    CRAWLHOUSE_STORE_B_BUCKET: store_b.bucket,
    CRAWLHOUSE_STORE_B_ENDPOINT: store_b.endpoint,
    CRAWLHOUSE_STORE_B_REGION: store_b.region,
    CRAWLHOUSE_STORE_B_CREDENTIALS_SECRET: store_b.credentials_secret,
    AWS_ACCESS_KEY_ID: store_b.access_key,
    AWS_SECRET_ACCESS_KEY: store_b.secret_key,
    CRAWLHOUSE_THREADS: String(threads()),
    ...extra,
  };
}

/** What commands find that run in a folder. */
export async function writeDotEnv(
  folder: string,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  const lines = Object.entries(variables).map(([name, value]) => `${name}='${value}'\n`);
  await writeFile(join(folder, '.env'), lines.join(''));
}

/** Amazon's standard chain reads the process's own environment. */
function useCredentials(environment: Readonly<Record<string, string>>): void {
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])
    process.env[name] = environment[name] ?? '';
}

/** Rows of a published warehouse. */
export async function published(
  connection: Connection,
  folder: string,
  sql: string,
): Promise<Record<string, unknown>[]> {
  await connection.run(`ATTACH ${text(join(folder, 'warehouse.duckdb'))} AS published (READ_ONLY)`);
  try {
    await connection.run('USE published');
    return await connection.jsonRows(sql);
  } finally {
    await connection.run('USE memory');
    await connection.run('DETACH published');
  }
}

/** Rows that one of two published tables has and the other has not, as multisets over the service's own columns. */
export async function differences(
  connection: Connection,
  left: string,
  right: string,
  table: string,
): Promise<bigint> {
  await connection.run(`ATTACH ${text(join(left, 'warehouse.duckdb'))} AS l (READ_ONLY)`);
  await connection.run(`ATTACH ${text(join(right, 'warehouse.duckdb'))} AS r (READ_ONLY)`);
  try {
    const columns = await connection.rows<{ column_name: string; data_type: string }>(
      `SELECT column_name, data_type FROM duckdb_columns()
       WHERE database_name = 'l' AND schema_name = 'raw' AND table_name = ? AND NOT starts_with(column_name, '_')`,
      [table],
    );
    const list = ['_source_id', ...columns.map((column) => column.column_name)].map(ident).join(', ');
    const from = (catalog: string): string => `SELECT ${list} FROM ${catalog}.raw.${ident(table)}`;
    return (await connection.scalar(
      `SELECT (SELECT count(*) FROM (${from('l')} EXCEPT ALL ${from('r')}))
            + (SELECT count(*) FROM (${from('r')} EXCEPT ALL ${from('l')}))`,
    )) as bigint;
  } finally {
    await connection.run('DETACH l');
    await connection.run('DETACH r');
  }
}

/** Sets faults in a sandbox. */
export async function setFaults(sandbox: Sandbox, faults: readonly unknown[]): Promise<void> {
  const response = await fetch(`${sandbox.baseUrl}/_sandbox/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(faults),
  });
  if (!response.ok) throw new Error(`faults refused: ${await response.text()}`);
}

export async function clearFaults(sandbox: Sandbox): Promise<void> {
  await fetch(`${sandbox.baseUrl}/_sandbox/faults`, { method: 'DELETE' });
}

/** How many requests of the service's interface a sandbox has had. */
export async function requestCount(sandbox: Sandbox): Promise<number> {
  const response = await fetch(`${sandbox.baseUrl}/_sandbox/requests`);
  const requests = (await response.json()) as { path: string }[];
  return requests.filter((request) => request.path.startsWith('/api/v2')).length;
}
