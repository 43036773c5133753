import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { onTestFinished } from 'vitest';
import { ServiceClient } from '../../../src/client/http/service-client.ts';
import type { CrawlConfigInput } from '../../../src/client/resources/crawl-configs.ts';
import { type SandboxOptions, startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { type Json, type Service, service } from '../support.ts';

/** The sandbox's clock at the start of every test. */
export const START = Date.parse('2027-03-01T08:00:00Z');
export const SECOND = 1000;
export const DAY = 86_400_000;

/** A sandbox whose time a test moves, with its client and its first project. */
export class Living {
  readonly service: Service;
  readonly client: ServiceClient;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly configId: string;

  constructor(
    service: Service,
    client: ServiceClient,
    ids: { workspaceId: string; projectId: string; configId: string },
  ) {
    this.service = service;
    this.client = client;
    this.workspaceId = ids.workspaceId;
    this.projectId = ids.projectId;
    this.configId = ids.configId;
  }

  async clock(now: number): Promise<void> {
    const answer = await this.service.ask('/_sandbox/clock', { body: { now } });
    if (answer.status !== 200) throw new Error(answer.text);
  }

  async patch(resource: string, id: string, body: Json): Promise<Json> {
    const answer = await this.service.ask(`/_sandbox/${resource}/${id}`, { method: 'PATCH', body });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.json;
  }

  async list(kind: 'mails' | 'webhook_calls'): Promise<Json[]> {
    return JSON.parse((await this.service.ask(`/_sandbox/${kind}`)).text) as Json[];
  }

  /** A configuration of its own for a test. */
  async config(input: Partial<CrawlConfigInput> = {}): Promise<string> {
    const made = await this.client.call('createCrawlConfig', {
      project_id: this.projectId,
      body: { crawl_config: { ...CONFIG, ...input } },
    });
    return made.id;
  }

  /** All crawls of the project, the oldest first. */
  async crawls() {
    const { items } = await this.client.all('crawls', { workspace_id: this.workspaceId });
    return items.filter((crawl) => crawl.project_id === this.projectId).toReversed();
  }
}

/** What a configuration must have. */
export const CONFIG: CrawlConfigInput = {
  name: 'made by a test',
  start_url: 'https://www.gentle-harbour-1.example/',
  user_agent: 'TestBot',
  max_speed: 1,
};

const GENERATE = ['pages=200,links=400,columns=24'];

/** The files of a sandbox that has generated the project. To generate takes longer than most tests. */
let generated: Promise<readonly { readonly path: string; readonly content: Buffer }[]> | undefined;

/** A state directory with the generated project. */
async function generatedState(): Promise<string> {
  const stateDir = await temporaryFolder();
  generated ??= generateFiles(await temporaryFolder());
  for (const { path, content } of await generated) {
    await mkdir(dirname(join(stateDir, path)), { recursive: true });
    await writeFile(join(stateDir, path), content);
  }
  return stateDir;
}

async function generateFiles(stateDir: string) {
  const sandbox = await startSandbox({ generate: GENERATE, stateDir });
  await sandbox.close();
  const entries = await readdir(stateDir, { recursive: true, withFileTypes: true });
  const paths = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  return Promise.all(
    paths.map(async (path) => ({ path: relative(stateDir, path), content: await readFile(path) })),
  );
}

/** A sandbox for one test, with a generated project of one crawl, at `START`. */
export async function living(options: SandboxOptions = {}): Promise<Living> {
  const start = options.generate ? {} : { generate: GENERATE, stateDir: await generatedState() };
  // Receivers of webhooks are on this machine.
  const it = await service({ ...start, allowPrivate: true, ...options });
  const client = new ServiceClient({ baseUrl: it.sandbox.baseUrl, accessToken: it.sandbox.accessToken });
  onTestFinished(() => client[Symbol.asyncDispose]());
  const workspaceId = await it.workspace();
  const [project] = await Array.fromAsync(client.list('projects', { workspace_id: workspaceId }));
  const projectId = String(project?.id);
  const life = new Living(it, client, {
    workspaceId,
    projectId,
    configId: String(project?.crawl_config_ids?.[0]),
  });
  await life.clock(START);
  return life;
}

/** What a refused call was refused with. */
export async function refusal(call: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await call;
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('it was not refused');
}
