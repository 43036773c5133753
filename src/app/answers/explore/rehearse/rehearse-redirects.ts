import { z } from 'zod';
import { webUrl } from '../../../../core/net/web-url.ts';
import { counted } from '../../../../core/text/amounts.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { type CrawledPage, type CrawlGraph, spelled } from './crawl-graph.ts';
import type { RedirectRule } from './read-redirects.ts';
import { chainsOf } from './redirect-chains.ts';
import type { ChangedPage, ChangedUrl, Effect, UrlChange } from './rehearsed-change.ts';

export const RehearsedRedirect = z.strictObject({
  url: z.string(),
  /** Null: the file does not contain it, but the crawl does. */
  line: z.number().nullable(),
  status_code: z.number().nullable(),
  target: z.string(),
  /** Redirects up to the final URL, or in a loop to the first URL that repeats; null: unknown. */
  hops_before: z.number().nullable(),
  hops_after: z.number(),
  /** Null: a loop. */
  final_url: z.string().nullable(),
  is_final_in_crawl: z.boolean(),
  /** Null: unknown. Also applies to the state. */
  final_status_code: z.number().nullable(),
  /** `indexable`, or the reason why it is not. */
  final_state: z.string().nullable(),
  /** Its changes in the list of pages that name a problem; null: none. */
  problems: z.string().nullable(),
});
export type RehearsedRedirect = Typed<typeof RehearsedRedirect>;

type Rules = ReadonlyMap<string, RedirectRule>;

/** Follows each redirect through the others, and through those that the crawl found. */
export function rehearseRedirects(
  rules: Rules,
  graph: CrawlGraph,
): Effect & { readonly redirects: readonly RehearsedRedirect[] } {
  const { numbersAt, pageAt, before, after, isKept } = pathsOf(rules, graph);
  const changed = new Map<number, ChangedPage>();
  const urls: ChangedUrl[] = [];
  const redirects: RehearsedRedirect[] = [];
  const [listed, linked] = [new Map<string, string>(), new Map<string, string>()];
  const list = (
    url: string,
    page: CrawledPage | undefined,
    changes: readonly UrlChange[],
    problems: readonly UrlChange[],
  ): void => {
    const source = spelled(url);
    const rule = rules.get(source);
    const { hops, end } = after(source);
    const final = end === null ? undefined : pageAt(end);
    urls.push(...[...changes, ...problems].map((change) => ({ url, change, agents: null })));
    redirects.push({
      ...{ url, line: rule?.line ?? null, status_code: rule?.status ?? page?.status_code ?? null },
      target: rule?.target ?? page?.redirect_location ?? '',
      hops_before: isRead(page) ? before(source).hops : null,
      ...{ hops_after: hops, final_url: end, is_final_in_crawl: final !== undefined },
      ...{ final_status_code: final?.status_code ?? null, final_state: final?.state ?? null },
      problems: problems.join(', ') || null,
    });
  };
  let kept = 0;
  const affected = rules.values().flatMap((rule) => numbersAt(rule.source).map((at) => [rule, at] as const));
  for (const [rule, number] of affected) {
    const { source, target } = rule;
    const page = graph.pages[number];
    if (isKept(rule, page)) {
      kept++;
      continue;
    }
    const { hops, end } = after(source);
    const isBlocked = isDenied(page);
    changed.set(number, {
      ...{
        state: isBlocked ? 'robots_denied' : 'redirect',
        next: isBlocked ? [] : numbersAt(target),
        isGone: true,
      },
    });
    const leads = end === null ? 'redirects in a loop' : `redirects to ${end}`;
    const url = page?.url ?? source;
    const problems = endProblems(end, pageAt);
    // A sitemap lists indexable pages of its website.
    const isUnknown = problems.every((problem) => problem === 'target_unknown');
    const isListable =
      end !== null && isUnknown && webUrl(end)?.origin === webUrl(source)?.origin && !isDenied(pageAt(end));
    const action = problems.length > 0 ? 'check the target first' : 'replace';
    listed.set(url, `${isListable ? action : 'remove'}: ${leads}`);
    linked.set(source, `update: the target ${leads}`);
    const isChain = end !== null && hops > 1;
    list(
      url,
      page,
      [page === undefined ? 'not_in_crawl' : isBlocked ? 'unjudged' : 'redirected'],
      [...(isChain ? (['chain'] as const) : []), ...problems],
    );
  }
  for (const page of graph.pages) {
    const { url, redirect_location } = page;
    const source = spelled(url);
    const rule = rules.get(source);
    if (redirect_location === null || (rule !== undefined && !isKept(rule, page))) continue;
    const [was, is] = [before(source), after(source)];
    const isLonger = was.end !== null && is.end !== null && is.hops > was.hops;
    const problems = was.end === is.end ? [] : endProblems(is.end, pageAt);
    if (rule !== undefined || was.hops !== is.hops || was.end !== is.end)
      list(url, page, [], [...(isLonger ? (['longer'] as const) : []), ...problems]);
  }
  return {
    ...{ changed, urls, listed, linked, redirects: redirects.sort(byProblem) },
    notes: notesOf(rules, redirects, kept),
  };
}

/** Returns the pages at normalized URLs, and the chains of redirects before and after the change. */
function pathsOf(rules: Rules, { pages, outside }: CrawlGraph) {
  // A crawl may contain several spellings of a URL. Paths also lead through sources outside the crawl.
  const urls = [...pages.map(({ url }) => spelled(url)), ...outside];
  const numbers = Map.groupBy(urls.keys(), (number) => urls[number] ?? '');
  const numbersAt = (url: string): readonly number[] => numbers.get(url) ?? [];
  const pageAt = (url: string): CrawledPage | undefined => pages[numbersAt(url)[0] ?? -1];
  const today = (url: string): string | undefined => {
    const target = pageAt(url)?.redirect_location ?? null;
    return target === null ? undefined : spelled(target);
  };
  return {
    pageAt,
    numbersAt,
    before: chainsOf(today),
    after: chainsOf((url) => rules.get(url)?.target ?? today(url)),
    isKept: ({ target, status, isStatusGiven }: RedirectRule, page: CrawledPage | undefined): boolean =>
      spelled(page?.redirect_location ?? '') === target && (!isStatusGiven || page?.status_code === status),
  };
}

/** Returns what is wrong with the end of a chain. */
function endProblems(end: string | null, pageAt: (url: string) => CrawledPage | undefined): UrlChange[] {
  if (end === null) return ['loop'];
  const page = pageAt(end);
  if (page === undefined || !isRead(page) || page.state === null) return ['target_unknown'];
  if (page.status_code !== 200) return ['target_error'];
  return page.state === 'indexable' ? [] : ['target_not_indexable'];
}

function notesOf(rules: Rules, redirects: readonly RehearsedRedirect[], kept: number): string[] {
  const ends = redirects
    .filter(({ is_final_in_crawl }) => !is_final_in_crawl)
    .map(({ final_url }) => final_url);
  const unread = new Set(ends.filter((url) => url !== null)).size;
  const patterns = [...rules.keys()].filter((url) => url.includes('*')).length;
  return [
    ...(kept === 0
      ? []
      : [`Not counted, because the crawl already found them: ${counted(kept, 'redirect')}.`]),
    ...(unread === 0
      ? []
      : [`Links on ${counted(unread, 'target')} outside the crawl are unknown. More pages may keep a path.`]),
    ...(patterns === 0
      ? []
      : [`Not expanded, because * is not a pattern here: ${counted(patterns, 'redirect')}.`]),
  ];
}

const isDenied = (page: CrawledPage | undefined): boolean => page?.state === 'robots_denied';

/** Returns whether the crawl knows the answer of a page. */
const isRead = (page: CrawledPage | undefined): boolean =>
  (page?.status_code ?? null) !== null && !isDenied(page);

/** Redirects with problems come first. */
const byProblem = (a: RehearsedRedirect, b: RehearsedRedirect): number =>
  Number(a.problems === null) - Number(b.problems === null);
