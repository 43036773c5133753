import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadyDocument } from '../../src/service/sandbox/start-sandbox.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { SoakProcess } from './process.ts';

/** Sites whose crawls come one after the other, each of them a minute after its launch. */
const GENERATE = 'projects=3,crawls=2,pages=200,links=1200,clusters=20,seed=11';

/** A generated crawl takes a minute (docs/sandbox.md). */
const CRAWL_MS = 90_000;

/** A busy machine starts and answers slowly. */
const [START_MS, ANSWER_MS] = [300_000, 300_000];
const [TRIES, TRY_AGAIN_MS] = [4, 500];

interface Listed {
  readonly id: string;
  readonly project_id: string;
  readonly status: string;
}

/** The service as a process of its own: a sandbox whose data outlives it. */
export class Service {
  readonly process: SoakProcess;
  readonly ready: ReadyDocument;
  readonly #readyFile: string;
  #sites: readonly { readonly project: string; readonly config: string }[] = [];
  #workspace = '';
  launched = 0;

  private constructor(process: SoakProcess, ready: ReadyDocument, readyFile: string) {
    this.process = process;
    this.ready = ready;
    this.#readyFile = readyFile;
  }

  static async start(folder: string, logs: string): Promise<Service> {
    const readyFile = join(folder, 'ready.json');
    const state = join(folder, 'service');
    const port = String(await freePort());
    const process = new SoakProcess({
      name: 'sandbox',
      args: [
        'sandbox',
        'start',
        '--port',
        port,
        '--state',
        state,
        '--generate',
        GENERATE,
        '--ready-file',
        readyFile,
      ],
      folder,
      environment: {},
      logs,
    });
    try {
      const service = new Service(process, await readyDocument(process, readyFile), readyFile);
      await service.#findSites();
      return service;
    } catch (error) {
      await process.end('SIGKILL');
      throw error;
    }
  }

  /** Ends the process and starts it again `downMs` later, on the same port and data. */
  async restart(downMs: number): Promise<void> {
    await this.process.end('SIGTERM');
    await rm(this.#readyFile, { force: true });
    await sleep(downMs);
    this.process.restart();
    await readyDocument(this.process, this.#readyFile);
  }

  async setFault(fault: object): Promise<void> {
    await this.#send('POST', '/_sandbox/faults', [fault]);
  }

  async clearFaults(): Promise<void> {
    await this.#send('DELETE', '/_sandbox/faults');
  }

  /** Launches a crawl of each site that has none under way. A service that is disturbed launches it later. */
  async launch(): Promise<void> {
    const crawls = await this.#listed().catch(() => undefined);
    for (const { project, config } of crawls === undefined ? [] : this.#sites) {
      if (crawls?.some((one) => one.project_id === project && isUnderWay(one))) continue;
      const path = `/api/v2/projects/${project}/launch-crawl?configId=${config}`;
      await this.#send('POST', path).then(
        () => this.launched++,
        () => undefined,
      );
    }
  }

  /** Ends the crawls under way: the clock goes on by what is left of them. */
  async finish(): Promise<void> {
    await this.#send('POST', '/_sandbox/clock', { now: new Date(Date.now() + CRAWL_MS).toISOString() });
  }

  /** The crawls that have a report, and whether others are under way. */
  async crawls(): Promise<{ readonly done: readonly string[]; readonly underWay: number }> {
    const crawls = await this.#listed();
    const done = crawls.filter(({ status }) => status === 'done').map(({ id }) => id);
    return { done, underWay: crawls.filter(isUnderWay).length };
  }

  /** Rows of a crawl, by the service's own count. */
  async rows(crawl: string, data: 'pages' | 'links'): Promise<number> {
    const body = { fields: [data === 'pages' ? 'url' : 'origin'], limit: 1 };
    const path = `/api/v2/data/crawl/${crawl}/${data}`;
    const { meta } = await this.#send<{ meta: { total_hits: number } }>('POST', path, body);
    return meta.total_hits;
  }

  async #listed(): Promise<readonly Listed[]> {
    const path = `/api/v2/workspaces/${this.#workspace}/crawls?limit=5000`;
    return (await this.#send<{ crawls: Listed[] }>('GET', path)).crawls;
  }

  async #findSites(): Promise<void> {
    const { workspaces } = await this.#send<{ workspaces: Listed[] }>('GET', '/api/v2/workspaces');
    this.#workspace = workspaces[0]?.id ?? '';
    const { projects } = await this.#send<{ projects: Listed[] }>(
      'GET',
      `/api/v2/workspaces/${this.#workspace}/projects?limit=100`,
    );
    this.#sites = await Promise.all(
      projects.map(async ({ id }) => {
        const path = `/api/v2/projects/${id}/crawl_configs`;
        const { crawl_configs } = await this.#send<{ crawl_configs: Listed[] }>('GET', path);
        return { project: id, config: crawl_configs[0]?.id ?? '' };
      }),
    );
  }

  async #send<T = unknown>(method: string, path: string, body?: object): Promise<T> {
    const request = {
      method,
      headers: {
        authorization: `Bearer ${this.ready.access_token}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    };
    const response = await asked(`${this.ready.base_url}${path}`, request);
    const said = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${said}`);
    return (said === '' ? {} : JSON.parse(said)) as T;
  }
}

/** An answer; a connection that the service has closed by itself is tried anew. */
async function asked(url: string, request: RequestInit): Promise<Response> {
  for (let left = TRIES; ; left--) {
    try {
      return await fetch(url, { ...request, signal: AbortSignal.timeout(ANSWER_MS) });
    } catch (cause) {
      if (left <= 1) throw new Error(`${request.method} ${url}: ${(cause as Error).message}`, { cause });
      await sleep(TRY_AGAIN_MS);
    }
  }
}

function isUnderWay({ status }: Listed): boolean {
  return !['done', 'archived', 'cancelled'].includes(status);
}

async function readyDocument(process: SoakProcess, file: string): Promise<ReadyDocument> {
  return until(async () => {
    if (!process.isAlive) throw new Error(`the sandbox ended: ${await readFile(process.log, 'utf8')}`);
    return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as ReadyDocument) : undefined;
  }, START_MS);
}
