import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { countText } from '../../../core/text/amounts.ts';
import { readUrl, type UrlStory } from '../../answers/explore/url/read-url.ts';
import { notThere, urlBlocks } from '../../answers/explore/url/url-blocks.ts';
import type { UrlHistoryEntry } from '../../answers/explore/url/url-history.ts';
import { printBlocks } from '../../answers/presentation/print-blocks.ts';
import { openWarehouse } from '../../answers/query/open-warehouse.ts';
import type { Command } from '../command.ts';
import { openInConsole } from '../console-address.ts';
import { neededArguments, wholeNumber } from '../flag-values.ts';
import { printPaged } from '../pager.ts';
import { EXPLORE_FLAGS, endText, formatOf, partOf, ROWS_FLAGS, writePart } from '../reports/explored.ts';

const ROWS = 100;

const URL_PARTS = {
  history: ({ history }) => history.map(historyRow),
  issues: ({ issues }) => issues.map(({ severity, issue, why, fix }) => ({ severity, issue, why, fix })),
  inlinks: ({ inlinks }) => inlinks.rows,
  outlinks: ({ outlinks }) => outlinks.rows,
  hreflangs: ({ hreflangs }) => hreflangs,
  similar: ({ similar }) => similar.rows,
  structured_data: ({ structured_data }) => structured_data,
  hits: ({ hits }): readonly object[] => hits?.days ?? [],
  demand: ({ demand }): readonly object[] => demand?.days ?? [],
} as const satisfies Readonly<Record<string, (story: UrlStory) => readonly object[]>>;

const historyRow = ({
  crawl_id,
  ended_at,
  is_in_crawl,
  has_all_links,
  changes,
  ...seen
}: UrlHistoryEntry) => {
  const { is_indexable: is, non_indexable_reason: reason } = seen;
  const indexable = is === null ? 'unknown' : is ? 'yes' : `no: ${reason}`;
  return {
    crawl: ended_at?.slice(0, 10) ?? crawl_id,
    status_code: seen.status_code,
    indexable: is_in_crawl ? indexable : notThere({ has_all_links }),
    depth: seen.depth,
    inlinks: seen.nb_inlinks,
    title: seen.title,
    changed: changes.map(({ change }) => change).join(', ') || null,
  };
};

export const url: Command = {
  name: 'url',
  summary: 'show everything about one URL: its page, history, links, issues, hits and clicks',
  positionals: { shown: 'URL', most: 1 },
  flags: {
    ...EXPLORE_FLAGS,
    part: { value: 'PART', values: Object.keys(URL_PARTS), help: 'only one of' },
    limit: { value: 'N', help: `the maximum number of links of each kind and of similar pages (${ROWS})` },
    ...ROWS_FLAGS,
  },
  async run(invocation) {
    const hint = 'crawlhouse url https://www.example.com/page';
    const [asked] = neededArguments(invocation, 'no URL is named', hint);
    const part = partOf(invocation, URL_PARTS);
    const format = formatOf(invocation);
    const limit = wholeNumber(invocation, 'limit', 1, 9_999_999) ?? ROWS;
    const settings = await invocation.settings();
    await using warehouse = await openWarehouse(invocation, settings);
    const where = { project: invocation.text('project'), crawl: invocation.text('crawl') };
    const story = await readUrl(warehouse, { ...where, url: asked, limit }, invocation.signal);
    if (!story.is_known) throw unknownUrl(story);
    if (invocation.has('open')) await openInConsole(invocation, settings, addressOf(story));
    else if (invocation.has('json')) await invocation.printJson(story);
    else if (part !== null) await writePart(invocation, format, part(story));
    else await printPaged(invocation, urlText(story, invocation.terminal?.width));
    return 0;
  },
};

function urlText(story: UrlStory, width: number | undefined): string {
  const { url: asked, crawl } = story;
  const number = crawl.crawl_number === null ? '' : ` ${countText(crawl.crawl_number)}`;
  const where = `${crawl.project}, crawl${number} of ${endText(crawl.ended_at)} (${crawl.crawl_id})`;
  return `${asked}\n${where}\n\n${printBlocks(urlBlocks(story), { width })}`;
}

function unknownUrl({ url: asked, crawl, near }: UrlStory): CrawlhouseError {
  const listed = `crawlhouse pages --project ${crawl.project_id} lists its pages`;
  return new CrawlhouseError('usage', `the project ${crawl.project} has no URL ${asked}`, {
    hint: near?.length
      ? `did you mean ${near.join(', ')}?`
      : near === null
        ? `${listed}; the search for similar URLs took too long and was stopped`
        : listed,
  });
}

function addressOf({ url: asked, crawl }: UrlStory): string {
  const query = new URLSearchParams({ url: asked, crawl: crawl.crawl_id });
  return `/projects/${encodeURIComponent(crawl.project_id)}/url?${query}`;
}
