import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, connect as dial, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';
import { loadSettings } from '../../src/app/settings/load-settings.ts';
import { listObjects } from '../../src/core/stores/list-objects.ts';
import { openConfiguredStore } from '../../src/core/stores/registry.ts';
import type { Sandbox } from '../../src/service/sandbox/start-sandbox.ts';
import type { LedgerServer } from './ledger-server.ts';
import { crawlhouseProcess, differences, environmentOf, rawProjectFolder } from './project.ts';
import { temporaryConnection, temporaryFolder } from './temporary.ts';
import { until } from './until.ts';

export const TABLES = ['crawl_pages', 'crawl_links'];
/** Small crawls would come by searches, which take no time. */
export const RUN = ['run', ...TABLES, '--route', 'stream'];
const ALL_TIME = ['--from', '2000-01-01', '--to', '2100-01-01'];
export const GENERATE = ['projects=2,crawls=2,pages=30,links=60,columns=12,seed=4'];

/** A process of a machine, with what it says. */
export interface Machine {
  readonly child: ReturnType<typeof crawlhouseProcess>;
  readonly folder: string;
  readonly stdout: Promise<string>;
  readonly said: { readonly text: string };
  readonly ended: Promise<number | null>;
  heard(pattern: RegExp): Promise<RegExpExecArray>;
}

/** The machines of one project: they share a ledger and a bucket, and nothing else. */
export interface WorkerScene {
  readonly project: string;
  readonly warehouse: string;
  run(...args: readonly string[]): Machine;
  /** Loads every unit again. */
  reload(): Machine;
  worker(ledger?: string, ...args: readonly string[]): Promise<Machine>;
  /** As if 30 seconds had passed without a word of this process. */
  expire(machine: Machine): Promise<void>;
  queue(): Promise<Record<string, unknown>[]>;
  /** Keys below the prefix of packages. */
  objects(): Promise<string[]>;
  /** Puts a text in place of an object. */
  spoil(key: string): Promise<void>;
}

/** What the machines of a scene have beside the defaults. */
export interface SceneOptions {
  /** `crawlhouse.yaml`. */
  readonly yaml?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Of the run only. */
  readonly ofRun?: { readonly yaml?: string; readonly environment?: Readonly<Record<string, string>> };
}

export async function workerScene(
  postgres: LedgerServer,
  sandbox: Sandbox,
  project: string,
  { yaml, environment = {}, ofRun = {} }: SceneOptions = {},
): Promise<WorkerScene> {
  const settings = (ledger = postgres.url(project)) => ({
    ...environment,
    CRAWLHOUSE_LEDGER: ledger,
    CRAWLHOUSE_PACKAGES_STORE: 'store_b',
    CRAWLHOUSE_CONCURRENCY: '1',
    CRAWLHOUSE_CONCURRENCY_PER_PROJECT: '9',
  });
  const folderOf = async (text = yaml): Promise<string> => {
    const folder = await rawProjectFolder();
    if (text !== undefined) await writeFile(join(folder, 'crawlhouse.yaml'), text);
    return folder;
  };
  const start = (folder: string, args: readonly string[], own: Record<string, string>): Machine => {
    const child = crawlhouseProcess(folder, args, environmentOf(sandbox, own));
    onTestFinished(() => {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
    });
    const said = { text: '' };
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      said.text += piece;
    });
    return {
      child,
      folder,
      said,
      stdout: text(child.stdout),
      ended: once(child, 'exit').then(([code]) => code as number | null),
      heard: (pattern) => until(async () => pattern.exec(said.text) ?? undefined, 60_000),
    };
  };
  const warehouse = await folderOf(ofRun.yaml);
  const { signal } = new AbortController();
  const bucket = async () => {
    const own = environmentOf(sandbox, settings());
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) process.env[name] = own[name];
    return openConfiguredStore(await loadSettings(warehouse, own), 'store_b');
  };
  return {
    project,
    warehouse,
    run: (...args) => {
      const command = args.includes('--route') ? ['run', ...TABLES] : RUN;
      return start(warehouse, [...command, ...args], { ...settings(), ...ofRun.environment });
    },
    reload: () =>
      start(warehouse, ['backfill', ...RUN.slice(1), '--reload', ...ALL_TIME], {
        ...settings(),
        ...ofRun.environment,
      }),
    worker: async (ledger, ...args) => {
      const machine = start(await folderOf(), ['worker', '--json', ...args], settings(ledger));
      await machine.heard(/worker starts/);
      return machine;
    },
    expire: async ({ child }) => {
      await postgres.admin(
        `UPDATE crawlhouse.queue SET until = now()
         WHERE project = '${project}' AND worker LIKE 'crawlhouse worker (process ${child.pid} on %'`,
        'ledgers',
      );
    },
    queue: () =>
      postgres.admin(
        `SELECT unit, status, worker, claim FROM crawlhouse.queue WHERE project = '${project}'`,
        'ledgers',
      ),
    objects: async () => {
      await using store = await bucket();
      const [id] = await postgres.admin(
        `SELECT value FROM crawlhouse.facts WHERE project = '${project}' AND name = 'queue'`,
        'ledgers',
      );
      return (await listObjects(store, `packages/${id?.value}/`, signal)).map(({ key }) => key);
    },
    spoil: async (key) => {
      await using store = await bucket();
      const file = join(await temporaryFolder(), 'spoilt');
      await writeFile(file, 'spoilt');
      await store.put(key, file, signal);
    },
  };
}

/** The published rows are those of a warehouse that one process filled. */
export async function expectSame(undisturbed: string, warehouse: string): Promise<void> {
  const connection = await temporaryConnection(await temporaryFolder());
  for (const table of TABLES)
    expect([table, await differences(connection, undisturbed, warehouse, table)]).toEqual([table, 0n]);
}

/** A proxy before a server, which can drop every connection and take no other for a while. */
export interface CuttableServer {
  readonly port: number;
  cut(): void;
  mend(): void;
}

export async function cuttable(port: number): Promise<CuttableServer> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((socket) => {
    if (isCut) {
      socket.destroy();
      return;
    }
    const behind = dial(port, 'localhost');
    for (const one of [socket, behind]) {
      sockets.add(one);
      one
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(one);
          socket.destroy();
          behind.destroy();
        });
    }
    socket.pipe(behind).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    isCut = true;
    for (const one of sockets) one.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  return {
    port: (server.address() as { port: number }).port,
    cut,
    mend: () => {
      isCut = false;
    },
  };
}
