import type { Answer } from './answers-links.ts';
import { demands } from './answers-visits.ts';
import { type UrlDay, urlDays } from './log-hits.ts';
import { before, groups, indexable, num, round, str, sum } from './plain.ts';
import type { CrawlData, ProjectData, Row, ServiceData } from './service-data.ts';

const DAY = 86_400_000;
const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);
const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / DAY;
const earliest = (days: readonly string[]): string | null => days.toSorted(before)[0] ?? null;
const latest = (days: readonly string[]): string | null => days.toSorted(before).at(-1) ?? null;
const crawlsOf = (data: ServiceData, project: ProjectData): CrawlData[] =>
  data.crawls.filter((crawl) => crawl.projectId === project.id);
const mainOf = (data: ServiceData, project: ProjectData): CrawlData | undefined =>
  crawlsOf(data, project).find((crawl) => crawl.isLatest);
const pagesOf = (crawl: CrawlData | undefined): ReadonlyMap<unknown, Row> =>
  new Map(crawl?.pages.map((page) => [page.url, page]));
const configOf = (crawl: CrawlData | undefined): string | null => crawl?.configName ?? null;

/** The hits of the last day with log files and the 27 days before it. */
function recentDays(project: ProjectData): readonly UrlDay[] {
  const days = urlDays(project);
  const last = latest(days.map(({ day }) => day)) ?? '';
  return days.filter(({ day }) => daysBetween(day, last) < 28);
}

export const q25: Answer = (data) =>
  data.projects.flatMap((project) => {
    const crawls = crawlsOf(data, project);
    const seen = new Map<string, CrawlData>();
    for (const crawl of crawls) {
      for (const page of crawl.pages) {
        const url = String(page.url);
        if (num(page, 'status_code') === 200 && !seen.has(url)) seen.set(url, crawl);
      }
    }
    const hits = urlDays(project);
    const shown = project.ranking.filter((row) => (num(row, 'impressions') ?? 0) > 0);
    return [...seen].flatMap(([url, crawl]) => {
      if (crawl === crawls[0]) return [];
      const date = dayOf(crawl.endedAt);
      const own = hits.filter((hit) => hit.url === url);
      const bot = earliest(own.filter((hit) => (hit.searchBots ?? 0) > 0).map((hit) => hit.day));
      const visit = earliest(own.filter((hit) => (hit.seoVisits ?? 0) > 0).map((hit) => hit.day));
      const show = earliest(shown.filter((row) => row.url === url).map((row) => String(row.date)));
      const since = (day: string | null): number | null => (day === null ? null : daysBetween(date, day));
      return [
        {
          ...{ project_name: project.name, first_crawl_id: crawl.id, url },
          url_first_path: str(pagesOf(crawl).get(url), 'url_first_path'),
          ...{ first_seen_date: date, first_bot_date: bot, first_shown_date: show, first_visit_date: visit },
          ...{ days_to_bot: since(bot), days_to_shown: since(show), days_to_visit: since(visit) },
          logs_from: earliest(hits.map(({ day }) => day)),
          shown_from: earliest(project.ranking.map((row) => String(row.date))),
        },
      ];
    });
  });

export const q26: Answer = (data) =>
  data.projects.flatMap((project) => {
    const hits = recentDays(project);
    const days = new Set(hits.map(({ day }) => day));
    const crawl = mainOf(data, project);
    const pages = pagesOf(crawl);
    const asked = hits.flatMap(({ url, bots }) =>
      bots.filter(({ botClass }) => botClass === 'search').map((bot) => ({ url, ...bot })),
    );
    return [...groups(asked, ({ engine }) => [engine]).values()].flatMap((ofEngine) => {
      const row = (segment: string | null, size: number | null, same: typeof ofEngine) => {
        const urls = new Set(same.map(({ url }) => url)).size;
        const all = sum(same.map((one) => one.hits));
        return {
          ...{ project_name: project.name, crawl_config_name: configOf(crawl), crawl_id: crawl?.id ?? null },
          ...{ from_day: earliest([...days]), to_day: latest([...days]), days: days.size },
          ...{ engine: ofEngine[0]?.engine ?? null, is_in_crawl: size !== null, url_first_path: segment },
          ...{
            pages: size,
            crawled_pages: urls,
            crawled_share: size === null ? null : round(urls / size, 3),
          },
          ...{ hits: all, hits_per_day: round(all / days.size, 2) },
          days_between_hits: all === 0 ? null : round((days.size * urls) / all, 1),
        };
      };
      const segmentOf = (page: Row | undefined): string | null => str(page, 'url_first_path');
      const known = [...groups(crawl?.pages ?? [], (page) => [segmentOf(page)]).values()].map((same) => {
        const segment = segmentOf(same[0]);
        const inIt = ofEngine.filter(({ url }) => pages.has(url) && segmentOf(pages.get(url)) === segment);
        return row(segment, same.length, inIt);
      });
      const others = ofEngine.filter(({ url }) => !pages.has(url));
      return others.length > 0 ? [...known, row(null, null, others)] : known;
    });
  });

export const q27: Answer = (data) =>
  data.projects.flatMap((project) => {
    const last = latest(project.ranking.map((row) => String(row.date))) ?? '';
    const shown = project.ranking.filter(
      (row) =>
        daysBetween(String(row.date), last) < 28 &&
        str(row, 'query') !== null &&
        str(row, 'url') !== null &&
        (num(row, 'impressions') ?? 0) > 0,
    );
    return [...groups(shown, (row) => [row.query]).values()].flatMap((ofQuery) => {
      const all = impressions(ofQuery);
      const byUrl = [...groups(ofQuery, (row) => [row.url]).values()];
      const competing = byUrl.filter((rows) => impressions(rows) / all >= 0.1);
      if (competing.length < 2) return [];
      const leaders = [...groups(competing.flat(), (row) => [row.date]).values()]
        .toSorted((a, b) => before(String(a[0]?.date), String(b[0]?.date)))
        .map((ofDay) => {
          const [first] = [...groups(ofDay, (row) => [row.url]).values()].toSorted(
            (a, b) =>
              impressions(b) - impressions(a) ||
              clicks(b) - clicks(a) ||
              before(String(a[0]?.url), String(b[0]?.url)),
          );
          return first?.[0]?.url;
        });
      return competing.map((rows) => ({
        ...{ project_name: project.name, project_id: project.id, query: ofQuery[0]?.query },
        ...{ query_impressions: all, urls: competing.length },
        leader_changes: leaders.filter((url, n) => n > 0 && url !== leaders[n - 1]).length,
        ...{ url: rows[0]?.url, impressions: impressions(rows) },
        impressions_share: round(impressions(rows) / all, 3),
        ...{ clicks: clicks(rows), position: round(position(rows), 1) },
        days_as_leader: leaders.filter((url) => url === rows[0]?.url).length,
      }));
    });
  });

const impressions = (rows: readonly Row[]): number => sum(rows.map((row) => num(row, 'impressions')));
const clicks = (rows: readonly Row[]): number => sum(rows.map((row) => num(row, 'clicks')));

function position(rows: readonly Row[]): number | null {
  const positioned = rows.filter((row) => num(row, 'position') !== null);
  const weight = impressions(positioned);
  const weighted = positioned.map((row) => (num(row, 'position') ?? 0) * (num(row, 'impressions') ?? 0));
  return weight > 0 ? sum(weighted) / weight : null;
}

export const q28: Answer = (data) =>
  data.projects.flatMap((project) => {
    const dates = project.ranking.map((row) => String(row.date));
    const [first, last] = [earliest(dates) ?? '', latest(dates) ?? ''];
    const crawl = mainOf(data, project);
    const pages = pagesOf(crawl);
    const rows = project.ranking.filter((row) => str(row, 'url') !== null);
    return [...groups(rows, (row) => [row.url]).values()].flatMap((same) => {
      const url = String(same[0]?.url);
      const span = (back: number): readonly Row[] =>
        same.filter((row) => {
          const age = daysBetween(String(row.date), last) - back;
          return age >= 0 && age < 28;
        });
      const known = (back: number): boolean => daysBetween(first, last) >= back + 27;
      const now = clicks(span(0));
      const [former, yearAgo] = [28, 364].map((back) => (known(back) ? clicks(span(back)) : null));
      const fell = (then: number | null | undefined): boolean =>
        then != null && then >= 10 && then - now >= 0.2 * then;
      if (!fell(former) && !fell(yearAgo)) return [];
      const change = (then: number | null | undefined): number | null =>
        then ? round((now - then) / then, 3) : null;
      const page = pages.get(url);
      return [
        {
          ...{ project_name: project.name, project_id: project.id, crawl_config_name: configOf(crawl) },
          ...{ crawl_id: crawl?.id ?? null, to_date: last, url },
          ...{ clicks: now, clicks_before: former, clicks_year_ago: yearAgo },
          ...{ clicks_change: change(former), clicks_change_in_a_year: change(yearAgo) },
          impressions: impressions(span(0)),
          impressions_before: known(28) ? impressions(span(28)) : null,
          ...{ position: round(position(span(0)), 1), position_before: round(position(span(28)), 1) },
          status_code: num(page, 'status_code'),
          is_indexable: page === undefined ? null : indexable(page),
          changes: changesOf(crawlsOf(data, project), url, last),
        },
      ];
    });
  });

/** What crawls of the last 56 days found changed on a page, as `day change`. */
function changesOf(crawls: readonly CrawlData[], url: string, last: string): string[] {
  const recent = crawls.filter((crawl) => {
    const age = daysBetween(dayOf(crawl.endedAt), last);
    return crawl.previous !== null && age >= 0 && age <= 55;
  });
  const found = recent.flatMap((crawl) => {
    const [was, is] = [pagesOf(crawl.previous ?? undefined).get(url), pagesOf(crawl).get(url)];
    const names =
      was === undefined || is === undefined
        ? [...(was ? ['removed'] : []), ...(is ? ['added'] : [])]
        : ['status_code', 'title', 'rel_canonical', 'h1'].filter(
            (name) => (was[name] ?? null) !== (is[name] ?? null),
          );
    return names.map((name) => `${dayOf(crawl.endedAt)} ${name}`);
  });
  return [...new Set(found)].toSorted(before);
}

export const q31: Answer = (data) =>
  data.projects.flatMap((project) => {
    const crawl = mainOf(data, project);
    const pages = pagesOf(crawl);
    const wanted = demands(data).get(project.id);
    const asked = recentDays(project).flatMap(({ url, day, bots }) =>
      bots.filter(({ botClass }) => botClass === 'ai').map((bot) => ({ url, day, ...bot })),
    );
    return [...groups(asked, ({ url, engine, crawler }) => [url, engine, crawler]).values()].map((same) => {
      const [first] = same;
      const page = pages.get(first?.url);
      const answered = same.filter(({ status }) => status !== null);
      const ok = answered.filter(({ status }) => status === 'ok');
      const days = same.map(({ day }) => day);
      return {
        ...{ project_name: project.name, project_id: project.id, crawl_config_name: configOf(crawl) },
        ...{ crawl_id: crawl?.id ?? null, url: first?.url, url_first_path: str(page, 'url_first_path') },
        ...{ engine: first?.engine, crawler: first?.crawler, purpose: first?.purpose ?? null },
        ...{ hits: same.length, days: new Set(days).size, first_day: earliest(days), last_day: latest(days) },
        ok_share: answered.length === 0 ? null : round(ok.length / answered.length, 3),
        status_code: num(page, 'status_code'),
        is_indexable: page === undefined ? null : indexable(page),
        clicks: wanted?.get(String(first?.url))?.clicks ?? null,
      };
    });
  });
