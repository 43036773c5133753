import { pagesAddress } from '../../../answers/explore/pages/page-filter.ts';
import type { UrlStory } from '../../../answers/explore/url/read-url.ts';
import { counted, countText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import { crawlLink, urlLink } from '../layout/addresses.ts';
import { projectTabs } from '../layout/project-tabs.ts';
import { severityMark } from '../layout/severity-mark.ts';
import { type TableColumn, table } from '../layout/table.ts';
import { drawUrlTraffic } from './draw-url-traffic.ts';

/** About what a result on a wide screen has room for. */
const TITLE_LENGTH = 60;
const DESCRIPTION_LENGTH = 155;

export function drawUrl(story: UrlStory): Html {
  const { crawl, url } = story;
  return html`<h1>${crawl.project}</h1>
${projectTabs(crawl.project_id, 'pages')}
<h2 class="url">${onTheWeb(url)}</h2>
<p class="facts">In ${crawlLink(crawl)}. In a terminal: <code>crawlhouse url ${shellWord(url)} --project ${shellWord(crawl.project_id)} --crawl ${shellWord(crawl.crawl_id)}</code></p>
${story.is_known ? drawStory(story) : drawNear(story)}
`;
}

/** Whatever an address of ours or a website says, a link leads to a web page, never to a script. */
function onTheWeb(url: string): Html {
  return /^https?:\/\//i.test(url)
    ? html`<a href="${url}" rel="noreferrer noopener">${url}</a>`
    : html`${url}`;
}

function drawNear({ crawl, near }: UrlStory): Html {
  return html`<p class="notice">Nothing is known of this URL: no crawl, link, log file or search result of the project names it.</p>
${near.length === 0 ? null : html`<p>Pages of a like name:</p><ul>${near.map((one) => html`<li>${urlLink(crawl.project_id, one)}</li>`)}</ul>`}`;
}

function drawStory(story: UrlStory): Html {
  return html`<div class="pair"><section aria-labelledby="now"><h2 id="now">Now</h2>${drawNow(story)}</section>
<section aria-labelledby="result"><h2 id="result">As a search result</h2>${drawResult(story)}</section></div>
<h2>Issues</h2>${drawIssues(story)}
<h2>History</h2>${drawHistory(story)}
<h2>Links to it</h2>${drawInlinks(story)}
<h2>Links on it</h2>${drawOutlinks(story)}
${drawUrlTraffic(story)}
<h2>Language versions</h2>${drawHreflangs(story)}
<h2>Pages like it</h2>${drawSimilar(story)}
<h2>Structured data</h2>${drawItems(story)}`;
}

function why({ empty }: UrlStory, part: keyof UrlStory['empty']): string {
  const text = empty[part] ?? 'nothing is known';
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function drawNow(story: UrlStory): Html {
  const { page, redirects, canonical, crawl } = story;
  if (page === null) return html`<p class="notice">${why(story, 'page')}</p>`;
  const { status_code, is_indexable, non_indexable_reason } = page;
  const indexable =
    is_indexable === null
      ? 'not known'
      : is_indexable
        ? html`<span class="good">yes</span>`
        : html`<span class="bad">no</span>: ${words(non_indexable_reason ?? 'the reason is not known')}`;
  const facts: readonly (readonly [string, Html | string])[] = [
    ['status', status_code === null ? 'no answer' : String(status_code)],
    ...(redirects === null ? [] : [['leads to', drawRedirects(story, redirects)] as const]),
    ['indexable', indexable],
    ['canonical', drawCanonical(story, canonical)],
    ['depth', page.depth === null ? 'no link leads here' : counted(page.depth, 'click')],
    ['links to it', page.nb_inlinks === null ? 'not known' : countText(page.nb_inlinks)],
    ['H1', page.h1 ?? '–'],
  ];
  return html`<dl class="wide">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
<details><summary>All fields</summary><dl class="wide">${Object.entries(page)
    .filter(([, value]) => value !== null)
    .map(
      ([name, value]) =>
        html`<dt>${words(name)}</dt><dd>${typeof value === 'object' ? JSON.stringify(value) : String(value)}</dd>`,
    )}</dl>
<p class="facts">Fields without a value are left out. The crawl is <code>${crawl.crawl_id}</code>.</p></details>`;
}

function drawRedirects({ crawl }: UrlStory, redirects: NonNullable<UrlStory['redirects']>): Html {
  const { hops, final_url, final_status_code, is_loop, is_cut } = redirects;
  const end = is_loop
    ? 'a loop'
    : is_cut
      ? 'more than 16 redirects'
      : `status ${final_status_code ?? 'not known'}`;
  return html`${urlLink(crawl.project_id, final_url, crawl.crawl_id)} (${end}, ${counted(hops.length, 'hop')})${
    hops.length < 2
      ? null
      : html`<details><summary>Each hop</summary><ol>${hops.map(({ status_code, target }) => html`<li>${status_code}: ${urlLink(crawl.project_id, target, crawl.crawl_id)}</li>`)}</ol></details>`
  }`;
}

function drawCanonical({ crawl, url, page }: UrlStory, canonical: UrlStory['canonical']): Html | string {
  if (canonical === null) return page?.canonical_kind === 'not_set' ? 'none is set' : '–';
  if (canonical.url === url) return 'itself';
  return html`${urlLink(crawl.project_id, canonical.url, crawl.crawl_id)} (${statusOf(canonical)})`;
}

function statusOf(page: {
  readonly status_code: number | null;
  readonly is_indexable: boolean | null;
}): string {
  const status = page.status_code === null ? 'status not known' : `status ${page.status_code}`;
  return page.is_indexable === false ? `${status}, not indexable` : status;
}

function drawResult({ page, url }: UrlStory): Html {
  if (page === null) return html`<p class="empty">Without a page there is no result.</p>`;
  const cut = (text: string | null, length: number): string | null =>
    text !== null && text.length > length ? `${text.slice(0, length).trimEnd()} …` : text;
  return html`<div class="result"><p class="facts">${url}</p>
<p class="title">${cut(page.title, TITLE_LENGTH) ?? html`<span class="bad">no title</span>`}</p>
<p>${cut(page.meta_description, DESCRIPTION_LENGTH) ?? html`<span class="warn">no description: search engines choose a text</span>`}</p></div>
<dl class="wide"><dt>title</dt><dd>${page.title ?? '–'}${length(page.title)}</dd>
<dt>description</dt><dd>${page.meta_description ?? '–'}${length(page.meta_description)}</dd></dl>`;
}

function length(text: string | null): Html | null {
  return text === null ? null : html` <small>(${counted([...text].length, 'character')})</small>`;
}

function drawIssues(story: UrlStory): Html {
  const { crawl, issues } = story;
  return table(
    'Issues',
    [
      {
        name: 'issue',
        cell: ({ issue, title }) =>
          html`<a href="${pagesAddress(crawl.project_id, { crawl: crawl.crawl_id, issue })}" title="all pages with it">${title}</a>`,
      },
      { name: 'severity', cell: ({ severity }) => severityMark(severity) },
      { name: 'found', cell: (one) => one.why },
      { name: 'why it matters', cell: (one) => one.why_it_matters },
      { name: 'to do', cell: ({ fix }) => fix },
    ],
    issues,
    why(story, 'issues'),
  );
}

function drawHistory(story: UrlStory): Html {
  return table(
    'History',
    [
      { name: 'crawl', cell: (one) => crawlLink(one) },
      {
        name: 'status',
        cell: (one) =>
          one.is_in_crawl
            ? (one.status_code ?? 'no answer')
            : html`<span class="warn">not in this crawl</span>`,
      },
      { name: 'indexable', cell: ({ is_indexable: is }) => (is === null ? null : is ? 'yes' : 'no') },
      { name: 'depth', isNumber: true, cell: ({ depth }) => depth },
      { name: 'links to it', isNumber: true, cell: ({ nb_inlinks }) => nb_inlinks },
      { name: 'title', cell: ({ title }) => title },
      {
        name: 'changed since the crawl before',
        cell: ({ changes, previous_crawl_id }) =>
          previous_crawl_id === null
            ? 'compared with none'
            : changes.length === 0
              ? '–'
              : html`${changes.map(
                  ({ change, before, after }) =>
                    html`<div>${change === 'added' || change === 'removed' ? change : html`${words(change)}: <del>${String(before ?? '–')}</del> <ins>${String(after ?? '–')}</ins>`}</div>`,
                )}`,
      },
    ],
    story.history,
    why(story, 'history'),
  );
}

type Link = UrlStory['inlinks']['rows'][number] & UrlStory['outlinks']['rows'][number];

function linkColumns<
  T extends Omit<Link, 'origin' | 'target' | 'is_internal' | 'depth'>,
>(): TableColumn<T>[] {
  return [
    { name: 'anchor', cell: ({ anchor }) => anchor },
    { name: 'follow', cell: ({ follow }) => (follow === null ? null : follow ? 'yes' : 'no') },
    { name: 'place', cell: ({ link_position }) => link_position && words(link_position) },
    { name: 'status', isNumber: true, cell: ({ status_code }) => status_code },
    { name: 'indexable', cell: ({ is_indexable: is }) => (is === null ? null : is ? 'yes' : 'no') },
  ];
}

function drawInlinks(story: UrlStory): Html {
  const { crawl, url, inlinks } = story;
  return html`${countLine(inlinks.total, inlinks.rows.length, download({ crawl, url }, 'target'))}
${table(
  'Links to it',
  [
    { name: 'from', cell: ({ origin }) => urlLink(crawl.project_id, origin, crawl.crawl_id) },
    ...linkColumns<UrlStory['inlinks']['rows'][number]>(),
    { name: 'depth', isNumber: true, cell: ({ depth }) => depth },
  ],
  inlinks.rows,
  why(story, 'inlinks'),
)}`;
}

function drawOutlinks(story: UrlStory): Html {
  const { crawl, url, outlinks } = story;
  return html`${countLine(outlinks.total, outlinks.rows.length, download({ crawl, url }, 'origin'))}
${table(
  'Links on it',
  [
    {
      name: 'to',
      cell: ({ target, is_internal }) =>
        is_internal === false ? target : urlLink(crawl.project_id, target, crawl.crawl_id),
    },
    ...linkColumns<UrlStory['outlinks']['rows'][number]>(),
  ],
  outlinks.rows,
  why(story, 'outlinks'),
)}`;
}

function countLine(total: number, shown: number, address: string): Html | null {
  if (total === 0) return null;
  const part = shown < total ? `, the ${countText(shown)} that matter most first` : '';
  return html`<p class="facts">${counted(total, 'link')}${part}. <a href="${address}" download>All of them as CSV</a></p>`;
}

function download({ crawl, url }: Pick<UrlStory, 'crawl' | 'url'>, end: 'origin' | 'target'): string {
  const other = end === 'origin' ? 'target' : 'origin';
  const sql = `SELECT ${other}, anchor, follow, link_position, target_status
FROM mart.links WHERE crawl_id = $crawl AND ${end} = $url ORDER BY ${other}, anchor`;
  return `/ask/download?${String(
    new URLSearchParams({ sql, 'param.crawl': crawl.crawl_id, 'param.url': url, format: 'csv' }),
  )}`;
}

function drawHreflangs(story: UrlStory): Html {
  const { crawl, hreflangs } = story;
  return table(
    'Language versions',
    [
      { name: 'language', cell: ({ lang }) => lang },
      { name: 'page', cell: ({ url }) => urlLink(crawl.project_id, url, crawl.crawl_id) },
      { name: 'status', isNumber: true, cell: ({ status_code }) => status_code },
      { name: 'indexable', cell: ({ is_indexable: is }) => (is === null ? null : is ? 'yes' : 'no') },
      {
        name: 'names this page in return',
        cell: ({ returns }) =>
          returns === null ? null : returns ? 'yes' : html`<span class="bad">no</span>`,
      },
    ],
    hreflangs,
    why(story, 'hreflangs'),
  );
}

function drawSimilar(story: UrlStory): Html {
  const { crawl, similar } = story;
  return table(
    'Pages like it',
    [
      { name: 'page', cell: ({ url }) => urlLink(crawl.project_id, url, crawl.crawl_id) },
      { name: 'title', cell: ({ title }) => title },
      { name: 'status', cell: (one) => statusOf(one) },
      { name: 'canonical', cell: ({ canonical_url }) => canonical_url },
    ],
    similar.rows,
    why(story, 'similar'),
  );
}

function drawItems(story: UrlStory): Html {
  return table(
    'Structured data',
    [
      { name: 'type', cell: ({ type }) => type },
      { name: 'format', cell: ({ format }) => format },
      {
        name: 'valid',
        cell: ({ valid }) => (valid === null ? null : valid ? 'yes' : html`<span class="bad">no</span>`),
      },
      { name: 'missing', cell: ({ missing_properties: missing }) => missing?.join(', ') },
    ],
    story.structured_data,
    why(story, 'structured_data'),
  );
}

const words = (name: string): string => name.replaceAll('_', ' ');
