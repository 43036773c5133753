import { z } from 'zod';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
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

export interface MatchingPages {
  /** The numbers of the pages that meet the condition. */
  readonly matching: readonly number[];
  /** How many pages lack a value that the condition needs. */
  readonly unknown: number;
}

/**
 * Returns the pages that meet an SQL condition, as `crawlhouse pages --where` lists them.
 *
 * @throws CrawlhouseError `usage` for anything but one condition that DuckDB can judge
 */
export async function matchingPages(
  { warehouse, asked, graph }: Place,
  { kind, condition, crawl }: Asked,
  signal: AbortSignal,
): Promise<MatchingPages> {
  await columnsOfCondition(warehouse, condition, signal, kind);
  const numbersOf = async (name: string, where: string): Promise<number[]> => {
    const filter = {
      ...{ project: crawl.project_id, crawl: crawl.crawl_id, where: [where] },
      ...{ conditions: [], columns: [] },
    };
    const statement = await pageStatement(warehouse, filter, signal);
    const numbers: number[] = [];
    const select = {
      sql: `SELECT matching.url\nFROM (\n${statement.sql}\n) AS matching`,
      parameters: { crawl: crawl.crawl_id },
    };
    await asked.each(name, Matching, select, ({ url }) => {
      const page = graph.numberOf.get(url);
      if (page !== undefined) numbers.push(page);
    });
    return numbers;
  };
  const matching = await numbersOf('matching pages', condition).catch((error: unknown) => {
    if (!(error instanceof CrawlhouseError) || error.code !== 'bad_query') throw error;
    throw new CrawlhouseError('usage', `--${kind}: ${error.message}`, {
      hint: 'docs/reference/dictionary.md lists the columns of mart.pages',
      cause: error,
    });
  });
  const unknown = await numbersOf('pages for which the condition is unknown', `(${condition}\n) IS NULL`);
  return { matching, unknown: unknown.length };
}

const NO_MATCH = 'No page of the crawl meets the condition.';
const unknownNote = (count: number): string =>
  `Not judged, because the condition is unknown for them: ${counted(count, 'page')}.`;

/** Pages that answer 404 or 410 have no content, so the links on them are gone. */
export function rehearseRemoval({ matching, unknown }: MatchingPages, { pages }: CrawlGraph): Effect {
  const former = matching.filter((page) => [404, 410].includes(pages[page]?.status_code ?? 0));
  const others = [...new Set(matching).difference(new Set(former))];
  const gone = { next: [], isGone: true } as const;
  const judge = ({ status_code, state }: CrawledPage): Judged =>
    status_code === null || state === 'robots_denied'
      ? { change: 'unjudged', after: { state, ...gone } }
      : { change: 'removed', after: { state: 'client_error', ...gone } };
  const count = former.length;
  const [are, answer] = count === 1 ? ['is', 'it answers'] : ['are', 'they answer'];
  const effect = effectOf(others, pages, {
    ...{ judge, why: 'answers 404 or 410', action: 'the target answers 404 or 410', unknown },
    targets: ['removed', 'unjudged'],
    notes:
      count === 0
        ? []
        : [`${counted(count, 'matching page')} ${are} not counted: ${answer} 404 or 410 already.`],
  });
  const kept = former.map((page) => [page, { state: pages[page]?.state ?? null, ...gone }] as const);
  return { ...effect, changed: new Map([...effect.changed, ...kept]) };
}

/** The states whose pages a search engine reads, so that it finds the noindex. */
const READ_STATES: readonly (string | null)[] = ['indexable', 'canonicalised', 'service'];

const UNREAD_STATES: readonly string[] = ['robots_denied', 'no_answer'];

/** The links on pages with noindex are still followed. */
export function rehearseNoindex({ matching, unknown }: MatchingPages, { pages }: CrawlGraph): Effect {
  const judge = ({ state }: CrawledPage): Judged => {
    const after = { state: READ_STATES.includes(state) ? 'noindex' : state };
    if (state === null || UNREAD_STATES.includes(state)) return { change: 'unjudged', after };
    return { change: state === 'indexable' ? 'lost' : 'kept_out', after };
  };
  return effectOf(matching, pages, {
    ...{ judge, why: 'noindex', action: 'the target gets noindex', unknown },
    ...{ targets: ['lost'], notes: [] },
  });
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
    /** Why sitemaps may no longer contain a page. */
    readonly why: string;
    /** What references to a page run into. */
    readonly action: string;
    /** The changes of pages whose sitemap entries and references matter. */
    readonly targets: readonly UrlChange[];
    /** Pages for which the condition is unknown. */
    readonly unknown: number;
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
  const targets = urls.filter(({ change }) => asked.targets.includes(change)).map(({ url }) => url);
  const notes = [...asked.notes, ...(asked.unknown === 0 ? [] : [unknownNote(asked.unknown)])];
  return {
    changed,
    urls,
    listed: new Map(targets.map((url) => [url, `remove: ${asked.why}`])),
    linked: new Map(targets.map((url) => [url, `update: ${asked.action}`])),
    notes: affected.length === 0 && notes.length === 0 ? [NO_MATCH] : notes,
  };
}
