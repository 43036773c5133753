import { z } from 'zod';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { type Html, html } from '../../../../core/text/html.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { CRAWL_NAMES } from '../../../../etl/project/model/crawl-name.ts';
import { readUrl, UrlStory } from '../../../answers/explore/url/read-url.ts';
import { urlBlocks, urlCommand } from '../../../answers/explore/url/url-blocks.ts';
import { table } from '../../../answers/presentation/html-table.ts';
import { webLink } from '../../../answers/presentation/marks.ts';
import { crawlLink, drawBlocks, urlLink } from '../../layout/addresses.ts';
import { projectTabs } from '../../layout/project-tabs.ts';
import {
  answerFigure,
  drawPending,
  FigureAnswer,
  readFigure,
  shownValue,
} from '../../page-parts/answer-figure.ts';
import { page } from '../../page-parts/console-page.ts';

/** Links and similar pages on the page; a download contains all. */
const MOST_ROWS = 50;
const MOST_SUGGESTIONS = 20;

const UrlDocument = z.strictObject({
  /** Like the output of `crawlhouse url --json`. */
  ...UrlStory.shape,
  /** Pages that could link to this one; null for a file, and for a page that is not indexable. */
  suggestions: FigureAnswer.nullable(),
});
type UrlDocument = Typed<typeof UrlDocument>;

export const URL_PAGE = page<UrlDocument>({
  path: '/projects/:project_id/url',
  summary: 'Everything about one URL.',
  query: {
    url: 'The URL as in the crawl.',
    crawl: `One of: ${CRAWL_NAMES} (default: the main crawl).`,
    wait: '1: wait for the pages that could link to it.',
  },
  schema: UrlDocument,
  async read({ path, query }, readers, signal) {
    const url = query.get('url');
    if (!url) throw new CrawlhouseError('usage', 'no URL is given', { hint: 'add ?url=https://…' });
    const asked = { url, project: path.project_id, crawl: query.get('crawl') || undefined, limit: MOST_ROWS };
    const story = await readers.onceAsked(`url: ${JSON.stringify(asked)}`, signal, (until) =>
      readers.warehouse.use((warehouse) => readUrl(warehouse, asked, until)),
    );
    if (story.page?.is_indexable !== true || story.page.is_resource === true)
      return { ...story, suggestions: null };
    const { project_id: project, crawl_id: crawl } = story.crawl;
    const suggestions = await readFigure(readers, {
      question: 'q34_link_suggestions',
      given: { project, crawl, url },
      select: (answer) =>
        `SELECT origin, origin_title, is_similar, shared_segment, inrank_decimal, internal_outlinks FROM ${answer}
         ORDER BY inrank_decimal DESC NULLS LAST, nb_inlinks DESC NULLS LAST, origin
         LIMIT ${MOST_SUGGESTIONS}`,
      isSlow: true,
      isPatient: query.has('wait'),
    });
    return { ...story, suggestions };
  },
  draw: ({ suggestions, ...story }) => ({
    title: story.url,
    body: html`${drawUrl(story)}${suggestions && drawSuggestions(story.crawl.project_id, suggestions)}`,
  }),
});

function drawSuggestions(project: string, suggestions: FigureAnswer): Html {
  const why = ({ is_similar, shared_segment: segment }: FigureAnswer['rows'][number]): string =>
    [is_similar === true ? 'similar' : null, segment === null ? null : `in ${String(segment)}`]
      .filter((one) => one !== null)
      .join(', ');
  const rows = table(
    'Where to link from',
    [
      { name: 'page', cell: ({ origin }) => urlLink(project, String(origin)) },
      { name: 'title', cell: ({ origin_title: title }) => shownValue(title) },
      { name: 'relation', cell: why },
      { name: 'inrank', isNumber: true, cell: (row) => shownValue(row.inrank_decimal) },
      { name: 'links on it', isNumber: true, cell: (row) => shownValue(row.internal_outlinks) },
    ],
    suggestions.rows,
    '',
  );
  return html`${drawPending([suggestions])}${answerFigure('Where to link from', suggestions, {
    rows,
    empty:
      'No indexable page of this host that is similar, or in the same segment or first directory, lacks a link to it.',
  })}`;
}

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
  // Notices come before the first two sections.
  const first = blocks.findIndex(({ is }) => is === 'section');
  const beside = blocks
    .slice(first, first + 2)
    .map((block) => html`<section>${drawBlocks([block])}</section>`);
  return html`${drawBlocks(blocks.slice(0, first))}<div class="pair">${beside}</div>${drawBlocks(blocks.slice(first + 2))}`;
}

function drawNear({ crawl, near }: UrlStory): Html {
  return html`<p class="notice">This URL is unknown: no crawl, link, log file or search result of the project contains it.</p>
${near === null ? html`<p>The search for similar URLs took too long and was stopped.</p>` : null}
${!near?.length ? null : html`<p>Similar URLs:</p><ul>${near.map((one) => html`<li>${urlLink(crawl.project_id, one)}</li>`)}</ul>`}`;
}
