import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Connection, Database } from '../../../core/duckdb/duckdb.ts';
import { ownUrl } from '../../../core/net/web-url.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import type { CrawlSession } from '../crawl-session.ts';
import type { CrawlSettings } from '../crawl-settings.ts';
import type { ProxyRoute } from '../fetch/crawl-proxy.ts';
import type { HostResolver } from '../fetch/resolve-host.ts';
import type { Frontier } from '../frontier/frontier.ts';
import { fetchedPages } from '../load-crawl.ts';
import type { CrawlControl, SideWork } from '../progress-reporter.ts';
import type { VitalsRecord } from '../records/records.ts';
import type { Renderer } from '../render/renderer.ts';
import type { ResourceTools } from '../render/resource-fetcher.ts';
import { GuardProxy } from './guard-proxy.ts';
import {
  type MeasuredLoad,
  medians,
  type PageLoad,
  type PagesPerTemplate,
  VITALS,
  type Vitals,
  type VitalsOptions,
} from './vitals.ts';
import { RequestGate, VitalsMeter } from './vitals-meter.ts';

const UrlRow = z.strictObject({ url: z.string() });

/** The most templates in a sample: those with the most pages. */
const MOST_TEMPLATES = 50;

/** DuckDB's limit while the sample is chosen. */
const SAMPLE_MEMORY = '200MB';

export interface VitalsTools extends Omit<ResourceTools, 'fetcher'> {
  readonly folder: string;
  readonly frontier: Frontier;
  /** A renderer that has rendered its last page. */
  readonly renderer: Renderer | null;
  readonly session: CrawlSession;
  readonly resolver: HostResolver;
  readonly proxy: ProxyRoute | null;
  readonly sideWork: SideWork;
  readonly control: CrawlControl;
}

/**
 * Measures pages one after another, because parallel measurements would disturb each other. Stores each result, so that
 * a resumed crawl measures no page again. The pace of the host applies between two loads, and robots.txt applies to the
 * requests of pages.
 *
 * @throws CrawlhouseError `missing_feature` if the browser does not start
 */
export async function measureVitals(
  { headers, agentKind }: CrawlSettings,
  options: VitalsOptions & { readonly browser: string },
  tools: VitalsTools,
): Promise<void> {
  const urls = await sampleOf(options.pagesPerTemplate, tools);
  const left = urls.filter((url) => !tools.frontier.hasVitals(url));
  if (left.length === 0) return;
  // Two concurrent browsers would disturb each other.
  await tools.renderer?.[Symbol.asyncDispose]();
  await using guard = await GuardProxy.open(tools.resolver, tools.proxy);
  const gate = new RequestGate({ ...tools, guard });
  const data = {
    browser: options.browser,
    proxyPort: guard.port,
    userAgent: headers['user-agent'] ?? '',
    formFactor: agentKind === 'mobile' ? 'mobile' : 'desktop',
  } as const;
  await using meter = new VitalsMeter(data, gate, tools.signal);
  const load = async (url: string): Promise<PageLoad> => {
    const page = ownUrl(url);
    for (let attempt = 1; ; attempt++) {
      await tools.pace.turn(page.host, (await tools.robots.rulesOf(page)).delayMs, tools.signal);
      const loaded = await meter.load(url);
      if (attempt > 1 || !gate.hasWaited) return loaded;
    }
  };
  for (const [index, url] of left.entries()) {
    tools.sideWork.say(
      'vitals',
      `web vitals of ${urls.length - left.length + index + 1} of ${urls.length} pages`,
    );
    if (!(await tools.control.mayGoOn(tools.signal))) break;
    tools.frontier.putVitals(await measurePage(url, options.loads, load));
  }
  tools.sideWork.end('vitals');
}

async function sampleOf(
  perTemplate: PagesPerTemplate,
  { folder, frontier, signal }: VitalsTools,
): Promise<string[]> {
  const tempDirectory = join(folder, 'spill');
  try {
    await using database = await Database.open({ memoryLimit: SAMPLE_MEMORY, threads: 1, tempDirectory });
    const connection = await database.connect();
    return await samplePages(connection, fetchedPages(folder, frontier), perTemplate, signal);
  } finally {
    rmSync(tempDirectory, { recursive: true, force: true });
  }
}

/** Loads a page a number of times; stops after a failure. */
export async function measurePage(
  url: string,
  times: number,
  load: (url: string) => Promise<PageLoad>,
): Promise<VitalsRecord> {
  const loads: MeasuredLoad[] = [];
  let warning: string | null = null;
  while (loads.length < times && warning === null) {
    const loaded = await load(url);
    if ('vitals' in loaded) loads.push(loaded);
    else warning = loaded.warning;
  }
  const [first] = loads;
  if (first === undefined) return { url, ...NOTHING, cwv_measurement: null, warnings: [String(warning)] };
  const way = loads.length === 1 ? 'one load' : `median of ${loads.length} loads`;
  return {
    url,
    ...medians(loads.map(({ vitals }) => vitals)),
    cwv_measurement: `${first.instrument}, ${way}`,
    warnings: loads.some(({ isIncomplete }) => isIncomplete) ? ['vitals_incomplete'] : [],
  };
}

const NOTHING = Object.fromEntries(VITALS.map((name) => [name, null])) as {
  readonly [K in keyof Vitals]: null;
};

/**
 * Returns the measured pages, in order: HTML pages with a status of 200 to 299. Pages belong to one template if they
 * have the same host, the same first directory, equally many directories, and parameters or none. Of each template,
 * pages nearest to the start page come first. The first pages of all templates precede the second ones.
 *
 * @param pages SQL for records of pages
 */
export async function samplePages(
  connection: Connection,
  pages: string,
  perTemplate: PagesPerTemplate,
  signal?: AbortSignal,
): Promise<string[]> {
  const isAll = perTemplate === 'all';
  const rows = typedRows(
    UrlRow,
    await connection.rows(
      `WITH page AS (
         SELECT url, depth,
           concat_ws(' ', url_host, url_first_path, len(string_split(urlpath, '/')), url_has_params) AS template
         FROM ${pages} WHERE parsed_html AND status_code BETWEEN 200 AND 299
       ),
       placed AS (
         SELECT *, count(*) OVER (PARTITION BY template) AS pages,
           row_number() OVER (PARTITION BY template ORDER BY depth NULLS LAST, url) AS place
         FROM page
       ),
       ranked AS (SELECT *, dense_rank() OVER (ORDER BY pages DESC, template) AS rank FROM placed)
       SELECT url FROM ranked WHERE $1 OR (place <= $2 AND rank <= ${MOST_TEMPLATES}) ORDER BY place, rank`,
      [isAll, isAll ? 0 : perTemplate],
      signal,
    ),
  );
  return rows.map(({ url }) => url);
}
