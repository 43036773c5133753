import type { Row } from '../sites/sites.ts';
import { changesOf } from './changes.ts';
import { searchSpan } from './crawl-days.ts';
import type { CrawlFacts } from './crawls.ts';
import { type Asked, crawlAsked, type Facts, inSegment, type ProjectFacts, projectsAsked } from './facts.ts';
import { chainOf } from './links.ts';
import { clicksOf, impressionsOf, positionOf, rankingDays, type Search } from './searches.ts';
import { addDays, byBytes, dayOf, daysBetween, ordered, percent, rounded } from './values.ts';

const tenths = (value: number | null): number | null => (value === null ? null : rounded(value, 1));

/** A crawl whose changes may have happened in the 56 days. */
interface Found {
  readonly crawl: CrawlFacts;
  readonly day: string;
  readonly previousDay: string;
}

function foundIn({ crawls }: ProjectFacts, asked: CrawlFacts | null, last: string): Found[] {
  return crawls.flatMap((crawl) => {
    const { previous, endedAt } = crawl;
    if (asked === null || previous?.endedAt == null || endedAt === null) return [];
    if ((crawl.config?.id ?? null) !== (asked.config?.id ?? null)) return [];
    const [day, previousDay] = [dayOf(endedAt), dayOf(previous.endedAt)];
    return day >= addDays(last, -55) && previousDay <= last ? [{ crawl, day, previousDay }] : [];
  });
}

/** Where pages of permanent redirects, and those that a crawl found elsewhere, are now. */
function movesOf(crawl: CrawlFacts | null, found: readonly Found[]): ReadonlyMap<string, string> {
  const moves = new Map<string, string>();
  const elsewhere = found
    .flatMap(({ crawl: one }) => changesOf(one))
    .flatMap(({ url, change, moved_to: to }) => (change === 'moved' && to ? [[url, to] as const] : []));
  for (const [url, to] of elsewhere.toSorted((a, b) => byBytes(b[1], a[1]))) moves.set(url, to);
  for (const page of crawl?.allPages ?? []) {
    const chain = crawl && chainOf(crawl, page);
    if (!chain || chain.isLoop || chain.isCut || chain.finalStatus !== 200) continue;
    if (chain.hops.every((hop) => hop.page.status === 301 || hop.page.status === 308))
      moves.set(page.url, chain.finalUrl);
  }
  return moves;
}

type Change = ReturnType<typeof changesOf>[number];

function textOf(crawl: CrawlFacts, { url, change, before, after, reason, moved_to: to }: Change): string {
  const words = (text: string | null | undefined): string => (text ?? '').replaceAll('_', ' ');
  if (change === 'is_indexable') {
    if (before === 'false' && after === 'true') return 'became indexable';
    const why = crawl.byUrl.get(url)?.reason;
    if (before === 'true' && after === 'false') return `no longer indexable${why ? `: ${words(why)}` : ''}`;
    return `indexable: ${before ?? 'unknown'} to ${after ?? 'unknown'}`;
  }
  if (change === 'status_code') return `status ${before ?? 'unknown'} to ${after ?? 'unknown'}`;
  if (change === 'moved') return `moved to ${to}`;
  if (change === 'removed') return reason === 'merged' ? `redirects to ${to}` : 'gone';
  if (change === 'missing') return `not read: ${words(reason)}`;
  const named: Readonly<Record<string, string>> = { added: 'new URL', rel_canonical: 'canonical changed' };
  return named[change] ?? `${words(change)} changed`;
}

interface Accident {
  readonly day: string;
  readonly from: string;
  readonly to: string;
  readonly since: number;
  readonly until: number;
}

/** Of the changes of a page the one that cost the most clicks, with as many same weekdays before it. */
function accidentOf(
  project: ProjectFacts,
  rows: readonly Search[],
  found: readonly Found[],
  last: string,
): Accident | null {
  const days = ordered(found.map(({ day }) => day));
  const accidents = days.flatMap((day, n): Accident[] => {
    const [previousDay = day] = ordered(found.filter((one) => one.day === day).map((one) => one.previousDay));
    const next = days[n + 1];
    const from = day <= last ? day : addDays(previousDay, 1);
    const to = next === undefined || addDays(next, -1) > last ? last : addDays(next, -1);
    if (to < from || daysBetween(from, last) > 27) return [];
    const shift = 7 * Math.max(1, Math.ceil(daysBetween(previousDay, to) / 7));
    const spans = [
      [from, to],
      [addDays(from, -shift), addDays(to, -shift)],
    ] as const;
    const [daysSince, daysUntil] = spans.map(([a, b]) => rankingDays(project.searches, a, b));
    if (daysSince !== daysUntil) return [];
    const [since = 0, until = 0] = spans.map(([a, b]) =>
      clicksOf(rows.filter((row) => row.day >= a && row.day <= b)),
    );
    return until > since ? [{ day, from, to, since, until }] : [];
  });
  return (
    accidents.toSorted((a, b) => b.until - b.since - (a.until - a.since) || byBytes(a.day, b.day))[0] ?? null
  );
}

export const q28 = (facts: Facts, asked: Asked): Row[] =>
  projectsAsked(facts, asked).flatMap((project) => {
    const { searches } = project;
    const crawl = crawlAsked(project, asked);
    const { to } = asked;
    const last =
      to === undefined
        ? searchSpan(project, crawl)?.to
        : ordered(searches.rows.map(({ day }) => day).filter((day) => day < to)).at(-1);
    if (last === undefined) return [];
    const found = foundIn(project, crawl, last);
    const moves = movesOf(crawl, found);
    const pageOf = (url: string): string => moves.get(url) ?? url;
    const named = searches.rows.filter(({ url }) => url !== null);
    const span = (daysAgo: number) => {
      const [from, until] = [addDays(last, -daysAgo - 27), addDays(last, -daysAgo)];
      const rows = named.filter(({ day }) => day >= from && day <= until);
      const byPage = Map.groupBy(rows, ({ url }) => pageOf(url ?? ''));
      return { byPage, days: rankingDays(searches, from, until) };
    };
    const spans = [span(0), span(28), span(364)] as const;
    const [now, before, year] = spans;
    const ofPage = Map.groupBy(named, ({ url }) => pageOf(url ?? ''));
    const changes = Map.groupBy(
      found.flatMap((one) => changesOf(one.crawl).map((change) => ({ one, change }))),
      ({ change }) => pageOf(change.url),
    );
    type Span = typeof now;
    const of = ({ byPage, days }: Span, page: string, what: (rows: readonly Search[]) => number) =>
      days === now.days ? what(byPage.get(page) ?? []) : null;
    const reason = ({ days }: Span, name: string): string | null =>
      days === now.days ? null : `days with search results: ${now.days}, ${name}: ${days}`;
    const { min_clicks = 0, min_loss_percent = 0 } = asked.numbers;
    const hasLost = (clicks: number, former: number | null): boolean =>
      former !== null &&
      former >= Math.max(min_clicks, 1) &&
      (100 * (former - clicks)) / former >= min_loss_percent;
    const change = (clicks: number, former: number | null): number | null =>
      former === null || former === 0 ? null : percent(clicks - former, former);
    return [...new Set(spans.flatMap(({ byPage }) => [...byPage.keys()]))].flatMap((url) => {
      const page = crawl?.byUrl.get(url);
      if (!inSegment(page, asked)) return [];
      const clicks = of(now, url, clicksOf) ?? 0;
      const [then, yearAgo] = [of(before, url, clicksOf), of(year, url, clicksOf)];
      const ofUrl = changes.get(url) ?? [];
      const rows = ofPage.get(url) ?? [];
      const finding = ofUrl.map(({ one }) => one);
      const accident = accidentOf(project, rows, finding, last);
      const { since = 0, until = null } = accident ?? {};
      if (!hasLost(clicks, then) && !hasLost(clicks, yearAgo) && !hasLost(since, until)) return [];
      const losses = [(then ?? 0) - clicks, (yearAgo ?? 0) - clicks, (until ?? 0) - since];
      const shown = spans.flatMap(({ byPage }) => byPage.get(url) ?? []).map((row) => row.url ?? url);
      return [
        {
          project_name: project.name,
          project_id: project.id,
          crawl_config_name: crawl?.config?.name ?? null,
          crawl_id: crawl?.id ?? null,
          to_date: last,
          url,
          moved_from: ordered(shown.filter((one) => moves.has(one))),
          clicks_lost: Math.max(0, ...losses),
          clicks,
          clicks_before: then,
          clicks_year_ago: yearAgo,
          clicks_change_percent: change(clicks, then),
          clicks_change_reason: reason(before, 'before'),
          clicks_change_in_a_year_percent: change(clicks, yearAgo),
          clicks_change_in_a_year_reason: reason(year, 'a year ago'),
          change_date: accident?.day,
          since_from_date: accident?.from,
          since_to_date: accident?.to,
          clicks_since: accident?.since,
          clicks_weekdays_before: until,
          impressions: of(now, url, impressionsOf),
          impressions_before: of(before, url, impressionsOf),
          average_position: tenths(positionOf(now.byPage.get(url) ?? [])),
          average_position_before: tenths(positionOf(before.byPage.get(url) ?? [])),
          status_code: page?.status ?? null,
          is_indexable: page?.isIndexable ?? null,
          changes: ordered(ofUrl.map(({ one, change: each }) => `${one.day} ${textOf(one.crawl, each)}`)),
        },
      ];
    });
  });
