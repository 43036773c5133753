import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { freePort } from './free-port.ts';

const run = promisify(execFile);

/** Where the servers are installed: once for a clone, beside what else its packages keep. */
const BIN = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'crawlhouse', 'bin');
const GO_FOLDERS = ['/usr/local/go/bin', '/usr/lib/go/bin', '/opt/homebrew/bin'];
const INSTALL_MS = 900_000;
const START_MS = 30_000;

const VERSITYGW = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';
const FAKE_GCS = 'github.com/fsouza/fake-gcs-server@v1.56.1';

/** A server that is not ours, under way on a port of its own with a folder of its own. */
export interface RealServer extends AsyncDisposable {
  readonly endpoint: string;
  readonly port: number;
  /** Ends it at once, without a word to its clients. */
  readonly crash: () => Promise<void>;
  /** Starts it again, on its port and its folder. */
  readonly restart: () => Promise<void>;
}

export interface RealS3 extends RealServer {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
}

/** Installs the servers of stores: files that want one at the same time would each build it. */
export async function installStoreServers(): Promise<void> {
  await installed('versitygw', VERSITYGW);
  await installed('fake-gcs-server', FAKE_GCS);
}

/** versitygw: an S3 before a folder. It asks every request for its signature. */
export async function startVersitygw(): Promise<RealS3> {
  const program = await installed('versitygw', VERSITYGW);
  const [accessKey, secretKey, region] = ['integration', 'integration-secret', 'us-east-1'];
  const server = await started(program, (port, folder) => ({
    args: ['--port', `127.0.0.1:${port}`, '--region', region, 'posix', folder],
    environment: { ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey },
  }));
  return { ...server, accessKey, secretKey, region };
}

export async function createBucket(s3: RealS3, bucket: string): Promise<void> {
  const { endpoint, region, accessKey: accessKeyId, secretKey: secretAccessKey } = s3;
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
}

/** fake-gcs-server: the JSON API of Google Cloud Storage before a folder, without credentials. */
export async function startFakeGcs(): Promise<RealServer> {
  const program = await installed('fake-gcs-server', FAKE_GCS);
  return started(program, (port, folder) => ({
    args: [
      '-scheme',
      'http',
      '-host',
      '127.0.0.1',
      '-port',
      String(port),
      '-public-host',
      `127.0.0.1:${port}`,
      '-backend',
      'filesystem',
      '-filesystem-root',
      folder,
    ],
    environment: {},
  }));
}

/** The program of a Go module, installed when it is not there; without Go the test fails and says so. */
async function installed(name: string, module: string): Promise<string> {
  const version = module.slice(module.lastIndexOf('@') + 1);
  const folder = join(BIN, version);
  const program = join(folder, name);
  if (existsSync(program)) return program;
  await mkdir(folder, { recursive: true });
  const own = await mkdtemp(join(folder, 'new-'));
  const path = [process.env.PATH ?? '', ...GO_FOLDERS].join(delimiter);
  try {
    const env = { ...process.env, PATH: path, GOBIN: own };
    await run('go', ['install', module], { env, cwd: tmpdir(), timeout: INSTALL_MS });
    // Another file may want it at the same time.
    await rename(join(own, name), program);
  } catch (cause) {
    const { stderr, message } = cause as { stderr?: string; message: string };
    throw new Error(`can't install ${name} (go install ${module}): ${(stderr || message).slice(-2000)}`, {
      cause,
    });
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  return program;
}

interface Start {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Default: it answers over HTTP. */
  readonly isReady?: (endpoint: string) => Promise<boolean>;
  readonly startMs?: number;
  readonly endBy?: NodeJS.Signals;
  /** Default: SIGKILL. */
  readonly crashBy?: NodeJS.Signals;
}

/** Starts a program and waits until it is ready. */
export async function started(
  program: string,
  start: (port: number, folder: string) => Start | Promise<Start>,
): Promise<RealServer> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-server-'));
  const port = await freePort();
  const {
    args,
    environment,
    isReady = answersHttp,
    startMs = START_MS,
    endBy,
    crashBy = 'SIGKILL',
  } = await start(port, folder);
  const endpoint = `http://127.0.0.1:${port}`;
  const spawnOne = async (): Promise<(signal?: NodeJS.Signals) => Promise<void>> => {
    const child = spawn(program, args, {
      env: { PATH: process.env.PATH ?? '', HOME: folder, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece: Buffer) => {
        output = (output + String(piece)).slice(-2000);
      });
    const ended = once(child, 'exit');
    const end = async (signal?: NodeJS.Signals): Promise<void> => {
      child.kill(signal);
      await ended;
    };
    try {
      const latest = Date.now() + startMs;
      while (child.exitCode === null && !(await isReady(endpoint))) {
        if (Date.now() > latest) throw new Error(`not ready after ${startMs / 1000} s`);
        await sleep(25);
      }
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    } catch (cause) {
      await end(endBy);
      throw new Error(`${program} does not answer at ${endpoint}: ${(cause as Error).message}: ${output}`, {
        cause,
      });
    }
    return end;
  };
  const removed = (): Promise<void> => rm(folder, { recursive: true, force: true });
  let end = await spawnOne().catch(async (error: unknown) => {
    await removed();
    throw error;
  });
  return {
    endpoint,
    port,
    crash: () => end(crashBy),
    restart: async () => {
      end = await spawnOne();
    },
    [Symbol.asyncDispose]: async () => {
      await end(endBy);
      await removed();
    },
  };
}

async function answersHttp(endpoint: string): Promise<boolean> {
  const answer = await fetch(endpoint).catch(() => undefined);
  await answer?.body?.cancel();
  return answer !== undefined;
}
