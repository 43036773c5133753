import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Row } from '../../src/core/duckdb/duckdb.ts';
import { type CrawlOptions, type CrawlResult, crawlWebsite } from '../../src/site/crawler/crawl-website.ts';
import { temporaryConnection, temporaryFolder } from './temporary.ts';

export interface SiteReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
}
export type SiteRoute = string | SiteReply | ((request: IncomingMessage, response: ServerResponse) => void);

export interface Site {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly port: number;
  /** Paths in the order of their requests, without `/robots.txt` and the invented page. */
  readonly hits: string[];
  readonly requests: IncomingMessage[];
}

/** A website on this machine for one test. A path without a route has the route `*`, else it is a 404. */
export async function serveSite(routes: Readonly<Record<string, SiteRoute>>): Promise<Site> {
  const hits: string[] = [];
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(request);
    if (path !== '/robots.txt' && !path.startsWith('/no-such-page-')) hits.push(path);
    const route = routes[path] ??
      routes[path.replace(/\?.*$/, '?')] ??
      routes['*'] ?? { status: 404, body: 'missing' };
    if (typeof route === 'function') route(request, response);
    else send(response, typeof route === 'string' ? { body: route } : route);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, port, hits, requests };
}

function send(response: ServerResponse, { status = 200, headers = {}, body = '' }: SiteReply): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    ...(headers as Record<string, string>),
  });
  response.end(body);
}

/** A page with links to some addresses. */
export function pageWith(...targets: readonly string[]): string {
  const links = targets.map((target) => `<a href="${target}">to ${target}</a>`).join('\n');
  return `<!doctype html><html><head><title>A page</title></head><body><main>${links}</main></body></html>`;
}

export interface Crawled extends CrawlResult {
  readonly folder: string;
  /** Rows of a table of the crawl's database. */
  rows(sql: string): Promise<Row[]>;
  /** Paths and queries of the crawl's URLs with one field, in the order of the URLs. */
  field(name: string): Promise<Record<string, unknown>>;
}

/** Crawls a site at any speed into a folder of its own. */
export async function crawlSite(
  site: Pick<Site, 'origin'>,
  config: Readonly<Record<string, unknown>> = {},
  options: Partial<CrawlOptions> = {},
): Promise<Crawled> {
  const folder = options.folder ?? (await temporaryFolder());
  const whole = {
    name: 'test',
    start_url: `${site.origin}/`,
    user_agent: 'testbot',
    max_speed: 10_000,
    ...config,
  };
  const result = await crawlWebsite(whole, {
    retryDelayMs: 1,
    robotsWaits: [1, 1],
    threads: 1,
    ...options,
    folder,
  });
  const rows = async (sql: string): Promise<Row[]> => {
    const connection = await temporaryConnection(folder);
    await connection.run(`ATTACH '${join(folder, 'crawl.duckdb')}' AS crawl (READ_ONLY)`);
    await connection.run('USE crawl');
    return connection.rows(sql);
  };
  const field = async (name: string): Promise<Record<string, unknown>> => {
    const found = await rows(`SELECT url, ${name} AS value FROM fetched_pages ORDER BY url`);
    return Object.fromEntries(
      found.map(({ url, value }) => [String(url).replace(site.origin, ''), plain(value)]),
    );
  };
  return { ...result, folder, rows, field };
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  const { items } = (value ?? {}) as { items?: unknown };
  return items ?? value;
}
