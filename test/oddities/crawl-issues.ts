import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { capture } from '../app/cli/capture.ts';
import { temporaryFolder } from '../support/temporary.ts';
import type { IssuePages } from './issue-pages.ts';
import { HOST, type IssueSite, named, serveIssueSite } from './issue-site.ts';

type Pages = Readonly<Record<string, IssuePages>>;
type Row = Readonly<Record<string, string>>;

export interface FoundIssues {
  readonly site: IssueSite;
  /** The issues of each URL. */
  readonly issues: ReadonlyMap<string, ReadonlySet<string>>;
  rows(sql: string): Promise<Row[]>;
}

interface CrawlIssuesOptions {
  /** Of the command `crawl`. */
  readonly flags?: readonly string[];
  readonly settings?: string;
  /** The pages are crawled as a list. */
  readonly isList?: boolean;
}

const DAY = 86_400_000;

/** Crawls the site of these pages by the program, with its access log and its search results. */
export async function crawlIssues(pages: Pages, options: CrawlIssuesOptions = {}): Promise<FoundIssues> {
  const site = await serveIssueSite(pages);
  const folder = join(await temporaryFolder(), 'site');
  const done = async (...argv: string[]): Promise<string> => {
    const { code, stdout, stderr } = await capture(...argv, '--project-dir', folder);
    expect([argv[0], code, stderr]).toEqual([argv[0], 0, expect.any(String)]);
    return stdout;
  };
  expect(await capture('init', folder)).toMatchObject({ code: 0 });
  await appendFile(join(folder, 'crawlhouse.yaml'), options.settings ?? '');
  const hosts = [HOST, ...['slow', 'old', 'unknown', 'failing'].map((name) => `${name}.shop.example`)];
  const config = {
    start_url: `${site.origins.https}/`,
    alternate_start_urls: ['slow', 'old', 'unknown', 'failing'].map((name) => `${site.origins[name]}/`),
    dns: hosts.map((host) => ({ host, ips: ['127.0.0.1'] })),
  };
  const file = (name: string): string => join(folder, name);
  await writeFile(file('crawl.yaml'), JSON.stringify(config));
  await writeFile(file('list.txt'), site.pages.map(site.url).join('\n'));
  const list = options.isList === true ? ['--list', file('list.txt')] : [];
  await done('crawl', '--config', file('crawl.yaml'), ...list, ...(options.flags ?? []));
  await writeFile(file('access.log'), accessLog(site));
  await writeFile(file('search.csv'), searchResults(site));
  await done('logs', 'add', file('access.log'));
  await done('demand', 'add', file('search.csv'));
  const rows = async (sql: string): Promise<Row[]> => JSON.parse(await done('query', sql, '--json'));
  const found = await rows('SELECT url, issue FROM mart.page_issues');
  const byUrl = Map.groupBy(found, ({ url }) => String(url));
  const issues = new Map([...byUrl].map(([url, of]) => [url, new Set(of.map(({ issue }) => String(issue)))]));
  return { site, issues, rows };
}

/** One line for each page that lacks the issue of its name, and for each near one that has it. */
export function wrongIssues(pages: Pages, { site, issues }: FoundIssues): string[] {
  return Object.entries(pages).flatMap(([issue, [fires, near, ...beside]]) => {
    const judged = [
      named(issue, 'fires', { is: 'fires', ...fires }),
      named(issue, 'near', { is: 'near', ...near }),
      ...beside.map((page, index) => named(issue, `${index}`, page)),
    ];
    return judged
      .filter(({ is }) => is !== undefined)
      .filter((page) => (issues.get(site.url(page))?.has(issue) ?? false) !== (page.is === 'fires'))
      .map(({ at, is }) => `${issue} ${is === 'fires' ? 'does not fire' : 'fires'}: ${at}`);
  });
}

function accessLog({ pages, url }: IssueSite): string {
  const time = new Date(Math.floor(Date.now() / DAY) * DAY - DAY / 2);
  const [, day, month, year] = /^\w+, (\d+) (\w+) (\d+)/.exec(time.toUTCString()) ?? [];
  const lines = pages.flatMap((page) =>
    Array.from(
      { length: page.googlebot ?? 0 },
      () =>
        `66.249.66.1 - - [${day}/${month}/${year}:12:00:00 +0000] "GET ${new URL(url(page)).pathname} HTTP/1.1" 200 512 "-" "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"\n`,
    ),
  );
  return lines.join('');
}

/** Three days, as the bulk export of Search Console has them. */
function searchResults({ pages, url, origins }: IssueSite): string {
  const lines = [3, 4, 5].flatMap((ago) => {
    const day = new Date(Date.now() - ago * DAY).toISOString().slice(0, 10);
    return pages.flatMap((page) => {
      const [impressions, clicks, position] = page.demand ?? [];
      if (impressions === undefined || position === undefined) return [];
      const found = `${day},${origins.https}/,${url(page)},lift,false,deu,WEB,DESKTOP`;
      return [`${found},${impressions},${clicks},${impressions * (position - 1)}`];
    });
  });
  return `data_date,site_url,url,query,is_anonymized_query,country,search_type,device,impressions,clicks,sum_position\n${lines.join('\n')}\n`;
}
