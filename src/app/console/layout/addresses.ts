import { type Html, html } from '../../../core/text/html.ts';
import { pagesAddress } from '../../answers/explore/pages/page-filter.ts';
import type { Block, Link, LinkedCrawl } from '../../answers/presentation/blocks.ts';
import { printHtml } from '../../answers/presentation/print-html.ts';
import { crawlName } from '../../answers/presentation/value-text.ts';

/** Draws blocks whose links lead to pages of the console. */
export function drawBlocks(blocks: readonly Block[]): Html {
  return printHtml(blocks, addressOf);
}

export function addressOf(link: Link): string {
  switch (link.to) {
    case 'unit':
      return unitPath(link.unit);
    case 'run':
      return `/runs/${encodeURIComponent(link.run_id)}`;
    case 'project':
      return projectPath(link.project_id);
    case 'url':
      return urlPath(link.project_id, link.url, link.crawl_id);
    case 'web':
      return link.address;
    case 'pages':
      return pagesAddress(link.project_id, link.parts);
    case 'crawl':
      return crawlPath(link.crawl_id);
  }
}

/** Returns the address of a unit's page. The unit's name contains slashes. */
export function unitPath(unit: string): string {
  return `/units/${unit.split('/').map(encodeURIComponent).join('/')}`;
}

export function unitLink(unit: string): Html {
  return html`<a href="${unitPath(unit)}">${unit}</a>`;
}

export function projectPath(project: string): string {
  return `/projects/${encodeURIComponent(project)}`;
}

export function ticketsPath(project: string): string {
  return `${projectPath(project)}/tickets`;
}

export function projectLink(project: string, name: string | null): Html {
  return html`<a href="${projectPath(project)}">${name ?? project}</a>`;
}

export function crawlPath(crawl: string): string {
  return `/crawls/${encodeURIComponent(crawl)}`;
}

export function crawlLink(crawl: LinkedCrawl): Html {
  return html`<a href="${crawlPath(crawl.crawl_id)}" title="${crawl.crawl_id}">${crawlName(crawl)}</a>`;
}

/** Returns the page with everything about a URL; in the given crawl, if any. */
function urlPath(project: string, url: string, crawl?: string): string {
  const query = new URLSearchParams({ url, ...(crawl !== undefined && { crawl }) });
  return `${projectPath(project)}/url?${String(query)}`;
}

export function urlLink(project: string, url: string): Html {
  return html`<a href="${urlPath(project, url)}">${url}</a>`;
}

export function runLink(run: string): Html {
  return html`<a href="/runs/${encodeURIComponent(run)}">${run.slice(0, 8)}</a>`;
}

/** Returns an address with changed parameters; null removes one. */
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
