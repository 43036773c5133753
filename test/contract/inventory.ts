import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
import { ServiceClient } from '../../src/client/http/service-client.ts';
import type { CrawlConfigInput } from '../../src/client/resources/crawl-configs.ts';
import type { DataExportInput } from '../../src/client/resources/data-exports.ts';
import { fileForm } from '../../src/client/resources/ingest-files.ts';
import type { SecretInput } from '../../src/client/resources/secrets.ts';
import type { Service } from '../service/support.ts';

/** What the calls of the contract work on. */
export interface Inventory {
  readonly service: Service;
  /** A client with every scope. */
  readonly client: ServiceClient;
  readonly workspace: string;
  readonly project: string;
  readonly config: string;
  /** Two crawls that are done, the older first. */
  readonly crawls: readonly [string, string];
  readonly comparison: string;
  /** An address that takes webhooks. */
  readonly webhook: string;
  /** A website that never answers, so that a crawl of it runs. */
  readonly website: string;
  /** A name that nothing has yet. */
  name(): string;
}

export const GENERATED =
  'crawls=2,pages=30,links=60,clusters=3,structured_data=5,comparisons=1,log_days=3,events=60,ranking_days=3';

export async function inventoryOf(service: Service): Promise<Inventory> {
  const client = new ServiceClient({
    baseUrl: service.sandbox.baseUrl,
    accessToken: service.sandbox.accessToken,
  });
  afterAll(() => client[Symbol.asyncDispose]());
  const [workspace] = await Array.fromAsync(client.list('workspaces', {}));
  const [project] = await Array.fromAsync(client.list('projects', { workspace_id: String(workspace?.id) }));
  const [config] = await client.call('crawlConfigs', { project_id: String(project?.id) });
  const crawls = await Array.fromAsync(
    client.list('crawls', {
      workspace_id: String(workspace?.id),
      query: { sort: { name: 'created_at', order: 'asc' } },
    }),
  );
  const [comparison] = await Array.fromAsync(
    client.list('crawlOverCrawls', { workspace_id: String(workspace?.id) }),
  );
  let names = 0;
  return {
    service,
    client,
    workspace: String(workspace?.id),
    project: String(project?.id),
    config: String(config?.id),
    crawls: [String(crawls[0]?.id), String(crawls[1]?.id)],
    comparison: String(comparison?.id),
    webhook: await serve((request, response) => {
      request.resume();
      response.writeHead(204).end();
    }),
    website: await serve(() => {}),
    name: () => `contract-${++names}`,
  };
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

export function someConfig(it: Inventory): CrawlConfigInput {
  return { name: it.name(), start_url: 'https://www.example.com/', user_agent: 'ContractBot', max_speed: 1 };
}

export function someSecret(it: Inventory): SecretInput {
  const value = Buffer.from('{"access_key":"a","secret_key":"b"}').toString('base64');
  return { name: it.name(), type: 'store_b_credentials', value };
}

export function someExport(it: Inventory): DataExportInput {
  return {
    data_type: 'page',
    resource_id: it.crawls[0],
    output_format: 'json',
    target: 'store_a',
    target_parameters: { store_a_bucket: it.service.sandbox.ready.store_a.bucket, store_a_prefix: it.name() },
  };
}

export function someFile(it: Inventory): { name: string; content: Blob } {
  return { name: `${it.name()}.csv`, content: new Blob(['url,price\nhttps://www.example.com/,1\n']) };
}

/** A project of its own, with a configuration and a crawl launched with it. */
export async function launched(it: Inventory): Promise<{ project: string; config: string; crawl: string }> {
  const project = await it.client.call('createProject', {
    body: { project: { name: it.name(), start_url: 'https://www.example.com/' } },
  });
  const config = await it.client.call('createCrawlConfig', {
    project_id: project.id,
    body: { crawl_config: { ...someConfig(it), start_url: it.website } },
  });
  const crawl = await it.client.call('launchCrawl', {
    project_id: project.id,
    query: { configId: config.id },
  });
  return { project: project.id, config: config.id, crawl: crawl.id };
}

/** The newest ingest file of the project, freshly uploaded. */
export async function uploaded(it: Inventory): Promise<string> {
  const file = someFile(it);
  await it.client.call('uploadIngestFile', { project_id: it.project, body: fileForm(file) });
  const files = await Array.fromAsync(it.client.list('ingestFiles', { project_id: it.project }));
  return String(files.find(({ name }) => name === file.name)?.id);
}
