import { z } from 'zod';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { SeverityName } from '../../../../etl/project/settings/issue-settings.ts';
import { whyNone, whyNothingOn } from './unread-words.ts';
import { FirstRows } from './url-links.ts';
import type { FoundOrWhy, UrlPlace } from './url-place.ts';

/** A row of `mart.pages`. */
export const UrlPage = z.looseObject({
  status_code: z.number().nullable(),
  is_indexable: z.boolean().nullable(),
  non_indexable_reason: z.string().nullable(),
  /** What the crawl saw of the page, and why it did not read it (docs/definitions.md, observation). */
  observation: z.string().nullable(),
  observation_reason: z.string().nullable(),
  depth: z.number().nullable(),
  title: z.string().nullable(),
  h1: z.string().nullable(),
  title_width: z.number().nullable(),
  meta_description: z.string().nullable(),
  description_width: z.number().nullable(),
  canonical_url: z.string().nullable(),
  canonical_kind: z.string().nullable(),
  nb_inlinks: z.number().nullable(),
  clusters: z.array(z.string()).nullable(),
  hreflang_hrefs: z.array(z.string()).nullable(),
  hreflang_langs: z.array(z.string()).nullable(),
});
export type UrlPage = Typed<typeof UrlPage>;

/** Where a redirecting URL leads, hop by hop (mart.redirect_map). */
export const UrlRedirects = z.strictObject({
  hops: z.array(z.strictObject({ url: z.string(), status_code: z.number(), target: z.string() })),
  final_url: z.string(),
  final_status_code: z.number().nullable(),
  /** Whether the chain returns to one of its own URLs. */
  is_loop: z.boolean(),
  /** Whether the chain continues after its 16th hop. */
  is_cut: z.boolean(),
});
export type UrlRedirects = Typed<typeof UrlRedirects>;

/** Another URL, as the same crawl found it; all null if the crawl does not have that page. */
export const OtherUrl = z.strictObject({
  url: z.string(),
  is_in_crawl: z.boolean(),
  status_code: z.number().nullable(),
  is_indexable: z.boolean().nullable(),
});
export type OtherUrl = Typed<typeof OtherUrl>;

export const UrlHreflang = z.strictObject({
  ...OtherUrl.shape,
  lang: z.string().nullable(),
  /** Whether that page declares this URL in return; null if the crawl does not have it. */
  returns: z.boolean().nullable(),
});
export type UrlHreflang = Typed<typeof UrlHreflang>;

const SimilarPage = z.strictObject({
  url: z.string(),
  title: z.string().nullable(),
  status_code: z.number().nullable(),
  is_indexable: z.boolean().nullable(),
  canonical_url: z.string().nullable(),
});
export const SimilarPages = FirstRows(SimilarPage);

/** An item of structured data on the page. */
export const UrlItem = z.strictObject({
  format: z.string().nullable(),
  type: z.string().nullable(),
  valid: z.boolean().nullable(),
  missing_properties: z.array(z.string()).nullable(),
  item: z.unknown(),
});
export type UrlItem = Typed<typeof UrlItem>;

export const UrlIssue = z.strictObject({
  issue: z.string(),
  title: z.string(),
  severity: SeverityName,
  category: z.string(),
  why: z.string().nullable(),
  /** The other URL of a relation, such as the canonical; null for an issue of a single page, and if unknown. */
  related_url: z.string().nullable(),
  why_it_matters: z.string(),
  fix: z.string(),
  /** Web page that documents the issue. */
  source: z.string(),
});
export type UrlIssue = Typed<typeof UrlIssue>;

export async function readPage({ rows }: UrlPlace): Promise<FoundOrWhy<UrlPage | null>> {
  const [page] = await rows(
    UrlPage,
    'SELECT * FROM mart.pages AS pages WHERE pages.crawl_id = $crawl AND pages.url = $url LIMIT 1',
  );
  return page === undefined
    ? { found: null, why: 'the crawl does not contain this page' }
    : { found: page, why: null };
}

/** Returns, for each text that the page lacks, why it is unknown: the data of the crawl has no such field. */
export async function readUnknownTexts(
  place: UrlPlace,
  page: UrlPage | null,
): Promise<readonly (readonly [name: string, why: string])[]> {
  const unknown: (readonly [string, string])[] = [];
  for (const [name, what] of [
    ['title', 'titles'],
    ['meta_description', 'descriptions'],
  ] as const) {
    if (page === null || page[name] !== null) continue;
    const why = await whyNone(place, { none: '', what, columns: [name] });
    if (why !== '') unknown.push([name, why]);
  }
  return unknown;
}

const REDIRECTS = `
  SELECT hop_url, hop_status_code, hop_target, final_url, final_status_code, is_loop, is_cut
  FROM mart.redirect_map AS hops
  WHERE hops.crawl_id = $crawl AND hops.url = $url
  ORDER BY hops.hop`;

const Hop = UrlRedirects.omit({ hops: true }).extend({
  hop_url: z.string(),
  hop_status_code: z.number(),
  hop_target: z.string(),
});

export async function readRedirects({ rows }: UrlPlace): Promise<FoundOrWhy<UrlRedirects | null>> {
  const hops = await rows(Hop, REDIRECTS);
  const [first] = hops;
  if (first === undefined) return { found: null, why: 'the crawl found no redirect of this page' };
  const { final_url, final_status_code, is_loop, is_cut } = first;
  const found = {
    hops: hops.map(({ hop_url, hop_status_code, hop_target }) => ({
      url: hop_url,
      status_code: hop_status_code,
      target: hop_target,
    })),
    final_url,
    final_status_code,
    is_loop,
    is_cut,
  };
  return { found, why: null };
}

/** Reads the page that it declares as its canonical, or itself. */
export async function readCanonical(
  { rows }: UrlPlace,
  page: UrlPage | null,
): Promise<FoundOrWhy<OtherUrl | null>> {
  if (page?.canonical_url == null) return { found: null, why: 'the crawl found no canonical of this page' };
  const [target] = await rows(
    OtherUrl.pick({ status_code: true, is_indexable: true }),
    `SELECT pages.status_code, pages.is_indexable FROM mart.pages AS pages
     WHERE pages.crawl_id = $crawl AND pages.url = $canonical LIMIT 1`,
    { canonical: page.canonical_url },
  );
  const { status_code = null, is_indexable = null } = target ?? {};
  const found = { url: page.canonical_url, is_in_crawl: target !== undefined, status_code, is_indexable };
  return { found, why: null };
}

const HREFLANGS = {
  none: 'the crawl found no hreflang of this page',
  what: 'hreflang fields',
  columns: ['hreflang_hrefs', 'hreflang_cluster_id'],
};

/** A page may declare more language versions than people read. */
const MOST_HREFLANGS = 100;

/** Returns a list of separately bound values, so that an engine looks up only these URLs. */
function listed(urls: readonly string[]): { readonly sql: string; readonly values: Record<string, string> } {
  const values = Object.fromEntries(urls.map((url, index) => [`url_${index}`, url]));
  const sql = Object.keys(values)
    .map((name) => `$${name}`)
    .join(', ');
  return { sql, values };
}

/**
 * Reads the language versions that the page declares. As in mart.page_hreflangs, languages are known only if each link
 * has one.
 */
export async function readHreflangs(
  place: UrlPlace,
  page: UrlPage | null,
): Promise<FoundOrWhy<readonly UrlHreflang[]>> {
  const { url, rows } = place;
  const [hrefs, langs] = [page?.hreflang_hrefs ?? [], page?.hreflang_langs ?? []];
  const declared = hrefs.map((href, index) => {
    return { url: href, lang: langs.length === hrefs.length ? (langs[index] ?? null) : null };
  });
  const first = declared.filter((one) => one.url !== null).slice(0, MOST_HREFLANGS);
  if (first.length === 0) return { found: [], why: await whyNothingOn(place, page, HREFLANGS) };
  const { sql, values } = listed([...new Set(first.map((one) => one.url))]);
  const others = await rows(
    OtherUrl.omit({ is_in_crawl: true }).extend({
      hreflang_hrefs: z.array(z.string()).nullable(),
      is_read: z.boolean(),
    }),
    `SELECT pages.url, pages.status_code, pages.is_indexable, pages.hreflang_hrefs,
       coalesce(pages.observation, 'read') = 'read' AS is_read
     FROM mart.pages AS pages
     WHERE pages.crawl_id = $crawl AND pages.url IN (${sql})`,
    values,
  );
  const byUrl = new Map(others.map((other) => [other.url, other]));
  const found = first.map((one) => {
    const other = byUrl.get(one.url);
    const { status_code = null, is_indexable = null } = other ?? {};
    // A version that the crawl did not read may link back.
    const returns = other?.hreflang_hrefs?.includes(url) ?? (other?.is_read ? false : null);
    return { ...one, is_in_crawl: other !== undefined, status_code, is_indexable, returns };
  });
  return { found, why: null };
}

const CLUSTERS = {
  none: 'the crawl found no similar page',
  what: 'clusters of similar pages',
  columns: ['clusters'],
};
const SIMILAR = `
  WITH own AS (
    SELECT DISTINCT lists.item
    FROM mart.page_lists AS lists
    WHERE lists.crawl_id = $crawl AND lists.url = $url AND lists.field = 'clusters'
  ),

  member AS (
    SELECT DISTINCT lists.url
    FROM mart.page_lists AS lists
    JOIN own ON own.item = lists.item
    WHERE lists.crawl_id = $crawl AND lists.field = 'clusters' AND lists.url <> $url
  )`;

export async function readSimilar(
  place: UrlPlace,
  page: UrlPage | null,
): Promise<FoundOrWhy<Typed<typeof SimilarPages>>> {
  const { limit, rows } = place;
  const total = page?.clusters == null ? null : 0;
  if (!page?.clusters?.length)
    return { found: { total, rows: [] }, why: await whyNothingOn(place, page, CLUSTERS) };
  const [counted] = await rows(
    z.strictObject({ total: z.number() }),
    `${SIMILAR} SELECT count(*) AS total FROM member`,
  );
  if (!counted?.total) return { found: { total, rows: [] }, why: CLUSTERS.none };
  const first = await rows(
    SimilarPage,
    `
    ${SIMILAR}
    SELECT pages.url, pages.title, pages.status_code, pages.is_indexable, pages.canonical_url
    FROM member
    JOIN mart.pages AS pages ON pages.crawl_id = $crawl AND pages.url = member.url
    ORDER BY pages.url
    LIMIT ${limit}`,
  );
  return { found: { total: counted.total, rows: first }, why: null };
}

const ITEMS = 100;

const STRUCTURED = {
  none: 'the crawl found no structured data on this page',
  what: 'structured data',
  columns: [],
  table: 'mart.structured_data',
} as const;

export async function readItems(
  place: UrlPlace,
  page: UrlPage | null,
): Promise<FoundOrWhy<readonly UrlItem[]>> {
  const { crawl, rows } = place;
  if (!crawl.has_structured_data) return { found: [], why: 'the structured data of the crawl is not loaded' };
  const found = await rows(
    UrlItem,
    `SELECT items.format, items.type, items.valid, items.missing_properties, items.item
     FROM mart.structured_data AS items
     WHERE items.crawl_id = $crawl AND items.url = $url
     ORDER BY items.position NULLS LAST, items.format, items.type
     LIMIT ${ITEMS}`,
  );
  if (found.length > 0) return { found, why: null };
  const types = page?.semantic_item_count === 0 ? [] : page?.semantic_types;
  if (!Array.isArray(types)) return { found, why: await whyNothingOn(place, page, STRUCTURED) };
  return { found, why: types.length === 0 ? STRUCTURED.none : `only types were found: ${types.join(', ')}` };
}

const ISSUES = `
  SELECT
    issues.issue, issues.title, issues.severity, issues.category, found.why, found.related_url, issues.why_it_matters, issues.fix,
    issues.source
  FROM mart.page_issues AS found
  JOIN mart.project_issues AS issues ON issues.project_id = found.project_id AND issues.issue = found.issue
  WHERE found.crawl_id = $crawl AND found.url = $url
  ORDER BY issues.weight DESC, issues.issue`;

export async function readPageIssues(
  { rows }: UrlPlace,
  page: UrlPage | null,
): Promise<FoundOrWhy<readonly UrlIssue[]>> {
  const found = await rows(UrlIssue, ISSUES);
  if (found.length > 0) return { found, why: null };
  return {
    found,
    why: page === null ? 'the crawl does not contain this page' : 'the crawl found no issue on this page',
  };
}
