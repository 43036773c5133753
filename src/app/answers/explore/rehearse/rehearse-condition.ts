import { z } from 'zod';
import { counted } from '../../../../core/text/amounts.ts';
import { columnsOfCondition } from '../pages/page-conditions.ts';
import { pageStatement } from '../pages/page-statement.ts';
import type { AskedRows, RehearsedWarehouse } from './asked-rows.ts';
import type { CrawledPage, CrawlGraph } from './crawl-graph.ts';
import type { ChangedPage, ChangedUrl, Effect, UrlChange } from './rehearsed-change.ts';

const Matching = z.strictObject({ url: z.string() });

interface Place {
  readonly warehouse: RehearsedWarehouse;
  readonly asked: AskedRows;
  readonly graph: CrawlGraph;
}

interface Asked {
  readonly kind: 'remove' | 'noindex';
  readonly condition: string;
  readonly crawl: { readonly crawl_id: string; readonly project_id: string };
}

/**
 * Returns the numbers of the pages that meet an SQL condition, as `crawlhouse pages --where` lists them.
 *
 * @throws CrawlhouseError `usage` for anything but one condition
 */
export async function matchingPages(
  { warehouse, asked, graph }: Place,
  { kind, condition, crawl }: Asked,
  signal: AbortSignal,
): Promise<readonly number[]> {
  await columnsOfCondition(warehouse, condition, signal, kind);
  const filter = {
    ...{ project: crawl.project_id, crawl: crawl.crawl_id, where: [condition] },
    ...{ conditions: [], columns: [] },
  };
  const statement = await pageStatement(warehouse, filter, signal);
  const matching: number[] = [];
  const select = {
    sql: `SELECT matching.url\nFROM (\n${statement.sql}\n) AS matching`,
    parameters: { crawl: crawl.crawl_id },
  };
  await asked.each('matching pages', Matching, select, ({ url }) => {
    const page = graph.numberOf.get(url);
    if (page !== undefined) matching.push(page);
  });
  return matching;
}

const NO_MATCH = 'No page of the crawl meets the condition.';

/** Pages that answer 404 or 410 have no content, so the links on them are gone. */
export function rehearseRemoval(matching: readonly number[], { pages }: CrawlGraph): Effect {
  const gone = matching.filter((page) => [404, 410].includes(pages[page]?.status_code ?? 0));
  const others = [...new Set(matching).difference(new Set(gone))];
  const judge = ({ status_code, state }: CrawledPage): Judged =>
    status_code === null && state !== 'no_answer'
      ? { change: 'unjudged', after: { state, next: [] } }
      : { change: 'removed', after: { state: 'client_error', next: [] } };
  return effectOf(others, pages, {
    judge,
    why: 'answers 404 or 410',
    notes:
      gone.length === 0
        ? []
        : [`Not counted, because they answer 404 or 410 already: ${counted(gone.length, 'matching page')}.`],
  });
}

/** The states whose pages a search engine reads, so that it finds the noindex. */
const READ_STATES: readonly (string | null)[] = ['indexable', 'canonicalised', 'service'];

/** The links on pages with noindex are still followed. */
export function rehearseNoindex(matching: readonly number[], { pages }: CrawlGraph): Effect {
  const judge = ({ state }: CrawledPage): Judged => {
    const after = { state: READ_STATES.includes(state) ? 'noindex' : state };
    if (state === null || state === 'robots_denied') return { change: 'unjudged', after };
    return { change: state === 'indexable' ? 'lost' : 'kept_out', after };
  };
  return effectOf(matching, pages, { judge, why: 'noindex', notes: [] });
}

interface Judged {
  readonly change: UrlChange;
  readonly after: ChangedPage;
}

function effectOf(
  affected: readonly number[],
  pages: readonly CrawledPage[],
  asked: {
    readonly judge: (page: CrawledPage) => Judged;
    readonly why: string;
    readonly notes: readonly string[];
  },
): Effect {
  const changed = new Map<number, ChangedPage>();
  const urls: ChangedUrl[] = [];
  for (const page of affected) {
    const crawled = pages[page];
    if (crawled === undefined) continue;
    const { change, after } = asked.judge(crawled);
    changed.set(page, after);
    urls.push({ url: crawled.url, change, agents: null });
  }
  const targets = urls.filter(({ change }) => change !== 'kept_out').map(({ url }) => url);
  return {
    changed,
    urls,
    listed: new Map(targets.map((url) => [url, `remove: ${asked.why}`])),
    linked: new Map(targets.map((url) => [url, `update: ${asked.why}`])),
    notes: [...(affected.length === 0 && asked.notes.length === 0 ? [NO_MATCH] : []), ...asked.notes],
  };
}
