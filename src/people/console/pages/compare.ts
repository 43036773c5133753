import { z } from 'zod';
import { compareBlocks } from '../../../answers/explore/compare/compare-blocks.ts';
import { type Comparison, readComparison } from '../../../answers/explore/compare/read-compare.ts';
import { segmentParts } from '../../../answers/explore/segments.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import { CRAWL_NAMES } from '../../../project/model/crawl-name.ts';
import { crawlName } from '../../../project/model/shown/value-text.ts';
import type { Readers } from '../desk/desk.ts';
import { crawlLink, drawBlocks, projectPath } from '../layout/addresses.ts';
import { filterForm } from '../layout/filter-form.ts';
import { projectTabs } from '../layout/project-tabs.ts';
import { calledProject } from '../page-parts/called-project.ts';
import { type PageRequest, page } from '../page-parts/page.ts';
import { readSegments, Segments, segmentChoices, withSegment } from '../page-parts/segments.ts';

const MOST_CRAWLS = 100;

const Row = z.record(z.string(), z.unknown());
export const ProjectCrawl = z.strictObject({
  crawl_id: z.string(),
  crawl_number: z.number().nullable(),
  ended_at: z.string().nullable(),
  crawl_config_name: z.string().nullable(),
  previous_crawl_id: z.string().nullable(),
  is_main: z.boolean().nullable(),
});
type ProjectCrawl = z.infer<typeof ProjectCrawl>;

interface Compare {
  readonly project: string;
  /** As `crawlhouse compare --json` prints it; null where there are no two crawls. */
  readonly comparison: Comparison | null;
  readonly crawls: readonly ProjectCrawl[];
  /** Those of the later crawl. */
  readonly segments: Segments;
}

export const COMPARE = page<Compare>({
  path: '/projects/:project_id/compare',
  summary: 'Two crawls of a project side by side.',
  query: {
    from: `The earlier crawl: ${CRAWL_NAMES}; without it, previous.`,
    to: 'The later one; without it, latest.',
    segment: 'Only pages of this first directory or segment, as in template:other.',
    segmentation: 'The segmentation of a segment that is named alone.',
  },
  schema: z.strictObject({
    project: z.string(),
    comparison: z
      .strictObject({
        ...{ from: Row, to: Row, notes: z.array(z.string()) },
        ...{ kpis: z.array(Row), issues: z.array(Row), pages: z.array(Row) },
        ...{ segmentation: z.string(), segment: z.string() },
      })
      .nullable(),
    crawls: z.array(ProjectCrawl),
    segments: Segments,
  }) as unknown as z.ZodType<Compare>,
  async read({ path, query }, desk) {
    const { project_id: project } = await calledProject(desk, path.project_id ?? '');
    const crawls = await crawlsOf(project, desk);
    const pair = askedOf(query, crawls);
    if (pair === null) return { project, comparison: null, crawls, segments: [] };
    const given = (name: string): string | undefined => query.get(name) || undefined;
    const asked = { ...pair, segment: given('segment'), segmentation: given('segmentation') };
    const comparison = await desk.readOnce(
      `compare ${JSON.stringify([project, asked])}`,
      (warehouse, signal) => readComparison(warehouse, { project, ...asked }, signal),
    );
    return { project, comparison, crawls, segments: await readSegments(desk, comparison.to.crawl_id) };
  },
  draw: ({ project, comparison, crawls, segments }, request) => ({
    title: comparison === null ? 'Compare' : `${crawlName(comparison.from)} and ${crawlName(comparison.to)}`,
    body:
      comparison === null
        ? drawNone(project, crawls)
        : drawCompare({ comparison, crawls, segments }, request),
  }),
});

/** A crawl, the main one by default, with the one before it, or the next older one; null where there are no two. */
function askedOf(
  query: URLSearchParams,
  crawls: readonly ProjectCrawl[],
): { readonly from: string; readonly to: string } | null {
  const main = crawls.find(({ is_main }) => is_main) ?? crawls[0];
  const to = query.get('to') || main?.crawl_id;
  const place = crawls.findIndex(({ crawl_id }) => crawl_id === to);
  const beside = crawls[place + 1] ?? crawls[place - 1];
  // What is not in the list is named another way, as latest is.
  const before = place === -1 ? 'previous' : (crawls[place]?.previous_crawl_id ?? beside?.crawl_id);
  const from = query.get('from') || (crawls.length < 2 ? undefined : before);
  return from === undefined || to === undefined ? null : { from, to };
}

function drawNone(project: string, crawls: readonly ProjectCrawl[]): Html {
  const [only] = crawls;
  return html`<h1>${project}</h1>
${projectTabs(project, 'compare')}
<p class="notice">${only === undefined ? 'No crawl of this project has pages yet.' : html`There is one crawl with pages, ${crawlLink(only)}: nothing to compare it with.`}</p>
`;
}

/** The last crawls of a project, the newest first. */
export function crawlsOf(project: string, desk: Readers): Promise<readonly ProjectCrawl[]> {
  return desk.rowsOnce(
    `SELECT crawl_id, crawl_number, ended_at, crawl_config_name, previous_crawl_id, is_main FROM mart.crawls
     WHERE project_id = $project AND has_pages ORDER BY ended_at DESC NULLS LAST, crawl_id LIMIT ${MOST_CRAWLS}`,
    new Map([['project', project]]),
  );
}

function drawCompare(
  { comparison, crawls, segments }: Omit<Compare, 'project'> & { readonly comparison: Comparison },
  { query }: PageRequest,
): Html {
  const { from, to } = comparison;
  const { segment } = segmentParts(comparison);
  const project = to.project_id;
  const several = new Set(crawls.map(({ crawl_config_name }) => crawl_config_name)).size > 1;
  const options = crawls.map((one) => ({
    value: one.crawl_id,
    text: several ? `${crawlName(one)}, ${one.crawl_config_name ?? 'without a name'}` : crawlName(one),
  }));
  const chosen = withSegment(query, comparison);
  chosen.set('from', from.crawl_id);
  chosen.set('to', to.crawl_id);
  return html`<h1>${to.project}</h1>
${projectTabs(project, 'compare')}
${filterForm(`${projectPath(project)}/compare`, chosen, [
  { name: 'from', label: 'from', any: null, options },
  { name: 'to', label: 'to', any: null, options },
  ...segmentChoices(segments),
])}
${drawBlocks(compareBlocks(comparison))}
<p class="facts">In a terminal: <code>crawlhouse compare ${shellWord(from.crawl_id)} ${shellWord(to.crawl_id)}${segment === undefined ? '' : ` --segment ${shellWord(segment)}`}</code></p>
`;
}
