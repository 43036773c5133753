import { z } from 'zod';
import { type Html, html } from '../../../../core/text/html.ts';
import { shellWord } from '../../../../core/text/shell-word.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { CRAWL_NAMES } from '../../../../etl/project/model/crawl-name.ts';
import type { AskCrawls } from '../../../answers/explore/chosen-crawls.ts';
import { withIgnored } from '../../../answers/explore/issues/ignored-pages.ts';
import { issueBlocks, subjectName } from '../../../answers/explore/issues/issue-blocks.ts';
import {
  IssueList,
  readIssueList,
  readIssueSubjects,
  withTickets,
} from '../../../answers/explore/issues/issue-list.ts';
import { ticketsByIssue } from '../../../answers/explore/issues/issue-tickets.ts';
import { isChanged, readIssues } from '../../../answers/explore/issues/read-issues.ts';
import { segmentParts } from '../../../answers/explore/page-segments.ts';
import { drawBlocks, projectPath } from '../../layout/addresses.ts';
import { filterForm, option } from '../../layout/filter-form.ts';
import { projectTabs } from '../../layout/project-tabs.ts';
import { inTime } from '../../page-parts/answer-figure.ts';
import { readSegments, Segments, segmentChoices, withSegment } from '../../page-parts/chosen-segment.ts';
import { NotFound, type PageRequest, page } from '../../page-parts/console-page.ts';
import { newTicketForm } from '../../page-parts/tickets/ticket-form.ts';
import type { Readers } from '../../readers/readers.ts';

const Issues = z.strictObject({ ...IssueList.shape, segments: Segments });
type Issues = Typed<typeof Issues>;

export const ISSUES = page<Issues>({
  path: '/projects/:project_id/issues',
  summary: 'The issues of a crawl, and what changed since the previous crawl.',
  query: {
    crawl: `One of: ${CRAWL_NAMES} (default: the main crawl).`,
    segment: 'Only pages of this first directory or segment, as in template:other.',
    segmentation: 'The segmentation, if segment is a name alone.',
    severity: 'Only issues of this severity.',
    category: 'Only issues of this category.',
    changed: '1: only issues with new, fixed or missing pages.',
    issue: 'The issue to explain next to the list.',
    wait: '1: wait for the sums of each subject, even slow ones.',
  },
  schema: Issues,
  async read({ path, query }, readers) {
    const project = path.project_id ?? '';
    const given = (name: string): string | undefined => query.get(name) || undefined;
    const asked = {
      project,
      crawl: given('crawl'),
      segment: given('segment'),
      segmentation: given('segmentation'),
    };
    const all = await readers.readOnce(`issues: ${JSON.stringify(asked)}`, async (warehouse, signal) => {
      const [crawl] = await readIssues(warehouse, asked, signal);
      return crawl && (await readIssueList(warehouse, crawl, signal));
    });
    if (all === undefined) throw new NotFound(`No crawl of project ${project} has pages yet.`);
    const { projectDir } = readers.settings;
    const ask: AskCrawls = (schema, sql, given = {}) =>
      readers.rowsOnce(schema, sql, new Map(Object.entries(given)));
    // tickets.yaml changes between publications.
    const shown = await withIgnored(all, projectDir, ask);
    const now = withTickets(shown, await ticketsByIssue(all, projectDir, ask));
    const issues = now.issues.filter(
      (issue) =>
        (given('severity') ?? issue.severity) === issue.severity &&
        (given('category') ?? issue.category) === issue.category &&
        (!given('changed') || isChanged(issue)),
    );
    const list = { ...now, issues };
    return {
      ...list,
      subjects: await subjectsOf(readers, list, query.has('wait')),
      segments: await readSegments(readers, list.crawl_id),
    };
  },
  draw: (issues, request) => ({ title: `Issues of ${issues.project}`, body: drawIssues(issues, request) }),
});

/** Returns null if reading them takes longer. */
async function subjectsOf(
  readers: Readers,
  list: IssueList,
  isPatient: boolean,
): Promise<Issues['subjects']> {
  const { crawl_id, segmentation, segment, issues } = list;
  const key = JSON.stringify([crawl_id, segmentation, segment, issues.map(({ issue }) => issue)]);
  const read = readers.once(`issues: subjects ${key}`, () =>
    readers.lanes.slowPages.run(() =>
      readers.warehouse.use((warehouse) => readIssueSubjects(warehouse, list, readers.closing)),
    ),
  );
  return inTime(read, isPatient);
}

function drawIssues(document: Issues, request: PageRequest): Html {
  const { query } = request;
  const { project, project_id, crawl_id, segments, categories, subjects } = document;
  const { caption, scope, sum, table, notes } = issueBlocks(document, query.get('issue'));
  const { segment } = segmentParts(document);
  const flags = segment === undefined ? '' : ` --segment ${shellWord(segment)}`;
  return html`<h1>${project}</h1>
${projectTabs(project_id, 'issues')}
${drawBlocks(scope)}
<div class="stay">${filterForm(`${projectPath(project_id)}/issues`, withSegment(query, document), [
    { name: 'severity', label: 'severity', any: 'any', options: ['high', 'medium', 'low'] },
    {
      name: 'category',
      label: 'about',
      any: 'anything',
      options: categories.map((value) => ({ value, text: subjectName(value) })),
    },
    {
      name: 'changed',
      label: 'change',
      any: 'any',
      options: [{ value: '1', text: 'new, fixed or missing pages' }],
    },
    ...segmentChoices(segments),
  ])}${drawBlocks([sum])}</div>
${subjects === null && html`<p class="waiting" role="status" data-pending>The sums of the subjects are loading.</p>`}
<div class="with-panel"><div>${drawBlocks([table])}</div>
<aside>${drawBlocks([caption, ...notes])}
<p class="facts">In a terminal: <code>crawlhouse issues --project ${shellWord(project_id)} --crawl ${shellWord(crawl_id)}${flags}</code></p>
<p class="facts"><a href="${projectPath(project_id)}/workbook?crawl=${encodeURIComponent(crawl_id)}" download>Excel workbook</a> of the crawl: each issue with its pages.</p>
${ticketOf(document, request)}</aside></div>
`;
}

/** For those who may make tickets, the form of a ticket with the pages of an issue, in the segment of the page. */
function ticketOf(document: Issues, { may, session, query }: PageRequest): Html | null {
  const found = document.issues.filter(({ pages }) => pages > 0);
  if (!may('POST /projects/:project_id/tickets') || found.length === 0) return null;
  const { segment } = segmentParts(document);
  const filter = new URLSearchParams({ crawl: document.crawl_id, ...(segment !== undefined && { segment }) });
  const first = html`<label>issue <select name="issue">${found.map(({ issue, title }) => option(issue, query.get('issue'), title))}</select></label>`;
  const hidden = { filter: String(filter) };
  return newTicketForm({ project: document.project_id, csrf: session.csrf, hidden, first });
}
