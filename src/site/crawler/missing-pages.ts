import { createHash } from 'node:crypto';
import { ownUrl } from '../../core/net/web-url.ts';
import { stringifyJson } from '../../core/text/json.ts';
import type { FetchTools } from './fetch-round.ts';
import { textOf } from './parse/threads/parse-messages.ts';
import type { MissingPageRecord, PageRecord } from './records/records.ts';

/** The maximum number of origins to check, because a site may have any number of subdomains. */
const MOST_ORIGINS = 20;

export type MissingTools = Pick<
  FetchTools,
  'fetcher' | 'frontier' | 'parser' | 'renderer' | 'robots' | 'pace' | 'signal'
>;

/**
 * Requests an address that cannot exist on the site. The address is the same in each crawl, so that the site's owner
 * can find it in logs.
 */
export async function askForMissingPages(tools: MissingTools): Promise<void> {
  const origins = tools.frontier.origins(MOST_ORIGINS);
  const records = await Promise.all(origins.map((origin) => askOrigin(origin, tools)));
  tools.signal.throwIfAborted();
  const known = records.filter((record) => record !== null);
  tools.frontier.setFact('missing pages', known.map((record) => `${stringifyJson(record)}\n`).join(''));
}

async function askOrigin(origin: string, tools: MissingTools): Promise<MissingPageRecord | null> {
  const { fetcher, parser, renderer, robots, pace, signal } = tools;
  // An address that the site can not have. It is the same in each crawl, so that its owner finds it in logs.
  const url = ownUrl(
    `${origin}/no-such-page-${createHash('sha256').update(origin).digest('hex').slice(0, 16)}`,
  );
  const rules = await robots.rulesOf(url);
  if (rules.isUnavailable || !rules.isAllowed(url.href)) return null;
  await pace.turn(url.host, rules.delayMs, signal);
  const answer = await fetcher.fetch(url.href);
  const status = answer.statusCode;
  if (signal.aborted || status === null || status === 429 || status >= 500) return null;
  const rendered = renderer === null ? null : await renderer.render(answer);
  const facts = { depth: null, sources: [], robots_txt_denied: false, denied_robots: null };
  let record: MissingPageRecord | null = null;
  await parser.parse({ answer, facts, rendered }, async ({ pages }) => {
    const { title, h1, word_count, simhash } = JSON.parse(textOf(pages)) as PageRecord;
    record = { origin, status_code: status, title, h1, word_count, simhash };
  });
  return record;
}
