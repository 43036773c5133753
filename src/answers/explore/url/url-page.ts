import type { Severity } from '../../../project/settings/issue-settings.ts';
import type { FirstRows } from './url-links.ts';
import type { FoundOrWhy, UrlPlace } from './url-place.ts';

/** A row of `mart.pages`, by its columns. */
export type UrlPage = Readonly<Record<string, unknown>> & {
  readonly status_code: number | null;
  readonly is_indexable: boolean | null;
  readonly non_indexable_reason: string | null;
  /** What the crawl saw of the page, and why it did not read it (docs/definitions.md, observation). */
  readonly observation: string | null;
  readonly observation_reason: string | null;
  readonly depth: number | null;
  readonly title: string | null;
  readonly h1: string | null;
  readonly title_width: number | null;
  readonly meta_description: string | null;
  readonly description_width: number | null;
  readonly canonical_url: string | null;
  readonly canonical_kind: string | null;
  readonly nb_inlinks: number | null;
  readonly clusters: readonly string[] | null;
  readonly hreflang_hrefs: readonly string[] | null;
  readonly hreflang_langs: readonly string[] | null;
};

/** Where a redirecting URL leads, hop by hop (mart.redirect_map). */
export interface UrlRedirects {
  readonly hops: readonly { readonly url: string; readonly status_code: number; readonly target: string }[];
  readonly final_url: string;
  readonly final_status_code: number | null;
  /** Whether the chain comes back to one of its own URLs. */
  readonly is_loop: boolean;
  /** Whether the chain goes on after its sixteenth hop. */
  readonly is_cut: boolean;
}

/** Another URL, as the same crawl found it; all null where it does not have that page. */
export interface OtherUrl {
  readonly url: string;
  readonly is_in_crawl: boolean;
  readonly status_code: number | null;
  readonly is_indexable: boolean | null;
}

/** A language version that the page declares. */
export interface UrlHreflang extends OtherUrl {
  readonly lang: string | null;
  /** Whether that page declares this URL in return; null where the crawl does not have it. */
  readonly returns: boolean | null;
}

/** A page of the same cluster of similar pages. */
export interface SimilarPage {
  readonly url: string;
  readonly title: string | null;
  readonly status_code: number | null;
  readonly is_indexable: boolean | null;
  readonly canonical_url: string | null;
}

/** An item of structured data on the page. */
export interface UrlItem {
  readonly format: string | null;
  readonly type: string | null;
  readonly valid: boolean | null;
  readonly missing_properties: readonly string[] | null;
  readonly item: unknown;
}

export interface UrlIssue {
  readonly issue: string;
  readonly title: string;
  readonly severity: Severity;
  readonly category: string;
  readonly why: string | null;
  /** The other URL of a relation, as the canonical; null for an issue of one page, and where it is unknown. */
  readonly related_url: string | null;
  readonly why_it_matters: string;
  readonly fix: string;
  /** Page on the web that names it. */
  readonly source: string;
}

export async function readPage({ rows }: UrlPlace): Promise<FoundOrWhy<UrlPage | null>> {
  const [page] = await rows<UrlPage>(
    'SELECT * FROM mart.pages AS pages WHERE pages.crawl_id = $crawl AND pages.url = $url LIMIT 1',
  );
  return page === undefined
    ? { found: null, why: 'the crawl does not have the page' }
    : { found: page, why: null };
}

const REDIRECTS = `
  SELECT hop_url, hop_status_code, hop_target, final_url, final_status_code, is_loop, is_cut
  FROM mart.redirect_map AS hops
  WHERE hops.crawl_id = $crawl AND hops.url = $url
  ORDER BY hops.hop`;

interface Hop extends Omit<UrlRedirects, 'hops'> {
  readonly hop_url: string;
  readonly hop_status_code: number;
  readonly hop_target: string;
}

export async function readRedirects({ rows }: UrlPlace): Promise<FoundOrWhy<UrlRedirects | null>> {
  const hops = await rows<Hop>(REDIRECTS);
  const [first] = hops;
  if (first === undefined) return { found: null, why: 'the crawl has no redirect of it' };
  const { final_url, final_status_code, is_loop, is_cut } = first;
  const found = {
    hops: hops.map(({ hop_url, hop_status_code, hop_target }) => ({
      url: hop_url,
      status_code: hop_status_code,
      target: hop_target,
    })),
    ...{ final_url, final_status_code, is_loop, is_cut },
  };
  return { found, why: null };
}

/** The page that it declares as its canonical, or itself. */
export async function readCanonical(
  { rows }: UrlPlace,
  page: UrlPage | null,
): Promise<FoundOrWhy<OtherUrl | null>> {
  if (page?.canonical_url == null) return { found: null, why: 'no canonical of it is known' };
  const [target] = await rows<Omit<OtherUrl, 'url' | 'is_in_crawl'>>(
    `SELECT pages.status_code, pages.is_indexable FROM mart.pages AS pages
     WHERE pages.crawl_id = $crawl AND pages.url = $canonical LIMIT 1`,
    { canonical: page.canonical_url },
  );
  const { status_code = null, is_indexable = null } = target ?? {};
  const found = { url: page.canonical_url, is_in_crawl: target !== undefined, status_code, is_indexable };
  return { found, why: null };
}

/** A page may declare more than a reader takes. */
const MOST_HREFLANGS = 100;

/** A list that is bound value by value: an engine then looks for these URLs alone. */
function listed(urls: readonly string[]): { readonly sql: string; readonly values: Record<string, string> } {
  const values = Object.fromEntries(urls.map((url, index) => [`url_${index}`, url]));
  const sql = Object.keys(values)
    .map((name) => `$${name}`)
    .join(', ');
  return { sql, values };
}

/** The language versions that the page declares; as in mart.page_hreflangs, a language is known where each has one. */
export async function readHreflangs(
  { url, rows }: UrlPlace,
  page: UrlPage | null,
): Promise<FoundOrWhy<readonly UrlHreflang[]>> {
  const [hrefs, langs] = [page?.hreflang_hrefs ?? [], page?.hreflang_langs ?? []];
  const declared = hrefs.map((href, index) => {
    return { url: href, lang: langs.length === hrefs.length ? (langs[index] ?? null) : null };
  });
  const first = declared.filter((one) => one.url !== null).slice(0, MOST_HREFLANGS);
  if (first.length === 0) return { found: [], why: 'no hreflang of it is known' };
  const { sql, values } = listed([...new Set(first.map((one) => one.url))]);
  const others = await rows<Omit<OtherUrl, 'is_in_crawl'> & { hreflang_hrefs: readonly string[] | null }>(
    `SELECT pages.url, pages.status_code, pages.is_indexable, pages.hreflang_hrefs
     FROM mart.pages AS pages
     WHERE pages.crawl_id = $crawl AND pages.url IN (${sql})`,
    values,
  );
  const byUrl = new Map(others.map((other) => [other.url, other]));
  const found = first.map((one) => {
    const other = byUrl.get(one.url);
    const { status_code = null, is_indexable = null } = other ?? {};
    const returns = other === undefined ? null : (other.hreflang_hrefs?.includes(url) ?? false);
    return { ...one, is_in_crawl: other !== undefined, status_code, is_indexable, returns };
  });
  return { found, why: null };
}

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

/** The other pages of its clusters of similar pages. */
export async function readSimilar(
  { limit, rows }: UrlPlace,
  page: UrlPage | null,
): Promise<FoundOrWhy<FirstRows<SimilarPage>>> {
  const total = page?.clusters == null ? null : 0;
  const none = { found: { total, rows: [] }, why: 'no page like it is known' };
  if (!page?.clusters?.length) return none;
  const [counted] = await rows<{ total: number }>(`${SIMILAR} SELECT count(*) AS total FROM member`);
  if (!counted?.total) return none;
  const first = await rows<SimilarPage>(`
    ${SIMILAR}
    SELECT pages.url, pages.title, pages.status_code, pages.is_indexable, pages.canonical_url
    FROM member
    JOIN mart.pages AS pages ON pages.crawl_id = $crawl AND pages.url = member.url
    ORDER BY pages.url
    LIMIT ${limit}`);
  return { found: { total: counted.total, rows: first }, why: null };
}

const ITEMS = 100;

export async function readItems({ crawl, rows }: UrlPlace): Promise<FoundOrWhy<readonly UrlItem[]>> {
  if (!crawl.has_structured_data)
    return { found: [], why: 'the structured data of the crawl are not loaded' };
  const found = await rows<UrlItem>(
    `SELECT items.format, items.type, items.valid, items.missing_properties, items.item
     FROM mart.structured_data AS items
     WHERE items.crawl_id = $crawl AND items.url = $url
     ORDER BY items.position NULLS LAST, items.format, items.type
     LIMIT ${ITEMS}`,
  );
  return { found, why: found.length > 0 ? null : 'the crawl found none on it' };
}

const ISSUES = `
  SELECT
    issues.issue, issues.title, issues.severity, issues.category, found.why, found.related_url, issues.why_it_matters, issues.fix,
    issues.source
  FROM mart.page_issues AS found
  JOIN mart.project_issues AS issues ON issues.project_id = found.project_id AND issues.issue = found.issue
  WHERE found.crawl_id = $crawl AND found.url = $url
  ORDER BY issues.weight DESC, issues.issue`;

/** The issues of the page, the severest first. */
export async function readPageIssues(
  { rows }: UrlPlace,
  page: UrlPage | null,
): Promise<FoundOrWhy<readonly UrlIssue[]>> {
  const found = await rows<UrlIssue>(ISSUES);
  if (found.length > 0) return { found, why: null };
  return {
    found,
    why: page === null ? 'the crawl does not have the page' : 'it has no issue that the crawl shows',
  };
}
