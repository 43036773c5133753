import { z } from 'zod';
import { readUrl, type UrlStory } from '../../../answers/explore/url/read-url.ts';
import { urlBlocks, urlCommand } from '../../../answers/explore/url/url-blocks.ts';
import { webLink } from '../../../answers/report/marks.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { CRAWL_NAMES } from '../../../project/model/crawl-name.ts';
import { crawlLink, drawBlocks, urlLink } from '../layout/addresses.ts';
import { projectTabs } from '../layout/project-tabs.ts';
import { page } from '../page-parts/page.ts';

/** Links and similar pages that the page shows; all of them are a download. */
const MOST_ROWS = 50;

const Row = z.record(z.string(), z.unknown());
const Counted = z.strictObject({ total: z.number().nullable(), rows: z.array(Row) });
const CountedLinks = Counted.extend({ different: z.number().nullable() });

/** As `crawlhouse url --json` prints it. */
const Story = z.strictObject({
  url: z.string(),
  crawl: Row,
  page: Row.nullable(),
  redirects: Row.nullable(),
  canonical: Row.nullable(),
  hreflangs: z.array(Row),
  structured_data: z.array(Row),
  similar: Counted,
  issues: z.array(Row),
  history: z.array(Row),
  inlinks: CountedLinks,
  outlinks: CountedLinks,
  hits: Row.nullable(),
  demand: Row.nullable(),
  /** Why a part has nothing, by its name. */
  empty: z.record(z.string(), z.string()),
  is_known: z.boolean(),
  /** Pages that may be meant, where nothing is known of the URL. */
  near: z.array(z.string()).nullable(),
});

export const URL_PAGE = page<UrlStory>({
  path: '/projects/:project_id/url',
  summary: 'All that is known of one URL.',
  query: {
    url: 'The URL, as the crawl writes it.',
    crawl: `One of: ${CRAWL_NAMES}; without it, the main crawl.`,
  },
  schema: Story as unknown as z.ZodType<UrlStory>,
  read({ path, query }, desk, signal) {
    const url = query.get('url');
    if (!url) throw new CrawlhouseError('usage', 'no URL is given', { hint: 'add ?url=https://…' });
    const asked = { url, project: path.project_id, crawl: query.get('crawl') || undefined, limit: MOST_ROWS };
    return desk.onceAsked(`url: ${JSON.stringify(asked)}`, signal, (until) =>
      desk.warehouse.use((warehouse) => readUrl(warehouse, asked, until)),
    );
  },
  draw: (story) => ({ title: story.url, body: drawUrl(story) }),
});

export function drawUrl(story: UrlStory): Html {
  const { crawl, url } = story;
  return html`<h1>${crawl.project}</h1>
${projectTabs(crawl.project_id, 'pages')}
<h2 class="url">${webLink(url)}</h2>
<p class="facts">In ${crawlLink(crawl)}. In a terminal: <code>${urlCommand(story)}</code></p>
${story.is_known ? drawStory(story) : drawNear(story)}
`;
}

function drawStory(story: UrlStory): Html {
  const blocks = urlBlocks(story);
  if (story.page === null) return drawBlocks(blocks);
  const beside = blocks.slice(0, 2).map((block) => html`<section>${drawBlocks([block])}</section>`);
  return html`<div class="pair">${beside}</div>${drawBlocks(blocks.slice(2))}`;
}

function drawNear({ crawl, near }: UrlStory): Html {
  return html`<p class="notice">Nothing is known of this URL: no crawl, link, log file or search result of the project names it.</p>
${near === null ? html`<p>The search for pages of a like name took too long and was stopped.</p>` : null}
${!near?.length ? null : html`<p>Pages of a like name:</p><ul>${near.map((one) => html`<li>${urlLink(crawl.project_id, one)}</li>`)}</ul>`}`;
}
