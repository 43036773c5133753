import { z } from 'zod';
import { requestPath, webUrl } from '../../../../core/net/web-url.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { robotNameOf } from '../../../../site/crawler/robot-name.ts';
import { parseRobots } from '../../../../site/crawler/robots/robots-rules.ts';
import type { AskedRows } from './asked-rows.ts';
import type { AtStake } from './at-stake.ts';
import type { CrawlGraph } from './crawl-graph.ts';
import type { ChangedPage, ChangedUrl, Effect, UrlChange } from './rehearsed-change.ts';

/** The name of the agent that stands for the crawl itself. */
const OWN_AGENT = 'this crawl';

const Bot = z.strictObject({
  token: z.string(),
  crawler: z.string(),
  purpose: z.string().nullable(),
  /** robots_txt: no request belongs to it. */
  found_in: z.string(),
});
type Bot = Typed<typeof Bot>;
const File = z.strictObject({ status_code: z.number().nullable(), content: z.string().nullable() });
const Config = z.strictObject({ user_agent: z.string().nullable() });

/** Search engines' crawlers of pages, and all crawlers of AI services. */
const BOTS = `SELECT bots.token, bots.crawler, bots.purpose, coalesce(bots.found_in, 'user_agent') AS found_in
FROM mart.bots AS bots
WHERE bots.bot_class = 'ai' OR lower(bots.token) IN ('googlebot', 'bingbot')
ORDER BY CASE WHEN bots.bot_class = 'ai' THEN 1 ELSE 0 END, bots.purpose, bots.crawler, bots.token`;
const FILE = `SELECT files.status_code, files.content
FROM mart.crawl_files AS files
WHERE files.crawl_id = $crawl AND files.kind = 'robots_txt' AND files.url = $url`;
/** All records of a crawl have the same configuration. */
const CONFIG = `SELECT max(json_extract_string(crawls.crawl_config, '$.user_agent')) AS user_agent
FROM raw.crawls AS crawls
WHERE crawls.id = $crawl`;

export const RehearsedAgent = z.strictObject({
  agent: z.string(),
  /** Why it reads pages, such as training; null if unknown. */
  purpose: z.string().nullable(),
  /** URLs that it may not fetch now. Like `lost` and `gained`, null if the former state of some URLs is unknown. */
  blocked_before: z.number().nullable(),
  blocked_after: z.number(),
  lost: z.number().nullable(),
  gained: z.number().nullable(),
  /** Its verified hits on the lost URLs; null: unknown, or no request belongs to it. */
  hits: z.number().nullable(),
});
export type RehearsedAgent = Typed<typeof RehearsedAgent>;

/** The robots whose access decides about a sitemap entry. */
const SEARCH: readonly string[] = [OWN_AGENT, 'Googlebot', 'Bingbot'];

type Lists = Map<string, string[]>;

interface Place {
  readonly crawl: string;
  readonly origin: string;
  readonly graph: CrawlGraph;
  readonly stake: AtStake;
}

/** Judges each URL by the robots.txt of the crawl and by the new one, for each agent. */
export async function rehearseRobots(
  asked: AskedRows,
  content: string,
  place: Place,
): Promise<Effect & { readonly agents: readonly RehearsedAgent[] }> {
  const { graph, stake, origin } = place;
  const former = await formerContent(asked, place.crawl, origin);
  const [config] = await asked.rows('user agent of the crawl', Config, {
    sql: CONFIG,
    parameters: { crawl: place.crawl },
  });
  const userAgent = config?.user_agent ?? null;
  const bots = await asked.rows('robots', Bot, { sql: BOTS, parameters: {} });
  const urls = [...graph.numberOf.keys(), ...stake.clicks.of.keys(), ...stake.hits.of.keys()];
  const verdicts = new Verdicts(urls, { origin, former, content });
  const agents: RehearsedAgent[] = [];
  const [lost, unknown, gained] = [0, 1, 2].map(() => new Map<string, string[]>()) as [Lists, Lists, Lists];
  const own = {
    agent: OWN_AGENT,
    name: userAgent === null ? '*' : robotNameOf(userAgent),
    purpose: 'crawl',
    hasRequests: false,
  };
  for (const { agent, name, purpose, hasRequests } of [own, ...robotsOf(bots)]) {
    const judged = agent === OWN_AGENT ? verdicts.ofCrawl(name, graph) : verdicts.of(name);
    for (const url of judged.lost) push(lost, url, agent);
    for (const url of judged.unknown) push(unknown, url, agent);
    for (const url of judged.gained) push(gained, url, agent);
    const { counts } = judged;
    const isCounted =
      stake.hits.covered !== null &&
      hasRequests &&
      counts.lost !== null &&
      !stake.hits.unverifiable.has(agent);
    const hits = isCounted ? sum(judged.lost.map((url) => stake.hits.of.get(url)?.get(agent) ?? 0)) : null;
    agents.push({ agent, purpose, ...counts, hits });
  }
  const listed = (changes: ReadonlyMap<string, readonly string[]>, change: UrlChange) =>
    [...changes].map(([url, by]): ChangedUrl => {
      const hits = by.map((agent) => stake.hits.of.get(url)?.get(agent) ?? 0);
      return { url, change, agents: by, hits: stake.hits.covered === null ? null : sum(hits) };
    });
  const changed = new Map([
    ...ownPages(lost, graph, 'robots_denied'),
    ...ownPages(unknown, graph, 'robots_denied'),
    ...ownPages(gained, graph, null),
  ]);
  return {
    changed,
    urls: [...listed(lost, 'blocked'), ...listed(unknown, 'unknown'), ...listed(gained, 'allowed')],
    listed: new Map(
      [...lost].flatMap(([url, by]) => {
        const search = by.filter((agent) => SEARCH.includes(agent));
        return search.length === 0 ? [] : [[url, `remove: blocked for ${search.join(', ')}`] as const];
      }),
    ),
    linked: new Map(),
    agents,
    notes: [
      ...(former === null ? [NO_FILE] : sitemapNotes(former, content)),
      ...(userAgent === null ? ["The crawl's user agent is unknown: the rules for * count for it."] : []),
      ...(changed.values().some(({ state }) => state === null) ? [UNREAD] : []),
    ],
  };
}

/** Returns the robots of the crawlers: of several tokens, the one that is the crawler's name counts, else the first. */
export function robotsOf(bots: readonly Bot[]) {
  return [...Map.groupBy(bots, ({ crawler }) => crawler)].map(([agent, own]) => {
    const names = own.map(({ token }) => robotNameOf(token));
    const called = agent.toLowerCase().replaceAll(' ', '-');
    return {
      agent,
      name: names.find((name) => name === called) ?? names[0] ?? called,
      purpose: own[0]?.purpose ?? null,
      hasRequests: own.some(({ found_in }) => found_in === 'user_agent'),
    };
  });
}

const NO_FILE =
  'The crawl has no robots.txt of this host: which pages other robots may fetch now is unknown.';
const UNREAD =
  'The crawl did not read the pages that it may fetch after the change: their state and their links are unknown.';

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** Returns the robots.txt that the crawl read; empty if there was none, null if it is unknown. */
async function formerContent(asked: AskedRows, crawl: string, origin: string): Promise<string | null> {
  const parameters = { crawl, url: `${origin}/robots.txt` };
  const [file] = await asked.rows('robots.txt of the crawl', File, { sql: FILE, parameters });
  const status = file?.status_code ?? 0;
  const isMissing = status >= 400 && status < 500 && status !== 429;
  return file?.content ?? (isMissing ? '' : null);
}

function* ownPages(
  changes: ReadonlyMap<string, readonly string[]>,
  { numberOf }: CrawlGraph,
  state: string | null,
): Generator<[number, ChangedPage]> {
  for (const [url, by] of changes) {
    const page = numberOf.get(url);
    if (page !== undefined && by.includes(OWN_AGENT)) yield [page, { state, next: [] }];
  }
}

const [ALLOWED, BLOCKED, UNKNOWN] = [0, 1, 2];

/** Judges URLs by two files. Robots that a file does not name have the same verdicts. */
class Verdicts {
  readonly #urls: readonly string[];
  readonly #paths: readonly string[];
  readonly #files: { readonly former: string | null; readonly content: string };
  readonly #judged = new Map<string, Uint8Array>();

  constructor(
    urls: readonly string[],
    {
      origin,
      ...files
    }: { readonly origin: string; readonly former: string | null; readonly content: string },
  ) {
    const paths = pathsOf(urls, origin);
    this.#urls = [...paths.keys()];
    this.#paths = [...paths.values()];
    this.#files = files;
  }

  /** @param name the robot's name in lowercase */
  of(name: string) {
    return this.#compared(this.#before(name), this.#by('content', name));
  }

  /**
   * What the crawl itself saw counts before the change: a page with an answer was allowed. For URLs that it did not meet,
   * its robots.txt counts.
   */
  ofCrawl(name: string, { pages, numberOf }: CrawlGraph) {
    const byFile = this.#before(name);
    const before = Uint8Array.from(this.#urls, (url, place) => {
      const page = pages[numberOf.get(url) ?? -1];
      if (page === undefined) return byFile?.[place] ?? UNKNOWN;
      const isDenied = page.is_robots_denied ?? (page.status_code === null ? null : false);
      return isDenied === null ? UNKNOWN : isDenied ? BLOCKED : ALLOWED;
    });
    return this.#compared(before, this.#by('content', name));
  }

  #before(name: string): Uint8Array | null {
    return this.#files.former === null ? null : this.#by('former', name);
  }

  #by(file: 'former' | 'content', name: string): Uint8Array {
    const text = this.#files[file] ?? '';
    const named = text.toLowerCase().includes(name) ? name : '*';
    const key = `${file} ${named}`;
    const known = this.#judged.get(key);
    if (known !== undefined) return known;
    const { isAllowed } = parseRobots(text, named);
    const verdicts = Uint8Array.from(this.#paths, (path) => (isAllowed(path) ? ALLOWED : BLOCKED));
    this.#judged.set(key, verdicts);
    return verdicts;
  }

  #compared(before: Uint8Array | null, after: Uint8Array) {
    const places = [...this.#urls.keys()];
    const were = (verdict: number) => places.filter((place) => (before?.[place] ?? UNKNOWN) === verdict);
    const urlsThatAre = (verdict: number, some: readonly number[]): string[] =>
      some.filter((place) => after[place] === verdict).map((place) => this.#urls[place] ?? '');
    const [allowed, blocked, unclear] = [were(ALLOWED), were(BLOCKED), were(UNKNOWN)];
    const [lost, gained] = [urlsThatAre(BLOCKED, allowed), urlsThatAre(ALLOWED, blocked)];
    /** Blocked by the new file, and unknown before. */
    const unknown = urlsThatAre(BLOCKED, unclear);
    return {
      lost,
      gained,
      unknown,
      counts: {
        blocked_before: unclear.length > 0 ? null : blocked.length,
        blocked_after: urlsThatAre(BLOCKED, places).length,
        lost: unknown.length > 0 ? null : lost.length,
        gained: unclear.length > unknown.length ? null : gained.length,
      },
    };
  }
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
