import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Rehearsal } from '../../../src/app/answers/explore/rehearse/read-rehearsal.ts';
import { capture } from '../../app/cli/capture.ts';
import { pageWith, type SiteReply, type SiteRoute, serveSite } from '../../support/crawl-site.ts';
import { projectFolder } from '../../support/project.ts';
import { ALL_ROUNDS, roundSeed, seededRandom } from '../../support/random.ts';

/**
 * Generated sites are crawled, a change is rehearsed, the site is really changed so and crawled again. The rehearsed
 * state of each page is the real one.
 */

const ROUNDS = ALL_ROUNDS ? 12 : 2;
const FOLDERS = ['/', '/a/', '/b/', '/b/c/'];

interface Change {
  readonly flag: string;
  /** The content of its file, or its condition. */
  readonly given: string;
  readonly isFile: boolean;
  /** Changes the routes of the site. */
  readonly apply: (routes: Record<string, SiteRoute>) => void;
}

interface Drawn {
  readonly routes: Record<string, SiteRoute>;
  readonly paths: readonly string[];
  readonly robots: string;
  /** Pages that the crawl certainly reads, besides the start page. */
  readonly read: readonly string[];
}

type Random = () => number;
const pick = <T>(random: Random, values: readonly T[]): T =>
  values[Math.floor(random() * values.length)] as T;
const some = <T>(random: Random, values: readonly T[], share: number): T[] =>
  values.filter(() => random() < share);

/** A site with links, redirects, noindex, nofollow and a sitemap, some of whose pages nothing links to. */
function drawSite(random: Random): Drawn {
  const paths = ['/', ...Array.from({ length: 14 }, (_, page) => `${pick(random, FOLDERS)}p${page}`)];
  const routes: Record<string, SiteRoute> = {};
  const linked: string[] = [];
  for (const path of paths) {
    const targets = some(random, paths, path === '/' ? 0.2 : 0.12);
    const nofollow = some(random, paths, 0.04).map((to) => `<a rel="nofollow" href="${to}">not ${to}</a>`);
    const head = random() < 0.15 && path !== '/' ? '<meta name="robots" content="noindex">' : '';
    if (path === '/') linked.push(...targets);
    const isRedirect = path !== '/' && random() < 0.15;
    routes[path] = isRedirect
      ? { status: 301, headers: { location: pick(random, paths) } }
      : pageWith(...targets).replace('<title>A page', `${head}<title>Page ${path}`) + nofollow.join('');
  }
  const listed = some(random, paths, 0.3);
  routes['/sitemap.xml'] = (request, response) => {
    const host = `http://${request.headers.host}`;
    const urls = listed.map((path) => `<url><loc>${host}${path}</loc></url>`).join('');
    response.writeHead(200, { 'content-type': 'application/xml' }).end(`<urlset>${urls}</urlset>`);
  };
  const blocked = pick(random, paths.slice(1));
  const robots = `User-agent: *\nDisallow: ${blocked}$\nSitemap: /sitemap.xml\n`;
  routes['/robots.txt'] = robots;
  const read = [...listed, ...linked].filter((path) => path !== '/' && path !== blocked);
  return { routes, paths, robots, read };
}

const CHANGES: readonly ((random: Random, site: Drawn) => Change)[] = [
  (random, { paths, robots }) => {
    const rules = [...some(random, FOLDERS.slice(1), 0.5), ...some(random, paths.slice(1), 0.1)];
    const content = robots.replace('\n', `\n${rules.map((rule) => `Disallow: ${rule}\n`).join('')}`);
    const apply = (routes: Record<string, SiteRoute>): void => {
      routes['/robots.txt'] = content;
    };
    return { flag: 'robots', given: content, isFile: true, apply };
  },
  (random, { paths, read }) => {
    const gone = [...some(random, paths.slice(1), 0.2), read[0] ?? '/'];
    const apply = (routes: Record<string, SiteRoute>): void => {
      for (const path of gone) routes[path] = { status: pick(random, [404, 410]), body: 'gone' };
    };
    return { flag: 'remove', given: conditionOf(gone), isFile: false, apply };
  },
  (random, { paths }) => {
    const hidden = ['/', ...some(random, paths.slice(1), 0.3)];
    const apply = (routes: Record<string, SiteRoute>): void => {
      for (const path of hidden) {
        const route = routes[path];
        // The header also counts on a redirect or a page with noindex, where it changes nothing.
        routes[path] = {
          ...(typeof route === 'string' ? { body: route } : (route as SiteReply)),
          headers: { ...(route as SiteReply).headers, 'x-robots-tag': 'noindex' },
        };
      }
    };
    return { flag: 'noindex', given: conditionOf(hidden), isFile: false, apply };
  },
  (random, { routes, paths, robots, read }) => {
    // Chains, loops, and URLs that the first crawl does not find.
    const sources = ['/moved', ...some(random, paths, 0.25), ...read.slice(0, 1)].filter(
      (path) => !robots.includes(`${path}$`),
    );
    const targets = ['/', '/missing', ...read, ...sources];
    const rules = [...new Set(sources)].flatMap((source) => {
      const target = pick(random, targets);
      // No crawl begins with a loop or an error.
      if (source === '/' && (sources.includes(target) || typeof routes[target] !== 'string')) return [];
      return source === target ? [] : [{ source, target, status: pick(random, STATUSES) }];
    });
    const apply = (routes: Record<string, SiteRoute>): void => {
      for (const { source, target, status } of rules)
        routes[source] = { status, headers: { location: target } };
    };
    const lines = rules.map(({ source, target, status }) => `${source};"${target}";${status}\r\n`);
    const given = `Old URL;New URL;Status code\r\n${lines.join('')}`;
    return { flag: 'redirects', given, isFile: true, apply };
  },
];
const STATUSES = [301, 302, 303, 307, 308];

/** The pages of some paths, on any host. */
const conditionOf = (paths: readonly string[]): string =>
  `regexp_replace(url, '^https?://[^/]+', '') IN (${paths.map((path) => `'${path}'`).join(', ')})`;

interface Seen {
  readonly url: string;
  readonly state: string | null;
  readonly depth: number | null;
}

const PAGES = `SELECT url, coalesce(non_indexable_reason, CASE WHEN is_indexable THEN 'indexable' END) AS state, depth
  FROM mart.pages JOIN mart.crawls USING (crawl_id) WHERE is_main ORDER BY url`;

/** Returns whether a page has the rehearsed state, and a path that is no longer. */
function isConsistent({ url, state, depth }: Seen, after: readonly Seen[]): boolean {
  const real = after.find((page) => page.url === url);
  return real?.state === state && (depth === null || (real.depth !== null && real.depth <= depth));
}

interface Chained {
  readonly url: string;
  readonly hops: number;
  readonly final_url: string | null;
  readonly final_status_code: number | null;
}

const CHAINS = `SELECT url, hops, CASE WHEN NOT is_loop THEN final_url END AS final_url,
    CASE WHEN NOT is_loop THEN final_status_code END AS final_status_code
  FROM mart.redirect_map JOIN mart.crawls USING (crawl_id) WHERE hop = 1 AND is_main ORDER BY url`;

/** What the rehearsal expects of chains; those that it does not name stay the same. */
function rehearsedChains({ redirects }: Rehearsal, real: readonly Chained[]): Chained[] {
  const expected = new Map(redirects.map((redirect) => [redirect.url, redirect]));
  return real.map((chain) => {
    const {
      url,
      hops_after: hops,
      final_url,
      ...final
    } = expected.get(chain.url) ?? { ...chain, hops_after: chain.hops, is_final_in_crawl: true };
    // The crawl did not know its answer.
    const final_status_code = final.is_final_in_crawl ? final.final_status_code : chain.final_status_code;
    return { url, hops, final_url, final_status_code };
  });
}

const document = async (...argv: readonly string[]): Promise<unknown> => {
  const { code, stdout, stderr } = await capture(...argv);
  expect([argv[0], code, stderr.replace(/^\d+ rows?\n$/, '')]).toEqual([argv[0], 0, '']);
  return JSON.parse(stdout);
};

/** What the rehearsal expects of each page. */
function rehearsed(before: readonly Seen[], { pages, sitemaps }: Rehearsal): Seen[] {
  const expected = new Map(before.map((page) => [page.url, page]));
  const listed = new Set(sitemaps.map(({ url }) => url));
  for (const { url, change, agents, state_after, depth_after } of pages)
    if (change === 'unreachable') expected.delete(url);
    else if (
      (expected.has(url) || (change === 'not_in_crawl' && depth_after !== null)) &&
      (agents === null || agents.includes('this crawl'))
    )
      expected.set(url, { url, state: state_after, depth: depth_after });
  // A page that is blocked, removed or redirected and to which nothing leads is not found either.
  for (const { url, change, depth_before, depth_after } of pages) {
    const isCutOff = depth_before !== null && depth_after === null && !listed.has(url);
    if (change === 'unreachable' || (['removed', 'redirected', 'unjudged'].includes(change) && isCutOff))
      expected.delete(url);
  }
  return [...expected.values()].sort((a, b) => (a.url < b.url ? -1 : 1));
}

test.for(
  Array.from({ length: ROUNDS }, (_, round) =>
    CHANGES.map((draw) => [roundSeed() + round, draw] as const),
  ).flat(),
)('a rehearsed change has the states that the changed site has, page by page (%i)', async ([seed, draw]) => {
  const random = seededRandom(seed);
  const site = drawSite(random);
  const change = draw(random, site);
  const { origin } = await serveSite(site.routes);
  const folder = await projectFolder();
  const at = ['--project-dir', folder];
  const crawl = (): Promise<unknown> => document('crawl', origin, '--no-recheck', '--json', ...at);
  await crawl();
  const before = (await document('query', PAGES, '--format', 'json', ...at)) as Seen[];
  const file = join(folder, 'change.txt');
  if (change.isFile) await writeFile(file, change.given);
  const given = [`--${change.flag}`, change.isFile ? file : change.given];
  const rehearsal = (await document('rehearse', ...given, '--json', ...at)) as Rehearsal;
  change.apply(site.routes);
  await crawl();
  const after = (await document('query', PAGES, '--format', 'json', ...at)) as Seen[];
  const where = JSON.stringify({ given: change.given, notes: rehearsal.notes }, null, 1);
  const unknown = rehearsal.redirects.filter((redirect) => !redirect.is_final_in_crawl);
  const unread = new Set(unknown.map(({ final_url }) => final_url));
  const expected = rehearsed(before, rehearsal);
  // The missing page has no links.
  if (rehearsal.notes.some((note) => / gets? a path ha/.test(note)))
    expect(
      expected.filter((page) => !isConsistent(page, after)),
      where,
    ).toEqual([]);
  else expect(expected, where).toEqual(after.filter(({ url }) => !unread.has(url)));
  const chains = (await document('query', CHAINS, '--format', 'json', ...at)) as Chained[];
  expect(rehearsedChains(rehearsal, chains), where).toEqual(chains);
  expect(rehearsal.pages.length, where).toBeGreaterThan(0);
});
