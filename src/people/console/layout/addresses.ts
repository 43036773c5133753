import { countText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';

/** The address of the page of a unit: its name has slashes. */
export function unitPath(unit: string): string {
  return `/units/${unit.split('/').map(encodeURIComponent).join('/')}`;
}

export function unitLink(unit: string): Html {
  return html`<a href="${unitPath(unit)}">${unit}</a>`;
}

export function projectPath(project: string): string {
  return `/projects/${encodeURIComponent(project)}`;
}

/** A link to a project by its name, or its id where it has none. */
export function projectLink(project: string, name: string | null): Html {
  return html`<a href="${projectPath(project)}">${name ?? project}</a>`;
}

export interface LinkedCrawl {
  readonly crawl_id: string;
  readonly crawl_number?: number | bigint | null;
  /** ISO 8601, UTC. */
  readonly ended_at: string | null;
}

/** What people call a crawl, `Crawl 13 · 2026-11-22`; by its identifier only where its end is not known. */
export function crawlName({ crawl_id, crawl_number, ended_at }: LinkedCrawl): string {
  if (ended_at === null) return `Crawl ${crawl_id}`;
  const day = ended_at.slice(0, 10);
  return crawl_number == null ? `Crawl of ${day}` : `Crawl ${countText(crawl_number)} · ${day}`;
}

export function crawlPath(crawl: string): string {
  return `/crawls/${encodeURIComponent(crawl)}`;
}

export function crawlLink(crawl: LinkedCrawl): Html {
  return html`<a href="${crawlPath(crawl.crawl_id)}" title="${crawl.crawl_id}">${crawlName(crawl)}</a>`;
}

/** The page of all that is known of a URL; of the crawl where one is given. */
export function urlPath(project: string, url: string, crawl?: string): string {
  const query = new URLSearchParams({ url, ...(crawl !== undefined && { crawl }) });
  return `${projectPath(project)}/url?${String(query)}`;
}

export function urlLink(project: string, url: string): Html {
  return html`<a href="${urlPath(project, url)}">${url}</a>`;
}

/** A link to the web: whatever a website says, it leads to a web page, never to a script. */
export function webLink(url: string): Html {
  return /^https?:\/\//i.test(url)
    ? html`<a href="${url}" rel="noreferrer noopener">${url}</a>`
    : html`${url}`;
}

export function runLink(run: string): Html {
  return html`<a href="/runs/${encodeURIComponent(run)}">${run.slice(0, 8)}</a>`;
}

/** An address with some parameters changed; null takes one out. */
export function withQuery(
  path: string,
  query: URLSearchParams,
  changed: Record<string, string | null>,
): string {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changed)) {
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
  }
  return next.size === 0 ? path : `${path}?${next}`;
}
