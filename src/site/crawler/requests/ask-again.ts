import { webUrl } from '../../../core/net/web-url.ts';
import type { FetchTools } from '../fetch-round.ts';
import type { RequestedUrl } from '../frontier/kept-requests.ts';
import type { Scope } from '../frontier/scope.ts';
import type { CrawlControl, SideWork } from '../progress-reporter.ts';
import { type AskTools, askUrl } from './ask-url.ts';
import { declaredTargets, type TargetTools } from './declared-targets.ts';

/** Redirects that are followed from a URL. */
const MOST_HOPS = 10;
/** URLs that are read from the frontier at a time. */
const PIECE = 500;
/** Consecutive requests without a response after which a site counts as silent. */
const MOST_FAILURES_IN_A_ROW = 50;

export interface RecheckOptions {
  /** The maximum number of URLs that are requested again; 0: none. */
  readonly recheck: number;
  /** URLs with clicks, then URLs with hits of bots, in batches. */
  readonly demanded?: AsyncIterable<readonly string[]> | undefined;
}

export interface AgainTools extends AskTools, TargetTools, Pick<FetchTools, 'frontier'> {
  readonly sideWork: SideWork;
  readonly control: CrawlControl;
  /** Concurrent requests. */
  readonly concurrency: number;
}

/**
 * Requests URLs that the crawl did not find: pages of the previous crawl, URLs with clicks or hits, URLs of sitemaps
 * (`recheck`), and targets that pages declare. Follows redirects to their end. These URLs do not become pages of the
 * crawl. Each response is stored when it arrives, so a resumed crawl requests no URL again.
 */
export async function askAgain(options: RecheckOptions, tools: AgainTools): Promise<void> {
  const { frontier, signal, concurrency } = tools;
  await planRequests(options, tools);
  let silent = 0;
  const askNext = async (items: Iterator<RequestedUrl>): Promise<void> => {
    for (let next = items.next(); !next.done; next = items.next()) {
      const isSilent = silent >= MOST_FAILURES_IN_A_ROW;
      if (isSilent || !(await tools.control.mayGoOn(signal))) return;
      const { status_code, robots_txt_denied } = await ask(next.value, tools);
      silent = status_code === null && !robots_txt_denied ? silent + 1 : 0;
    }
  };
  let items = frontier.requests.open(0, PIECE);
  while (items.length > 0 && tools.control.state !== 'terminating' && tools.control.state !== 'cancelling') {
    const left = items.values();
    const work = await Promise.allSettled(Array.from({ length: concurrency }, () => askNext(left)));
    for (const result of work) if (result.status === 'rejected') throw result.reason;
    if (silent >= MOST_FAILURES_IN_A_ROW) break;
    items = frontier.requests.open(items.at(-1)?.id ?? 0, PIECE);
  }
  tools.sideWork.end('requests');
}

async function ask(item: RequestedUrl, tools: AgainTools) {
  const { frontier, sideWork } = tools;
  const record = await askUrl(item.url, tools);
  const location = record.redirect_location;
  frontier.transaction(() => {
    frontier.requests.answer(item, record);
    if (location === null || item.hop >= MOST_HOPS || frontier.isMet(location)) return;
    frontier.requests.addTarget({ url: location, source: item.url, as: 'redirect', hop: item.hop + 1 });
  });
  const { asked, answered } = frontier.requests.counts();
  sideWork.say('requests', `requested ${answered} of ${asked} URLs again`);
  return record;
}

/** Plans the requests, once per crawl. */
async function planRequests(options: RecheckOptions, tools: AgainTools): Promise<void> {
  const { frontier, signal, isList } = tools;
  if (frontier.fact('requests') !== undefined) return;
  tools.sideWork.say('requests', 'looking for URLs to request again');
  const targets = await declaredTargets(tools);
  const demanded = isList ? [] : await unmetDemand(options, tools);
  signal.throwIfAborted();
  frontier.transaction(() => {
    for (const url of demanded) frontier.requests.addRecheck(url);
    let left = isList ? 0 : options.recheck - demanded.length;
    const known = new Set(demanded);
    for (const { url, source } of isList ? [] : frontier.unmet()) {
      if (left <= 0) break;
      if (known.has(url) || !isOwn(url, tools.scope)) continue;
      known.add(url);
      frontier.requests.addRecheck(url, source);
      left--;
    }
    for (const target of targets) frontier.requests.addTarget(target);
    frontier.setFact('requests', 'planned');
  });
}

async function unmetDemand(
  { recheck, demanded }: RecheckOptions,
  { frontier, scope, signal }: AgainTools,
): Promise<string[]> {
  const found = new Set<string>();
  if (recheck === 0) return [];
  for await (const texts of demanded ?? []) {
    signal.throwIfAborted();
    for (const text of texts) {
      const url = webUrl(text);
      const spelled = url === null || !scope.isInternal(url) ? null : scope.spell(url);
      if (spelled !== null && !frontier.isMet(spelled)) found.add(spelled);
      if (found.size >= recheck) return [...found];
    }
  }
  return [...found];
}

function isOwn(text: string, scope: Scope): boolean {
  const url = webUrl(text);
  return url !== null && scope.isInternal(url);
}
