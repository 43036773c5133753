import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { freePort } from '../support/free-port.ts';
import { type LedgerServer, startLedgerServer } from '../support/ledger-server.ts';
import { hasPostgres } from '../support/postgres.ts';
import { command, SoakProcess } from './process.ts';
import { Service } from './service.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const WEBHOOK_SECRET = 'secret-of-the-soak';
/** Units that one process stages at once, so that the workers get some. */
const CONCURRENCY = '1';

/** A project whose crawls appear over time, and the processes that keep it up to date. */
export interface Scene extends AsyncDisposable {
  readonly folder: string;
  readonly project: string;
  readonly alerts: string;
  readonly service: Service;
  /** Undefined: the local ledger, and no workers. */
  readonly postgres: LedgerServer | undefined;
  readonly schedule: SoakProcess;
  readonly console: SoakProcess;
  readonly workers: readonly SoakProcess[];
  readonly scheduleAddress: string;
  readonly webhookSecret: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Runs a command of the program in the project folder. */
  command(...args: readonly string[]): ReturnType<typeof command>;
  /** Those that are measured. */
  processes(): readonly SoakProcess[];
  /** Folders of the product: the project, the workers, and the system's temporary folder as they have it. */
  readonly folders: readonly string[];
}

/**
 * @param keeps leaves the folder, with its logs, where it is
 * @param isShared a shared ledger and workers; only where PostgreSQL is there
 */
export async function startScene({
  keeps,
  isShared,
}: {
  readonly keeps: () => boolean;
  readonly isShared: boolean;
}): Promise<Scene> {
  await using closing = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-soak-'));
  closing.defer(() => (keeps() ? undefined : rm(folder, { recursive: true, force: true })));
  const [logs, temporary] = [join(folder, 'logs'), join(folder, 'tmp')];
  for (const one of [logs, temporary]) await mkdir(one);
  const postgres = isShared && hasPostgres() ? closing.use(await startLedgerServer()) : undefined;
  const service = await Service.start(folder, logs);
  closing.defer(() => service.process.end('SIGKILL').then(() => undefined));
  // Packages of workers go through a store that stays up: the service's own store changes its port at each start.
  const store = closing.use(await startSandbox({ stateDir: join(folder, 'store') }));
  const alerts = join(folder, 'alerts.jsonl');
  await writeFile(alerts, '');
  const scheduleAddress = `127.0.0.1:${await freePort()}`;
  const environment = environmentOf(service, store, postgres, temporary);
  const project = await makeProject(join(folder, 'project'), alerts);
  const first = await command(project, ['run', '--quiet'], environment);
  if (first.code !== 0) throw new Error(`the first run ended with ${first.code}: ${first.stderr}`);

  const started = (
    name: string,
    args: readonly string[],
    more: Record<string, string> = {},
    where = project,
  ) => {
    const process = new SoakProcess({
      name,
      args,
      folder: where,
      environment: { ...environment, ...more },
      logs,
    });
    closing.defer(() => process.end('SIGKILL').then(() => undefined));
    return process;
  };
  const schedule = started('schedule', ['schedule'], {
    CRAWLHOUSE_SCHEDULE_LISTEN: scheduleAddress,
    CRAWLHOUSE_WEBHOOK_SECRET: WEBHOOK_SECRET,
  });
  const console = started('console', ['console', '--port', '0']);
  const workers: SoakProcess[] = [];
  for (const name of postgres === undefined ? [] : ['worker-1', 'worker-2'])
    workers.push(started(name, ['worker', '--json'], {}, await makeProject(join(folder, name), alerts)));
  await schedule.heard(/listening/);
  await console.heard(/sign-in\?key=/);
  for (const worker of workers) await worker.heard(/worker starts/);
  const opened = closing.move();
  return {
    folder,
    project,
    alerts,
    service,
    postgres,
    schedule,
    console,
    workers,
    scheduleAddress,
    environment,
    webhookSecret: WEBHOOK_SECRET,
    command: (...args) => command(project, args, environment),
    processes: () => [schedule, ...workers, console, service.process],
    folders: [project, ...workers.map(({ name }) => join(folder, name)), temporary],
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** A project folder as it ships, whose schedule fires each minute and whose alerts go to a file. */
async function makeProject(folder: string, alerts: string): Promise<string> {
  await mkdir(folder);
  for (const name of ['pipelines', 'sql'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  // Small crawls would come by searches, whose answers are too short to be cut.
  for (const name of ['crawl_pages', 'crawl_links']) {
    const file = join(folder, 'pipelines', `${name}.yaml`);
    await writeFile(file, `${await readFile(file, 'utf8')}route: stream\n`);
  }
  await writeFile(
    join(folder, 'schedules.yaml'),
    'schedules:\n  - name: each-minute\n    cron: "* * * * *"\n    retries: { number: 0, wait: 1 }\n',
  );
  await writeFile(
    join(folder, 'crawlhouse.yaml'),
    `alerts: { command: [/bin/sh, -c, 'cat >> "$0"', ${JSON.stringify(alerts)}] }\n`,
  );
  return folder;
}

function environmentOf(
  { ready: { base_url, access_token } }: Service,
  { ready: { store_b } }: Sandbox,
  postgres: LedgerServer | undefined,
  temporary: string,
): Record<string, string> {
  return {
    TMPDIR: temporary,
    CRAWLHOUSE_BASE_URL: base_url,
    CRAWLHOUSE_ACCESS_TOKEN: access_token,
    CRAWLHOUSE_CONCURRENCY: CONCURRENCY,
    CRAWLHOUSE_CONCURRENCY_PER_PROJECT: '9',
    CRAWLHOUSE_THREADS: '1',
    ...(postgres && {
      CRAWLHOUSE_LEDGER: postgres.url('soak'),
      CRAWLHOUSE_PACKAGES_STORE: 'store_b',
      CRAWLHOUSE_STORE_B_BUCKET: store_b.bucket,
      CRAWLHOUSE_STORE_B_ENDPOINT: store_b.endpoint,
      CRAWLHOUSE_STORE_B_REGION: store_b.region,
      AWS_ACCESS_KEY_ID: store_b.access_key,
      AWS_SECRET_ACCESS_KEY: store_b.secret_key,
    }),
  };
}
