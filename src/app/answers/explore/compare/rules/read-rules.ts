import { z } from 'zod';
import { CrawlhouseError } from '../../../../../core/errors/errors.ts';
import { didYouMean } from '../../../../../core/text/nearest-name.ts';
import type { Typed } from '../../../../../core/text/typed-rows.ts';
import type { CatalogReader } from '../../../../../etl/state/catalog/catalog.ts';
import { type AskCrawls, asking } from '../../chosen-crawls.ts';
import { partWords, untoldParts } from '../comparable-columns.ts';
import { type ComparedCrawl, nameOfCrawl, whyNotCompared } from '../compared-crawls.ts';
import type { Comparison } from '../read-compare.ts';
import type { FailRule, PageRule } from './fail-rules.ts';

/** Maximum findings that a rule lists. `found` counts all. */
const MOST_LISTED = 1000;

const RuleFinding = z.strictObject({
  url: z.string(),
  /** The URL of the page in the first crawl; null if that crawl does not contain it. */
  url_before: z.string().nullable(),
  before: z.string().nullable(),
  after: z.string().nullable(),
  /** Clicks that belong to the first crawl; null if search results did not show the page. */
  clicks: z.number().nullable(),
});
export type RuleFinding = Typed<typeof RuleFinding>;

const RuleResult = z.strictObject({
  rule: z.string(),
  title: z.string(),
  status: z.enum(['passed', 'broken', 'unknown']),
  counts: z.enum(['pages', 'clicks']),
  most: z.number(),
  /** Pages or clicks; null if the rule cannot be checked. */
  found: z.number().nullable(),
  why: z.string().nullable(),
  /** The pages with the most clicks first, at most 1,000. */
  findings: z.array(RuleFinding),
});
export type RuleResult = Typed<typeof RuleResult>;

export const RulesAnswer = z.strictObject({
  /** How pages of the two crawls are matched: by URL, or by path if the hosts differ. */
  matched_by: z.enum(['url', 'path']),
  /** Scheme and host of the start page after its redirects. With `path`, only their pages are compared. */
  from_origin: z.string(),
  to_origin: z.string(),
  /** Pages that both crawls read. */
  matched: z.number(),
  /** Pages that only the other crawl read. */
  not_read_before: z.number(),
  not_read_after: z.number(),
  broken: z.number(),
  rules: z.array(RuleResult),
});
export type RulesAnswer = Typed<typeof RulesAnswer>;

const restSql = (url: string): string => `regexp_replace(${url}, '^[^:]*://[^/?]*', '')`;
const originSql = (url: string): string =>
  `lower(substr(${url}, 1, length(${url}) - length(${restSql(url)})))`;
const Origin = z.strictObject({ origin: z.string(), is_start: z.boolean(), pages: z.number() });
/** The origins of the start page and of its redirect first, then those with the most pages that do not redirect. */
const ORIGINS = `
  WITH page AS (
    SELECT
      ${originSql('pages.url')} AS origin,
      coalesce(pages.observation, 'read') IN ('read', 'gone')
        AND coalesce(pages.status_code, 200) NOT BETWEEN 300 AND 399 AS is_page,
      pages.depth = 0 OR regexp_replace(pages.url, '/$', '') = regexp_replace(projects.start_url, '/$', '') AS is_start,
      coalesce(pages.final_redirect_location, pages.redirect_location) AS target
    FROM mart.pages AS pages
    LEFT JOIN mart.projects AS projects ON projects.project_id = pages.project_id
    WHERE pages.crawl_id = $crawl
  ),
  starts AS (
    SELECT origin FROM page WHERE is_start
    UNION
    SELECT ${originSql('target')} AS origin FROM page WHERE is_start
  )
  SELECT page.origin, count(starts.origin) > 0 AS is_start, count(CASE WHEN is_page THEN 1 END) AS pages
  FROM page
  LEFT JOIN starts ON starts.origin = page.origin
  GROUP BY page.origin
  ORDER BY
    CASE WHEN count(starts.origin) > 0 AND count(CASE WHEN is_page THEN 1 END) > 0 THEN 0 ELSE 1 END,
    count(CASE WHEN is_page THEN 1 END) DESC, count(starts.origin) DESC, page.origin
  LIMIT 2`;

const Counts = z.strictObject({
  matched: z.number(),
  not_read_before: z.number(),
  not_read_after: z.number(),
});
const Found = RuleFinding.extend({ all_pages: z.number(), all_clicks: z.number().nullable() });

/**
 * Checks the rules on the pages that both crawls contain.
 *
 * @throws CrawlhouseError `usage` for an unknown issue, if the host to compare is unclear, and if the crawls read no
 *   page in common
 */
export async function readRules(
  warehouse: CatalogReader,
  { from, to }: Pick<Comparison, 'from' | 'to'>,
  rules: readonly FailRule[],
  signal: AbortSignal,
): Promise<RulesAnswer> {
  const asked = asking(warehouse, signal);
  const [former, later] = [await originsOf(asked, from), await originsOf(asked, to)];
  const [from_origin, to_origin] = [former.origin, later.origin];
  const isByUrl = from_origin === to_origin;
  const unclear = isByUrl ? null : (former.unclear ?? later.unclear);
  if (unclear !== null)
    throw new CrawlhouseError('usage', unclear, {
      hint: 'compare crawls that begin with the start page of the website',
    });
  const values = { from: from.crawl_id, to: to.crawl_id, ...(isByUrl ? {} : { from_origin, to_origin }) };
  const sides = `${sideSql('former', '$from', isByUrl ? null : '$from_origin')}, ${sideSql('later', '$to', isByUrl ? null : '$to_origin')}`;
  const [counts] = await asked(Counts, `WITH ${sides} ${COUNTED}`, values);
  if (counts === undefined || counts.matched === 0)
    throw new CrawlhouseError('usage', 'the two crawls read no page in common, so no rule can be checked', {
      hint: `compare crawls of the same pages; ${nameOfCrawl(from)} read ${from_origin}, ${nameOfCrawl(to)} read ${to_origin}`,
    });
  const results: RuleResult[] = [];
  for (const rule of rules) {
    const checked = { name: rule.name, title: titleOf(rule), counts: rule.counts, most: rule.most };
    const why = await whyUnknown(asked, rule, { from, to });
    const { name, ...own } = checked;
    if (why !== null) results.push({ rule: name, ...own, status: 'unknown', found: null, why, findings: [] });
    else {
      const needed = 'issue' in rule ? { ...values, issue: rule.issue } : values;
      const rows = await asked(
        Found,
        `WITH ${sides} ${'issue' in rule ? NEW_ISSUE : foundSql(rule.page)}`,
        needed,
      );
      const [first] = rows;
      const found = (rule.counts === 'clicks' ? first?.all_clicks : first?.all_pages) ?? 0;
      const findings = rows.map(({ all_pages: _, all_clicks: __, ...finding }) => finding);
      const status = found > rule.most ? 'broken' : 'passed';
      results.push({ rule: name, ...own, status, found, why: null, findings });
    }
  }
  const broken = results.filter(({ status }) => status === 'broken').length;
  const matched_by = isByUrl ? 'url' : 'path';
  return { matched_by, from_origin, to_origin, ...counts, broken, rules: results };
}

/** Returns the origin to compare, and why it is unclear; null if it is clear. */
async function originsOf(
  ask: AskCrawls,
  crawl: ComparedCrawl,
): Promise<{ origin: string; unclear: string | null }> {
  const [first, second] = await ask(Origin, ORIGINS, { crawl: crawl.crawl_id });
  const origin = first?.origin ?? '';
  if (second === undefined || first?.pages !== second.pages || first.is_start !== second.is_start)
    return { origin, unclear: null };
  return { origin, unclear: `${nameOfCrawl(crawl)} read as many pages of ${origin} as of ${second.origin}` };
}

const titleOf = (rule: FailRule): string =>
  'issue' in rule ? `The page now has the issue ${rule.issue}` : rule.page.title;

/** Returns the pages of a crawl with the value by which they are matched. */
function sideSql(name: string, crawl: string, origin: string | null): string {
  const rest = restSql('pages.url');
  const path = `CASE WHEN starts_with(${rest}, '/') THEN ${rest} ELSE '/' || ${rest} END`;
  return `${name} AS (
    SELECT
      pages.url, ${origin === null ? 'pages.url' : path} AS place,
      coalesce(pages.observation, 'read') IN ('read', 'gone') AS is_read, pages.observation,
      pages.observation_reason, pages.status_code, pages.is_noindex, pages.canonical_kind, pages.canonical_url,
      pages.is_robots_denied, pages.redirect_location, pages.title, pages.is_indexable, pages.non_indexable_reason
    FROM mart.pages AS pages
    WHERE pages.crawl_id = ${crawl} ${origin === null ? '' : `AND ${originSql('pages.url')} = ${origin}`}
  )`;
}

const COUNTED = `
  SELECT
    count(CASE WHEN former.is_read AND later.is_read THEN 1 END) AS matched,
    count(CASE WHEN later.is_read AND NOT coalesce(former.is_read, false) THEN 1 END) AS not_read_before,
    count(CASE WHEN former.is_read AND NOT coalesce(later.is_read, false) THEN 1 END) AS not_read_after
  FROM former
  FULL JOIN later ON later.place = former.place`;

const LISTED = `
    demand.clicks AS clicks, count(*) OVER () AS all_pages, CAST(sum(demand.clicks) OVER () AS BIGINT) AS all_clicks`;
const DEMAND = `
  LEFT JOIN mart.page_demand AS demand ON demand.crawl_id = $from AND demand.url = former.url`;
const FIRST = `
  ORDER BY coalesce(demand.clicks, 0) DESC, later.url
  LIMIT ${MOST_LISTED}`;

const foundSql = ({ before, after, broken, added }: PageRule): string => `
  SELECT
    later.url, former.url AS url_before, ${before} AS "before", ${after} AS "after", ${LISTED}
  FROM later
  JOIN mart.crawls AS earlier ON earlier.crawl_id = $from
  LEFT JOIN former ON former.place = later.place ${DEMAND}
  WHERE former.url IS NOT NULL AND (${broken})
    ${added === undefined ? '' : `OR former.url IS NULL AND earlier.has_all_links AND ${added}`} ${FIRST}`;

const NEW_ISSUE = `
  SELECT later.url, former.url AS url_before, CAST(NULL AS VARCHAR) AS "before", issues.why AS "after", ${LISTED}
  FROM later
  JOIN former ON former.place = later.place AND former.is_read
  JOIN mart.page_issues AS issues
    ON issues.crawl_id = $to AND issues.issue = $issue AND issues.url = later.url
  LEFT JOIN mart.page_issues AS own
    ON own.crawl_id = $from AND own.issue = $issue AND own.url = former.url ${DEMAND}
  WHERE own.url IS NULL ${FIRST}`;

const Days = z.strictObject({ days: z.number() });
const KnownIssue = z.strictObject({ issue: z.string() });
const Enabled = z.strictObject({ project_id: z.string() });
const ENABLED = 'SELECT enabled.project_id FROM mart.project_issues AS enabled WHERE enabled.issue = $issue';

/** Returns why a rule cannot be checked; null if it can. */
async function whyUnknown(
  ask: AskCrawls,
  rule: FailRule,
  { from, to }: Pick<Comparison, 'from' | 'to'>,
): Promise<string | null> {
  if ('issue' in rule) {
    const known = (await ask(KnownIssue, 'SELECT issue FROM mart.issues')).map(({ issue }) => issue);
    if (!known.includes(rule.issue))
      throw new CrawlhouseError('usage', `--fail-on: there is no issue ${rule.issue}`, {
        hint: `${didYouMean(rule.issue, known)}crawlhouse issues lists them`,
      });
    const enabled = (await ask(Enabled, ENABLED, { issue: rule.issue })).map(({ project_id }) => project_id);
    const without = [from, to].find(({ project_id }) => !enabled.includes(project_id));
    if (without !== undefined) return `the issue is disabled for ${without.project}`;
    const given = { from: from.crawl_id, to: to.crawl_id, issue: rule.issue };
    return whyNotCompared((schema, sql) => ask(schema, sql, given), from, to);
  }
  const untold = await untoldParts(ask, [from.crawl_id, to.crawl_id], rule.page.columns);
  for (const [column, { crawl_id, part }] of untold) {
    const crawl = crawl_id === from.crawl_id ? from : to;
    return `the export of ${nameOfCrawl(crawl)} lacks ${partWords(column, part)}`;
  }
  if (rule.page.needsClicks !== true) return null;
  const [row] = await ask(
    Days,
    "SELECT count(*) AS days FROM mart.crawl_days WHERE crawl_id = $from AND kind = 'search'",
    { from: from.crawl_id },
  );
  return (row?.days ?? 0) > 0 ? null : `${nameOfCrawl(from)} has no search data`;
}
