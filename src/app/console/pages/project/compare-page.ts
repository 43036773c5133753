import { z } from 'zod';
import { type Html, html } from '../../../../core/text/html.ts';
import { shellWord } from '../../../../core/text/shell-word.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { CRAWL_NAMES } from '../../../../etl/project/model/crawl-name.ts';
import { compareBlocks } from '../../../answers/explore/compare/compare-blocks.ts';
import { Comparison, readComparison } from '../../../answers/explore/compare/read-compare.ts';
import { segmentParts } from '../../../answers/explore/page-segments.ts';
import { crawlName } from '../../../answers/presentation/value-text.ts';
import { crawlLink, drawBlocks, projectPath } from '../../layout/addresses.ts';
import { filterForm } from '../../layout/filter-form.ts';
import { projectTabs } from '../../layout/project-tabs.ts';
import { calledProject } from '../../page-parts/called-project.ts';
import { readSegments, Segments, segmentChoices, withSegment } from '../../page-parts/chosen-segment.ts';
import { type PageRequest, page } from '../../page-parts/console-page.ts';
import { ProjectNotes, readNotes } from '../../page-parts/project-notes.ts';
import type { Readers } from '../../readers/readers.ts';
import { compareChoices, latestDeployment } from './compare-choices.ts';

const MOST_CRAWLS = 100;

export const ProjectCrawl = z.strictObject({
  crawl_id: z.string(),
  crawl_number: z.number().nullable(),
  ended_at: z.string().nullable(),
  crawl_config_name: z.string().nullable(),
  previous_crawl_id: z.string().nullable(),
  is_main: z.boolean().nullable(),
});
type ProjectCrawl = Typed<typeof ProjectCrawl>;

const Compare = z.strictObject({
  project: z.string(),
  /** Like the output of `crawlhouse compare --json`; null without two crawls. */
  comparison: Comparison.nullable(),
  crawls: z.array(ProjectCrawl),
  /** The segments of the later crawl. */
  segments: Segments,
  notes: ProjectNotes,
});
type Compare = Typed<typeof Compare>;

export const COMPARE = page<Compare>({
  path: '/projects/:project_id/compare',
  summary: 'Compares two crawls of a project.',
  query: {
    from: `The earlier crawl: ${CRAWL_NAMES} (default: previous).`,
    to: 'The later crawl (default: latest).',
    segment: 'Only pages of this first directory or segment, as in template:other.',
    segmentation: 'The segmentation, if segment is a name alone.',
  },
  schema: Compare,
  async read({ path, query }, readers) {
    const called = await calledProject(readers, path.project_id ?? '');
    const project = called.project_id;
    const crawls = await crawlsOf(project, readers);
    const notes = await readNotes(readers.settings.projectDir, called);
    const pair = askedOf(query, crawls);
    if (pair === null) return { project, comparison: null, crawls, segments: [], notes };
    const given = (name: string): string | undefined => query.get(name) || undefined;
    const asked = { ...pair, segment: given('segment'), segmentation: given('segmentation') };
    const comparison = await readers.readOnce(
      `compare ${JSON.stringify([project, asked])}`,
      (warehouse, signal) => readComparison(warehouse, { project, ...asked }, signal),
    );
    const segments = await readSegments(readers, comparison.to.crawl_id);
    return { project, comparison, crawls, segments, notes };
  },
  draw: ({ comparison, ...document }, request) => ({
    title: comparison === null ? 'Compare' : `${crawlName(comparison.from)} and ${crawlName(comparison.to)}`,
    body:
      comparison === null ? drawNone(document, request) : drawCompare({ ...document, comparison }, request),
  }),
});

/** Returns the comparison choices, which are shown only if the address names no crawls. */
const choicesOf = (
  { project, notes, crawls }: Pick<Compare, 'project' | 'notes' | 'crawls'>,
  { query }: PageRequest,
): Html | null =>
  query.has('from') || query.has('to') ? null : compareChoices(project, latestDeployment(notes.list, crawls));

/** Returns a crawl (by default the main one) with its previous one, or the next older one; null without two crawls. */
function askedOf(
  query: URLSearchParams,
  crawls: readonly ProjectCrawl[],
): { readonly from: string; readonly to: string } | null {
  const main = crawls.find(({ is_main }) => is_main) ?? crawls[0];
  const to = query.get('to') || main?.crawl_id;
  const place = crawls.findIndex(({ crawl_id }) => crawl_id === to);
  const beside = crawls[place + 1] ?? crawls[place - 1];
  // A name outside the list, such as latest.
  const before = place === -1 ? 'previous' : (crawls[place]?.previous_crawl_id ?? beside?.crawl_id);
  const from = query.get('from') || (crawls.length < 2 ? undefined : before);
  return from === undefined || to === undefined ? null : { from, to };
}

function drawNone(document: Omit<Compare, 'comparison'>, request: PageRequest): Html {
  const { project, crawls } = document;
  const [only] = crawls;
  return html`<h1>${project}</h1>
${projectTabs(project, 'compare')}
${choicesOf(document, request)}
<p class="notice">${only === undefined ? 'No crawl of this project has pages yet.' : html`Only one crawl has pages, ${crawlLink(only)}. A second crawl makes a comparison possible.`}</p>
`;
}

export function crawlsOf(project: string, readers: Readers): Promise<readonly ProjectCrawl[]> {
  return readers.rowsOnce(
    ProjectCrawl,
    `SELECT crawl_id, crawl_number, ended_at, crawl_config_name, previous_crawl_id, is_main FROM mart.crawls
     WHERE project_id = $project AND has_pages ORDER BY ended_at DESC NULLS LAST, crawl_id LIMIT ${MOST_CRAWLS}`,
    new Map([['project', project]]),
  );
}

function drawCompare(
  document: Omit<Compare, 'comparison'> & { readonly comparison: Comparison },
  request: PageRequest,
): Html {
  const { comparison, crawls, segments } = document;
  const { query } = request;
  const { from, to } = comparison;
  const { segment } = segmentParts(comparison);
  const project = to.project_id;
  const several = new Set(crawls.map(({ crawl_config_name }) => crawl_config_name)).size > 1;
  const options = crawls.map((crawl) => ({
    value: crawl.crawl_id,
    text: several ? `${crawlName(crawl)}, ${crawl.crawl_config_name ?? 'without a name'}` : crawlName(crawl),
  }));
  const chosen = withSegment(query, comparison);
  chosen.set('from', from.crawl_id);
  chosen.set('to', to.crawl_id);
  return html`<h1>${to.project}</h1>
${projectTabs(project, 'compare')}
${choicesOf(document, request)}
${filterForm(`${projectPath(project)}/compare`, chosen, [
  { name: 'from', label: 'from', any: null, options },
  { name: 'to', label: 'to', any: null, options },
  ...segmentChoices(segments),
])}
${drawBlocks(compareBlocks(comparison))}
<p class="facts">In a terminal: <code>crawlhouse compare ${shellWord(from.crawl_id)} ${shellWord(to.crawl_id)}${segment === undefined ? '' : ` --segment ${shellWord(segment)}`}</code></p>
`;
}
