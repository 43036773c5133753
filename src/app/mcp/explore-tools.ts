import { z } from 'zod';
import { CRAWL_NAMES } from '../../etl/project/model/crawl-name.ts';
import type { CatalogReader } from '../../etl/state/catalog/catalog.ts';
import { readComparison } from '../answers/explore/compare/read-compare.ts';
import { type JudgedCrawl, readIssues } from '../answers/explore/issues/read-issues.ts';
import { type FoundPages, readPages } from '../answers/explore/pages/read-pages.ts';
import { readUrl, type UrlStory } from '../answers/explore/url/read-url.ts';
import { type AskedPart, behindTheEnd, PART, partOfRows, unitsOf } from './part-of-rows.ts';

const Project = z.string().optional().describe('Name or identifier of the project (default: all).');
const OneProject = Project.describe('Name or identifier of the project; required if there are several.');
const CRAWL = `One of: ${CRAWL_NAMES}`;
const Crawl = z.string().optional().describe(`${CRAWL}; without it, the main crawl of the project.`);
/** Like `--segment` and `--segmentation`. */
const SEGMENT = {
  segment: z
    .string()
    .optional()
    .describe(
      'Only pages of this first directory or segment; SEGMENTATION:SEGMENT if several segmentations have a segment of this name.',
    ),
  segmentation: z.string().optional().describe('The segmentation, if segment is a name alone.'),
};

/** Maximum conditions in `where`. */
const MOST_CONDITIONS = 20;
const LONGEST_CONDITION = 2000;

/** A position in a list of pages: after a page, or after a number of rows. */
const PageCursor = z
  .string()
  .max(4 * 8192)
  .regex(/^(?:\d{1,9}|after:[\w-]+)$/)
  .default('0')
  .describe('The next_cursor of the previous answer, for the rows that follow.');

const cursorAfter = (url: string): string => `after:${Buffer.from(url).toString('base64url')}`;

function placeOf(cursor: string): { readonly after: string } | { readonly offset: number } {
  const [, after] = /^after:(.+)$/.exec(cursor) ?? [];
  return after === undefined
    ? { offset: Number(cursor) }
    : { after: Buffer.from(after, 'base64url').toString() };
}

/** Issues per project in an answer about several projects. */
const ISSUES_OF_EACH = 3;

export type Register = <Shape extends z.ZodRawShape>(
  name: string,
  description: string,
  shape: Shape,
  work: (given: z.output<z.ZodObject<Shape>>, signal: AbortSignal) => Promise<unknown>,
) => void;

/** Registers the tools that lead from issues to their pages, to a URL, and to changes. */
export function registerExploreTools(register: Register, reader: CatalogReader): void {
  registerIssueTools(register, reader);
  registerUrlTools(register, reader);
}

function registerIssueTools(register: Register, reader: CatalogReader): void {
  register(
    'list_issues',
    'The issues of a crawl: pages now, and since the previous crawl new, fixed, missing (had it, and were ' +
      'not read again: not fixed), remaining and unseen (have it, and were not read before). Null is unknown. unknown counts ' +
      'issues that the export does not cover. scope_note says what the crawl did not cover. Of several projects, the ' +
      'most severe few of each.',
    { project: Project, crawl: Crawl, ...SEGMENT, ...PART },
    async (asked, signal) => {
      const crawls = await readIssues(reader, asked, signal);
      if (crawls.length === 0) return { crawls, why: 'no crawl has pages yet' };
      if (crawls.length === 1)
        return { crawls: crawls.map((crawl) => ({ ...crawl, issues: partOfRows(crawl.issues, asked) })) };
      const { rows, ...part } = partOfRows(crawls, asked);
      // A cursor moves through the projects; the other issues of a project are requested by its name.
      const first = ({ issues }: JudgedCrawl): object => ({
        issues: { total: issues.length, rows: issues.slice(0, ISSUES_OF_EACH) },
      });
      return {
        ...part,
        crawls: rows.map((crawl) => ({ ...crawl, ...first(crawl) })),
        more: 'With project: all issues of that project.',
      };
    },
  );
  register(
    'find_pages',
    'The pages of one crawl that have an issue or meet conditions: how many (total), and the first rows.',
    {
      project: OneProject,
      crawl: Crawl,
      ...SEGMENT,
      issue: z.string().optional().describe('A name from list_issues.'),
      change: z
        .string()
        .optional()
        .describe(
          'added, removed, moved, missing (not read again), unseen (not read before), changed (in any field) or a column that ' +
            'differs; with issue: new, fixed, missing, remaining or unseen. reason says why.',
        ),
      since: z
        .string()
        .optional()
        .describe(`What change compares with, the previous crawl by default. ${CRAWL}.`),
      where: z
        .array(z.string().min(1).max(LONGEST_CONDITION))
        .max(MOST_CONDITIONS)
        .default([])
        .describe('SQL conditions on columns of mart.pages; a page must meet all of them.'),
      sort: z.string().optional().describe("A column, or 'COLUMN desc'."),
      limit: PART.limit,
      cursor: PageCursor,
    },
    async ({ limit, cursor, ...filter }, signal) => {
      const asked = { ...filter, conditions: [], columns: [] };
      // One extra row shows whether more follow.
      const found = await readPages(reader, asked, { limit: limit + 1, ...placeOf(cursor) }, signal);
      const rows = found.rows.slice(0, limit);
      if (rows.length === 0 && found.total > 0) throw behindTheEnd(found.total);
      const next = found.rows.length > limit ? { next_cursor: cursorAfter(String(rows.at(-1)?.url)) } : {};
      const part = { total: found.total, rows, ...next };
      const why = found.total > 0 ? {} : { why: await whyNoPages(reader, found, filter.issue, signal) };
      return { ...found.crawl, ...part, ...unitsOf(part.rows), ...why };
    },
  );
}

function registerUrlTools(register: Register, reader: CatalogReader): void {
  register(
    'get_url',
    'Everything about one URL: its row of mart.pages (columns without a value are left out), issues with their fix, ' +
      'redirects, history over crawls, links, similar pages, hits and clicks. empty says why a part has nothing; near ' +
      'has similar URLs. With part: only the rows of that part.',
    {
      url: z.string().min(1).describe('With its scheme and host.'),
      project: OneProject,
      crawl: Crawl,
      part: z.enum(PARTS).optional().describe('Only the rows of this part.'),
      ...PART,
    },
    async ({ part, ...asked }, signal) => {
      const limit = asked.limit + Number(asked.cursor);
      const story = await readUrl(reader, { ...asked, limit }, signal);
      if (part !== undefined) return onePart(story, part, asked);
      return wholeStory(story, asked);
    },
  );
  register(
    'compare_crawls',
    'Two crawls of a project side by side: figures (titles have their units), issues, and numbers of pages that were ' +
      'added, removed, moved, missing, unseen or changed, with reasons. why says why a figure is not compared. find_pages with ' +
      'change and since lists the pages.',
    {
      project: OneProject,
      from: z.string().describe(`The earlier crawl. ${CRAWL}.`),
      to: z.string().describe(`The later crawl. ${CRAWL}.`),
      ...SEGMENT,
      ...PART,
    },
    async (asked, signal) => {
      const { issues, ...comparison } = await readComparison(reader, asked, signal);
      return { ...comparison, issues: partOfRows(issues, asked) };
    },
  );
}

async function whyNoPages(
  reader: CatalogReader,
  { crawl: { crawl_id } }: FoundPages,
  issue: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const [known] = (await reader.rows(
    'SELECT pages FROM mart.issue_changes WHERE crawl_id = $crawl AND issue = $issue',
    signal,
    new Map([
      ['crawl', crawl_id],
      ['issue', issue ?? null],
    ]),
  )) as { pages: number | null }[];
  return known?.pages === null
    ? 'unknown: the fields, hits or search results that show the issue are not loaded'
    : 'no page fits';
}

const PARTS = [
  'history',
  'inlinks',
  'outlinks',
  'similar',
  'hits',
  'demand',
  'issues',
  'hreflangs',
  'structured_data',
] as const;

function onePart(story: UrlStory, part: (typeof PARTS)[number], asked: AskedPart): object {
  const found = story[part];
  const rows = found === null ? [] : 'days' in found ? found.days : 'rows' in found ? found.rows : found;
  const total = found !== null && 'total' in found ? found.total : rows.length;
  const why = story.empty[part] === undefined ? {} : { why: story.empty[part] };
  return { url: story.url, part, ...partOfRows<object>(rows, asked, total), ...unitsOf(rows), ...why };
}

/** Cuts lists, and leaves days to their own part. */
function wholeStory(story: UrlStory, asked: AskedPart): object {
  const { page, history, inlinks, outlinks, similar, hits, demand } = story;
  const known = page && Object.fromEntries(Object.entries(page).filter(([, value]) => value !== null));
  // The parts have different lengths: the cursor of one may be after the end of another.
  const cut = <T>(rows: readonly T[], total: number | null = rows.length) =>
    total !== null && Number(asked.cursor) >= total ? { total, rows: [] } : partOfRows(rows, asked, total);
  return {
    ...story,
    page: known,
    history: cut(history),
    inlinks: { ...cut(inlinks.rows, inlinks.different), total: inlinks.total },
    outlinks: { ...cut(outlinks.rows, outlinks.different), total: outlinks.total },
    similar: cut(similar.rows, similar.total),
    hits: hits && { ...hits, days: undefined },
    demand: demand && { ...demand, days: undefined },
    ...unitsOf(known === null ? [] : [known, ...(demand?.queries ?? [])]),
  };
}
