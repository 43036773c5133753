import { type Html, html } from '../../../core/html.ts';

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

export function crawlLink(crawl: string, text = crawl): Html {
  return html`<a href="/crawls/${encodeURIComponent(crawl)}">${text}</a>`;
}

/** A link to all that is known of a URL; of the crawl where one is given. */
export function urlLink(project: string, url: string, crawl?: string): Html {
  const query = new URLSearchParams({ url, ...(crawl !== undefined && { crawl }) });
  return html`<a href="${projectPath(project)}/url?${String(query)}">${url}</a>`;
}

export function runLink(run: string): Html {
  return html`<a href="/runs/${encodeURIComponent(run)}">${run.slice(0, 8)}</a>`;
}

/** The same page with some parameters changed; null takes one out. */
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
