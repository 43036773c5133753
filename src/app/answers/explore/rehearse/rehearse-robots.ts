import { z } from 'zod';
import { requestPath, webUrl } from '../../../../core/net/web-url.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { robotNameOf } from '../../../../site/crawler/robot-name.ts';
import { parseRobots } from '../../../../site/crawler/robots/robots-rules.ts';
import type { AskedRows } from './asked-rows.ts';
import type { AtStake } from './at-stake.ts';
import type { CrawlGraph } from './crawl-graph.ts';
import type { ChangedPage, ChangedUrl } from './rehearsed-change.ts';

/** The name of the agent that stands for the crawl itself. */
export const OWN_AGENT = 'this crawl';

const Bot = z.strictObject({ token: z.string(), crawler: z.string(), purpose: z.string().nullable() });
const File = z.strictObject({ status_code: z.number().nullable(), content: z.string().nullable() });
const Config = z.strictObject({ user_agent: z.string().nullable() });

/** Search engines' crawlers of pages, and all crawlers of AI services. */
const BOTS = `SELECT bots.token, bots.crawler, bots.purpose
FROM mart.bots AS bots
WHERE bots.bot_class = 'ai' OR lower(bots.token) IN ('googlebot', 'bingbot')
ORDER BY CASE WHEN bots.bot_class = 'ai' THEN 1 ELSE 0 END, bots.purpose, bots.crawler`;
const FILE = `SELECT files.status_code, files.content
FROM mart.crawl_files AS files
WHERE files.crawl_id = $crawl AND files.kind = 'robots_txt' AND files.url = $url`;
const CONFIG = `SELECT json_extract_string(crawls.crawl_config, '$.user_agent') AS user_agent
FROM raw.crawls AS crawls
WHERE crawls.id = $crawl
ORDER BY crawls._seen_to DESC NULLS FIRST
LIMIT 1`;

export const RehearsedAgent = z.strictObject({
  agent: z.string(),
  /** Why it reads pages, such as training; null if unknown. */
  purpose: z.string().nullable(),
  /** URLs that it may not fetch now; null: unknown, because the crawl has no robots.txt. */
  blocked_before: z.number().nullable(),
  blocked_after: z.number(),
  lost: z.number().nullable(),
  gained: z.number().nullable(),
  /** Its verified hits on the lost URLs; null: unknown. */
  hits: z.number().nullable(),
});
export type RehearsedAgent = Typed<typeof RehearsedAgent>;

interface Effect {
  readonly changed: ReadonlyMap<number, ChangedPage>;
  readonly urls: readonly ChangedUrl[];
  readonly agents: readonly RehearsedAgent[];
  readonly notes: readonly string[];
}

/** Judges each URL by the robots.txt of the crawl and by the new one, for each agent. */
export async function rehearseRobots(
  asked: AskedRows,
  content: string,
  {
    crawl,
    startUrl,
    graph,
    stake,
  }: {
    readonly crawl: string;
    readonly startUrl: string;
    readonly graph: CrawlGraph;
    readonly stake: AtStake;
  },
): Promise<Effect> {
  const origin = new URL(startUrl).origin;
  const [file] = await asked.rows('robots.txt of the crawl', File, {
    sql: FILE,
    parameters: { crawl, url: `${origin}/robots.txt` },
  });
  const isMissing =
    file?.status_code != null &&
    file.status_code >= 400 &&
    file.status_code < 500 &&
    file.status_code !== 429;
  const former = file?.content ?? (isMissing ? '' : null);
  const [config] = await asked.rows('user agent of the crawl', Config, {
    sql: CONFIG,
    parameters: { crawl },
  });
  const userAgent = config?.user_agent ?? null;
  const bots = await asked.rows('robots', Bot, { sql: BOTS, parameters: {} });
  const urls = pathsOf(
    [...graph.numberOf.keys(), ...stake.clicks.of.keys(), ...stake.hits.of.keys()],
    origin,
  );
  const judged = new Map<string, Uint8Array>();
  const verdicts = (text: string, name: string): Uint8Array => {
    // Names that a file does not contain all have its rules for *.
    const own = text.toLowerCase().includes(name) ? name : '*';
    const key = `${text === content ? 'new' : 'former'} ${own}`;
    const known = judged.get(key) ?? Uint8Array.from(urls.values(), isBlockedBy(parseRobots(text, own)));
    judged.set(key, known);
    return known;
  };
  const names = [...urls.keys()];
  const lost = new Map<string, string[]>();
  const gained = new Map<string, string[]>();
  const judge = (agent: string, name: string, purpose: string | null): RehearsedAgent => {
    const after = verdicts(content, name);
    const byFile = former === null ? null : verdicts(former, name);
    const before = agent === OWN_AGENT ? ownVerdicts(names, graph, byFile) : byFile;
    const of = stake.hits.of;
    let hits = 0;
    const counts = { blocked_before: 0, blocked_after: 0, lost: 0, gained: 0 };
    for (const [place, url] of names.entries()) {
      const [was, is] = [before?.[place] ?? UNKNOWN, after[place]];
      if (was === BLOCKED) counts.blocked_before++;
      if (is === BLOCKED) counts.blocked_after++;
      if (is === BLOCKED && was !== BLOCKED) {
        push(lost, url, agent);
        hits += of.get(url)?.get(agent) ?? 0;
        if (was === ALLOWED) counts.lost++;
      } else if (is === ALLOWED && was === BLOCKED) {
        push(gained, url, agent);
        counts.gained++;
      }
    }
    const isKnown = before !== null;
    return {
      agent,
      purpose,
      blocked_before: isKnown ? counts.blocked_before : null,
      blocked_after: counts.blocked_after,
      lost: isKnown ? counts.lost : null,
      gained: isKnown ? counts.gained : null,
      hits: stake.hits.covered === null || agent === OWN_AGENT ? null : hits,
    };
  };
  const agents = [
    judge(OWN_AGENT, userAgent === null ? '*' : robotNameOf(userAgent), 'crawl'),
    ...bots.map(({ token, crawler, purpose }) =>
      judge(crawler, token.toLowerCase().replace(/\/$/, ''), purpose),
    ),
  ];
  const hitsOf = (url: string, by: readonly string[]): number | null =>
    stake.hits.covered === null
      ? null
      : by.reduce((sum, agent) => sum + (stake.hits.of.get(url)?.get(agent) ?? 0), 0);
  const listed = (
    changes: ReadonlyMap<string, readonly string[]>,
    change: 'blocked' | 'allowed',
  ): ChangedUrl[] => [...changes].map(([url, by]) => ({ url, change, agents: by, hits: hitsOf(url, by) }));
  const changed = new Map<number, ChangedPage>();
  for (const [changes, state] of [
    [lost, 'robots_denied'],
    [gained, null],
  ] as const)
    for (const [url, by] of changes) {
      const page = graph.numberOf.get(url);
      if (page !== undefined && by.includes(OWN_AGENT)) changed.set(page, { state });
    }
  return {
    changed,
    urls: [...listed(lost, 'blocked'), ...listed(gained, 'allowed')],
    agents,
    notes: [
      ...(former === null
        ? ['The crawl has no robots.txt of this host: which pages other robots may fetch now is unknown.']
        : sitemapNotes(former, content)),
      ...(userAgent === null ? ["The crawl's user agent is unknown: the rules for * count for it."] : []),
      ...(changed.values().some(({ state }) => state === null)
        ? [
            'The crawl did not read the pages that it may fetch after the change: their state and their links are unknown.',
          ]
        : []),
    ],
  };
}

const [ALLOWED, BLOCKED, UNKNOWN] = [0, 1, 2];

const isBlockedBy =
  ({ isAllowed }: ReturnType<typeof parseRobots>) =>
  (path: string): number =>
    isAllowed(path) ? ALLOWED : BLOCKED;

/** Returns what the crawl itself saw; of URLs that it did not meet, what its robots.txt says. */
function ownVerdicts(
  urls: readonly string[],
  { pages, numberOf }: CrawlGraph,
  byFile: Uint8Array | null,
): Uint8Array {
  return Uint8Array.from(urls, (url, place) => {
    const page = pages[numberOf.get(url) ?? -1];
    if (page === undefined) return byFile?.[place] ?? UNKNOWN;
    return page.is_robots_denied === null ? UNKNOWN : page.is_robots_denied ? BLOCKED : ALLOWED;
  });
}

/** Returns the paths of the URLs of a host; a robots.txt has no say on others. */
function pathsOf(urls: readonly string[], origin: string): ReadonlyMap<string, string> {
  const own = new Map<string, string>();
  for (const text of urls) {
    const url = webUrl(text);
    if (url?.origin === origin) own.set(text, requestPath(url));
  }
  return own;
}

function push(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function sitemapNotes(former: string, content: string): string[] {
  const now = new Set(parseRobots(content, '*').sitemaps);
  return parseRobots(former, '*')
    .sitemaps.filter((url) => !now.has(url))
    .map((url) => `The new robots.txt does not announce the sitemap ${url}.`);
}
