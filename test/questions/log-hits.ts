import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, bool, groups, num, str, sum } from './plain.ts';
import type { ProjectData, Row } from './service-data.ts';

/** What log files say of bots, by docs/definitions.md, in plain code. */

export type StatusClass = 'ok' | 'redirect' | 'error';

interface BotHits {
  readonly botClass: string;
  readonly crawler: string | null;
  readonly engine: string | null;
  readonly purpose?: string | null;
  readonly status: StatusClass | null;
  readonly hits: number;
}

/** The requests for a URL on a day. */
export interface UrlDay {
  readonly url: string;
  readonly day: string;
  readonly dataset: 'log_events' | 'log_pages_days';
  readonly searchBots: number | null;
  readonly engines: { readonly google: number; readonly bing: number } | null;
  readonly seoVisits: number | null;
  /** Of several requests of one moment the highest. */
  readonly lastStatus: number | null;
  readonly bots: readonly BotHits[];
  /** Of the service's counts. */
  readonly ranges: Readonly<Record<string, number | null>> | null;
}

export const HIT_RANGES: readonly string[] = ['hits_2xx', 'hits_3xx', 'hits_4xx', 'hits_5xx'];

interface KnownCrawler {
  readonly token: string;
  readonly crawler: string;
  readonly botClass: string;
  readonly engine: string | null;
  readonly purpose: string | null;
}

const CRAWLERS: readonly KnownCrawler[] = readFileSync(
  join(import.meta.dirname, '../../sql/seeds/bots.csv'),
  'utf8',
)
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [token = '', crawler = '', botClass = '', engine = '', purpose = ''] = line.split(',');
    return {
      token: token.toLowerCase(),
      crawler,
      botClass,
      engine: engine || null,
      purpose: purpose || null,
    };
  })
  .toSorted((a, b) => b.token.length - a.token.length);

export function statusClass(status: number | null): StatusClass | null {
  if (status === null) return null;
  if ((status >= 200 && status < 300) || status === 304) return 'ok';
  return status >= 300 && status < 400 ? 'redirect' : 'error';
}

/** Who sent a line: the class is null where that is not known, none where it was no bot. */
function senderOf(
  line: Row,
): Pick<BotHits, 'crawler' | 'engine' | 'purpose'> & { readonly botClass: string | null } {
  const agent = (str(line, 'user_agent') ?? str(line, 'bot'))?.toLowerCase();
  const known = CRAWLERS.find(({ token }) => agent?.includes(token));
  if (known) return known;
  if (bool(line, 'is_bot') === true) {
    const kind = str(line, 'bot_kind');
    const botClass = kind === 'seo' || kind === 'vertical' ? 'search' : kind === 'sea' ? 'ads' : 'other';
    return { botClass, crawler: str(line, 'bot'), engine: str(line, 'search_engine') };
  }
  const isNone = bool(line, 'is_bot') === false || str(line, 'user_agent') !== null;
  return { botClass: isNone ? 'none' : null, crawler: null, engine: null };
}

/** The URLs of each day: by the lines of the day, or by the service's counts where there are none. */
export function urlDays(project: ProjectData): UrlDay[] {
  const ofUrls = (rows: readonly Row[]) =>
    [...groups(rows, (row) => [row.day, row.url]).values()].filter(([row]) => str(row, 'url') !== null);
  const lined = new Set(project.logEvents.map((line) => String(line.day)));
  const counts = project.logPagesDays.filter((row) => !lined.has(String(row.day)));
  return [...ofUrls(project.logEvents).map(ofLines), ...ofUrls(counts).map(ofCounts)];
}

function ofLines(lines: readonly Row[]): UrlDay {
  const sent = lines.map((line) => ({ ...senderOf(line), status: statusClass(num(line, 'status_code')) }));
  const search = sent.filter(({ botClass }) => botClass === 'search');
  const isKnown = sent.every(({ botClass }) => botClass !== null);
  const by = (engine: string): number => search.filter((one) => one.engine === engine).length;
  const bots = sent.flatMap(({ botClass, ...one }) =>
    botClass === null || botClass === 'none' ? [] : [{ ...one, botClass, hits: 1 }],
  );
  const tellsVisits = lines.every(
    (line) => bool(line, 'is_bot') === true || bool(line, 'is_seo_visit') !== null,
  );
  return {
    ...{ url: String(lines[0]?.url), day: String(lines[0]?.day), dataset: 'log_events', ranges: null },
    searchBots: isKnown ? search.length : null,
    engines:
      isKnown && search.every(({ engine }) => engine !== null)
        ? { google: by('google'), bing: by('bing') }
        : null,
    lastStatus: lastStatus(lines),
    seoVisits: tellsVisits ? lines.filter((line) => bool(line, 'is_seo_visit') === true).length : null,
    bots,
  };
}

function lastStatus(lines: readonly Row[]): number | null {
  const told = lines.flatMap((line) => {
    const [at, status] = [str(line, 'event_date'), num(line, 'status_code')];
    return at === null || status === null ? [] : [{ at, status }];
  });
  // Times of one form and zone are in the order of their texts.
  return told.toSorted((a, b) => before(a.at, b.at) || a.status - b.status).at(-1)?.status ?? null;
}

function ofCounts(rows: readonly Row[]): UrlDay {
  const row = rows[0];
  const [seo, vertical] = [num(row, 'seo_bot_hits'), num(row, 'vertical_bot_hits')];
  const searchBots = seo === null || vertical === null ? null : sum([seo, vertical]);
  const hits = num(row, 'hits');
  const all = (name: string): boolean => hits !== null && num(row, name) === hits;
  const moved = num(row, 'last_status_code') === 304 ? 'ok' : 'redirect';
  const status = all('hits_2xx')
    ? 'ok'
    : all('hits_3xx')
      ? moved
      : all('hits_4xx') || all('hits_5xx')
        ? 'error'
        : null;
  const bot = { botClass: 'search', crawler: null, engine: null, status, hits: searchBots ?? 0 } as const;
  return {
    ...{ url: String(row?.url), day: String(row?.day), dataset: 'log_pages_days', searchBots },
    ...{ engines: null, seoVisits: num(row, 'seo_visits'), lastStatus: num(row, 'last_status_code') },
    bots: bot.hits > 0 ? [bot] : [],
    ranges: Object.fromEntries(HIT_RANGES.map((name) => [name, num(row, name)])),
  };
}
