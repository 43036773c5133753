import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { ServiceClient } from '../../../src/client/http/service-client.ts';
import type { CrawlConfigInput } from '../../../src/client/resources/crawl-configs.ts';
import { type SandboxOptions, startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { pageWith, type Site } from '../../support/crawl-site.ts';
import { until } from '../../support/until.ts';
import { lines, Service } from '../support.ts';

export const PAGES = { '/': pageWith('/a', '/b'), '/a': pageWith('/c'), '/b': pageWith('/'), '/c': 'x' };

/** A page that answers once its gate is opened. */
export function gated(body: string) {
  const waiting: ServerResponse[] = [];
  let isOpen = false;
  const answer = (response: ServerResponse): void => {
    response.setHeader('content-type', 'text/html');
    response.end(body);
  };
  return {
    waiting,
    page: (_request: unknown, response: ServerResponse): void => {
      if (isOpen) answer(response);
      else waiting.push(response);
    },
    open(): void {
      isOpen = true;
      for (const response of waiting) answer(response);
    },
  };
}

/** A sandbox with a project of a website that its owner verified. */
export class Websites {
  readonly service: Service;
  readonly client: ServiceClient;
  projectId = '';

  constructor(service: Service) {
    const { baseUrl, accessToken } = service.sandbox;
    this.service = service;
    this.client = new ServiceClient({ baseUrl, accessToken });
    onTestFinished(() => this.client[Symbol.asyncDispose]());
  }

  static async open(site: Site, options: SandboxOptions = {}): Promise<Websites> {
    const sandbox = await startSandbox(options);
    onTestFinished(() => sandbox.close());
    const it = new Websites(new Service(sandbox));
    const start_url = `${site.origin}/`;
    const project = await it.client.call('createProject', { body: { project: { name: 'site', start_url } } });
    it.projectId = project.id;
    await it.patch('projects', project.id, { is_verified_by: 'test' });
    return it;
  }

  async patch(resource: string, id: string, body: Record<string, unknown>): Promise<void> {
    const { status, text } = await this.service.ask(`/_sandbox/${resource}/${id}`, { method: 'PATCH', body });
    if (status !== 200) throw new Error(text);
  }

  async clock(now: number): Promise<void> {
    await this.service.ask('/_sandbox/clock', { body: { now } });
  }

  async config(site: Site, input: Partial<CrawlConfigInput> = {}): Promise<string> {
    const start_url = `${site.origin}/`;
    const crawl_config = { name: 'c', start_url, user_agent: 'testbot', max_speed: 1000, ...input };
    const made = await this.client.call('createCrawlConfig', {
      project_id: this.projectId,
      body: { crawl_config },
    });
    return made.id;
  }

  async launch(configId: string): Promise<string> {
    const launched = await this.client.call('launchCrawl', {
      project_id: this.projectId,
      query: { configId },
    });
    return launched.id;
  }

  pilot(crawl_id: string, command: 'pause' | 'resume' | 'terminate' | 'cancel') {
    return this.client.call('pilotCrawl', { crawl_id, body: { command } });
  }

  crawl(crawl_id: string) {
    return this.client.call('crawl', { crawl_id });
  }

  async progress(crawl_id: string) {
    return (await this.client.call('crawlProgress', { crawl_id })).progress;
  }

  ended(id: string) {
    return until(async () => {
      const crawl = await this.crawl(id);
      return ['done', 'cancelled'].includes(crawl.status) ? crawl : undefined;
    });
  }

  async urls(id: string, site: Site): Promise<string[]> {
    const { text } = await this.service.export(id, 'pages', 'csv', { body: { fields: ['url'] } });
    return lines(text)
      .slice(1)
      .map((url) => url.replaceAll('"', '').replace(site.origin, ''))
      .sort();
  }
}
