import { readUrl, type UrlStory } from '../../../answers/explore/url/read-url.ts';
import { openWarehouse } from '../../../answers/query/open-warehouse.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Command } from '../command.ts';
import { openInConsole } from '../console-address.ts';
import { wholeNumber } from '../flag-values.ts';
import { printPaged } from '../pager.ts';
import { EXPLORE_FLAGS, formatOf, partOf, writePart } from '../reports/explored.ts';
import { URL_PARTS, urlReport } from '../reports/url-report.ts';

const ROWS = 100;

export const url: Command = {
  name: 'url',
  summary: 'all that is known of one URL: its page, history, links, issues, hits and clicks',
  positionals: { shown: 'URL', most: 1 },
  flags: {
    project: EXPLORE_FLAGS.project,
    crawl: EXPLORE_FLAGS.crawl,
    part: { type: 'string', value: 'PART', values: Object.keys(URL_PARTS), help: 'only one of' },
    limit: { type: 'string', value: 'N', help: `the most links of each kind, and similar pages (${ROWS})` },
    format: EXPLORE_FLAGS.format,
    open: EXPLORE_FLAGS.open,
  },
  async run(invocation) {
    const [asked] = invocation.positionals;
    if (asked === undefined)
      throw new CrawlhouseError('usage', 'no URL is named', {
        hint: 'crawlhouse url https://www.example.com/page',
      });
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
    else await printPaged(invocation, urlReport(story, invocation.terminal?.width));
    return 0;
  },
};

function unknownUrl({ url: asked, crawl, near }: UrlStory): CrawlhouseError {
  return new CrawlhouseError('usage', `nothing is known of ${asked} in the project ${crawl.project}`, {
    hint:
      near.length > 0
        ? `did you mean ${near.join(', ')}?`
        : `crawlhouse pages --project ${crawl.project_id} lists its pages`,
  });
}

function addressOf({ url: asked, crawl }: UrlStory): string {
  const query = new URLSearchParams({ url: asked, crawl: crawl.crawl_id });
  return `/projects/${encodeURIComponent(crawl.project_id)}/url?${query}`;
}
