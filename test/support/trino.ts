import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import { type RealPostgres, startPostgres } from './postgres.ts';
import { ALL_ROUNDS } from './random.ts';
import { createBucket, type RealS3, type RealServer, started, startVersitygw } from './servers.ts';

const run = promisify(execFile);

const VERSION = '476';
/** Where Trino is unpacked, once for a clone: 570 MB. */
const FOLDER = process.env.ENGINES_FOLDER ?? join(import.meta.dirname, '..', '..', '.engines');
const LEAST_JAVA = 24;
const START_MS = 300_000;
/** A coordinator and two workers take 4 GB. */
const MEMORY_OF_WORKERS = 8 * 1024 ** 3;
const BUCKET = 'lake';
/** The tables of an Iceberg catalog in PostgreSQL, which Trino does not make. */
const CATALOG_TABLES = `
  CREATE TABLE iceberg_tables (
    catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL,
    metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000), iceberg_type VARCHAR(5),
    PRIMARY KEY (catalog_name, table_namespace, table_name));
  CREATE TABLE iceberg_namespace_properties (
    catalog_name VARCHAR(255) NOT NULL, namespace VARCHAR(255) NOT NULL,
    property_key VARCHAR(255), property_value VARCHAR(1000), PRIMARY KEY (catalog_name, namespace, property_key));`;

/** The user `reader` has the rights that docs/trino.md asks for a machine that only reads, and all others have all. */
const READER = { user: 'reader' };
const SELECT = { privileges: ['SELECT'] };
const RULES = {
  catalogs: [{ ...READER, allow: 'read-only' }, { allow: 'all' }],
  tables: [
    { ...READER, schema: '.*(raw|mart|ops)', ...SELECT },
    { ...READER, schema: '.*store', table: 'visible', ...SELECT },
    { ...READER, privileges: [] },
    { privileges: ['SELECT', 'INSERT', 'DELETE', 'UPDATE', 'OWNERSHIP', 'GRANT_SELECT'] },
  ],
  procedures: [{ user: 'test', schema: 'system', procedure: '(un)?register_table', privileges: ['EXECUTE'] }],
};

/** What a test needs to reach Trino and its bucket. */
export interface TrinoAddress {
  readonly url: string;
  readonly catalog: string;
  readonly bucket: string;
  readonly s3: Pick<RealS3, 'endpoint' | 'accessKey' | 'secretKey' | 'region'>;
}

/** A Trino whose servers can be crashed. */
export interface RunningTrino extends TrinoAddress, AsyncDisposable {
  readonly servers: {
    readonly s3: RealServer;
    readonly catalog: RealServer;
    readonly coordinator: RealServer;
    readonly nodes: readonly RealServer[];
  };
  /** Waits until all nodes take work. */
  readonly whole: () => Promise<void>;
}

/** Trino with an Iceberg catalog in PostgreSQL and its files in versitygw, all from the registries. */
export async function startTrino(count = workers()): Promise<RunningTrino> {
  const java = await javaProgram();
  await install();
  await using stack = new AsyncDisposableStack();
  const s3 = stack.use(await startVersitygw());
  await createBucket(s3, BUCKET);
  const postgres = stack.use(await startPostgres());
  await postgres.execute(CATALOG_TABLES);
  const coordinator = stack.use(await startNode(java, { s3, postgres, workers: count }));
  const starting = Array.from({ length: count }, () =>
    startNode(java, { s3, postgres, coordinator: coordinator.endpoint }),
  );
  const nodes = await Promise.all(starting);
  for (const node of nodes) stack.use(node);
  const whole = async (): Promise<void> => {
    await using client = new TrinoClient({ url: coordinator.endpoint, user: 'test' });
    const live = `SELECT count(*) FROM system.runtime.nodes WHERE state = 'active'`;
    while (Number(await client.scalar(live)) < 1 + count);
  };
  await whole();
  const { endpoint, accessKey, secretKey, region } = s3;
  const running = stack.move();
  return {
    url: coordinator.endpoint,
    catalog: 'lake',
    bucket: BUCKET,
    s3: { endpoint, accessKey, secretKey, region },
    servers: { s3, catalog: postgres, coordinator, nodes },
    whole,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/**
 * TRINO_WORKERS, or by night two where there is memory for them. The golden cases cost one process 64 s of processor
 * time, and three 105 s.
 */
function workers(): number {
  return Number(process.env.TRINO_WORKERS ?? (ALL_ROUNDS && freemem() > MEMORY_OF_WORKERS ? 2 : 0));
}

/** Brings Trino's core and its Iceberg plugin from Maven Central. */
async function install(): Promise<void> {
  if (existsSync(join(FOLDER, 'plugin', 'iceberg'))) return;
  await mkdir(FOLDER, { recursive: true });
  const folder = await mkdtemp(join(FOLDER, 'new-'));
  try {
    for (const artifact of [
      `io.trino:trino-server-core:${VERSION}:tar.gz`,
      `io.trino:trino-iceberg:${VERSION}:zip`,
    ])
      await call(
        'mvn',
        ['-q', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`],
        folder,
      );
    await call('tar', ['xzf', `trino-server-core-${VERSION}.tar.gz`], folder);
    await call('unzip', ['-qo', `trino-iceberg-${VERSION}.zip`], folder);
    await rename(join(folder, `trino-server-core-${VERSION}`), join(FOLDER, `trino-server-core-${VERSION}`));
    await mkdir(join(FOLDER, 'plugin'), { recursive: true });
    await rename(join(folder, `trino-iceberg-${VERSION}`), join(FOLDER, 'plugin', 'iceberg'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function call(program: string, args: readonly string[], cwd: string): Promise<void> {
  try {
    await run(program, args, { cwd, timeout: START_MS * 3, maxBuffer: 64 * 1024 * 1024 });
  } catch (cause) {
    const { code, stdout, message } = cause as { code?: unknown; stdout?: string; message: string };
    if (code === 'ENOENT')
      throw new Error(`${program} is missing: it brings Trino from Maven Central`, { cause });
    throw new Error(`${program} ${args.join(' ')}: ${(stdout || message).slice(-2000)}`, { cause });
  }
}

/** A Java that is new enough: JAVA_HOME, PATH, or one of those that Debian's packages install. */
async function javaProgram(): Promise<string> {
  const home = process.env.JAVA_HOME;
  const installed = existsSync('/usr/lib/jvm') ? readdirSync('/usr/lib/jvm') : [];
  for (const program of [
    ...(home === undefined ? [] : [join(home, 'bin', 'java')]),
    'java',
    ...installed.map((name) => join('/usr/lib/jvm', name, 'bin', 'java')).filter((path) => existsSync(path)),
  ]) {
    const said = await run(program, ['-version']).catch(() => undefined);
    if (Number(/version "(\d+)/.exec(said?.stderr ?? '')?.[1]) >= LEAST_JAVA) return program;
  }
  throw new Error(`Java ${LEAST_JAVA} or later is missing: install one and set JAVA_HOME to its folder`);
}

interface NodeOptions {
  readonly s3: RealS3;
  readonly postgres: RealPostgres;
  /** Of a worker. */
  readonly coordinator?: string;
  /** Of a coordinator, which works itself where there are none. */
  readonly workers?: number;
}

function startNode(java: string, options: NodeOptions): Promise<RealServer> {
  return started(java, async (port, folder) => {
    const { coordinator = `http://127.0.0.1:${port}`, workers } = options;
    await mkdir(join(folder, 'catalog'));
    await symlink(
      join(FOLDER, `trino-server-core-${VERSION}`, 'secrets-plugin'),
      join(folder, 'secrets-plugin'),
    );
    const config = join(folder, 'config.properties');
    const isCoordinator = workers !== undefined;
    const lines = [
      `coordinator=${isCoordinator}`,
      ...(isCoordinator
        ? [
            `node-scheduler.include-coordinator=${workers === 0}`,
            // One node has the tasks of all stages of a model.
            'scheduler.http-client.max-requests-queued-per-destination=10000',
          ]
        : []),
      `http-server.http.port=${port}`,
      `discovery.uri=${coordinator}`,
      'node.internal-address=127.0.0.1',
      `plugin.dir=${join(FOLDER, 'plugin')}`,
      `catalog.config-dir=${join(folder, 'catalog')}`,
      'shutdown.grace-period=1s',
      `access-control.config-files=${join(folder, 'access-control.properties')}`,
      'query.max-memory=1GB',
      'query.max-memory-per-node=500MB',
    ];
    await writeFile(join(folder, 'rules.json'), JSON.stringify(RULES));
    await writeFile(
      join(folder, 'access-control.properties'),
      `access-control.name=file\nsecurity.config-file=${join(folder, 'rules.json')}\n`,
    );
    await writeFile(config, lines.join('\n'));
    await writeFile(join(folder, 'catalog', 'lake.properties'), catalogLines(options).join('\n'));
    return {
      args: [
        `-Xmx${isCoordinator ? '2G' : '1G'}`,
        // Most code of a test runs a few times. With these, the golden cases took 154 processor s, without them 286.
        '-XX:TieredStopAtLevel=1',
        '-XX:+UseParallelGC',
        '-server',
        '-XX:+ExitOnOutOfMemoryError',
        '-XX:ReservedCodeCacheSize=256M',
        '-Djdk.attach.allowAttachSelf=true',
        '--add-modules=jdk.incubator.vector',
        '--enable-native-access=ALL-UNNAMED',
        '--sun-misc-unsafe-memory-access=allow',
        '-Dnode.environment=test',
        `-Dnode.id=node-${port}`,
        `-Dnode.data-dir=${join(folder, 'data')}`,
        `-Dconfig=${config}`,
        '-cp',
        join(FOLDER, `trino-server-core-${VERSION}`, 'lib', '*'),
        'io.trino.server.TrinoServer',
      ],
      environment: {},
      startMs: START_MS,
      isReady: async (endpoint) => {
        const answer = await fetch(`${endpoint}/v1/info`).catch(() => undefined);
        return answer?.ok === true && ((await answer.json()) as { starting: boolean }).starting === false;
      },
    };
  });
}

function catalogLines({ s3, postgres }: NodeOptions): string[] {
  return [
    'connector.name=iceberg',
    'iceberg.catalog.type=jdbc',
    'iceberg.jdbc-catalog.catalog-name=lake',
    'iceberg.jdbc-catalog.driver-class=org.postgresql.Driver',
    `iceberg.jdbc-catalog.connection-url=jdbc:postgresql://127.0.0.1:${postgres.port}/postgres`,
    'iceberg.jdbc-catalog.connection-user=postgres',
    'iceberg.jdbc-catalog.connection-password=unused',
    `iceberg.jdbc-catalog.default-warehouse-dir=s3://${BUCKET}/iceberg`,
    'iceberg.jdbc-catalog.schema-version=V1',
    'iceberg.add-files-procedure.enabled=true',
    // Tables of a mirror.
    'iceberg.register-table-procedure.enabled=true',
    'fs.native-s3.enabled=true',
    `s3.endpoint=${s3.endpoint}`,
    `s3.region=${s3.region}`,
    's3.path-style-access=true',
    `s3.aws-access-key=${s3.accessKey}`,
    `s3.aws-secret-key=${s3.secretKey}`,
  ];
}
