import { z } from 'zod';
import { issueBlocks, subjectName } from '../../../answers/explore/issues/issue-blocks.ts';
import {
  type IssueList,
  readIssueList,
  readIssueSubjects,
} from '../../../answers/explore/issues/issue-list.ts';
import { isChanged, readIssues } from '../../../answers/explore/issues/read-issues.ts';
import { segmentParts } from '../../../answers/explore/segments.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import { CRAWL_NAMES } from '../../../project/model/crawl-name.ts';
import { type Readers, UNTIL_READ } from '../desk/desk.ts';
import { drawBlocks, projectPath } from '../layout/addresses.ts';
import { filterForm } from '../layout/filter-form.ts';
import { projectTabs } from '../layout/project-tabs.ts';
import { inTime } from '../page-parts/answer-figure.ts';
import { NotFound, type PageRequest, page } from '../page-parts/page.ts';
import { readSegments, type Segments, segmentChoices, withSegment } from '../page-parts/segments.ts';

/** As `readIssueList` reads it. */
const Issues = z.record(z.string(), z.unknown());
type Issues = IssueList & { readonly segments: Segments };

export const ISSUES = page<Issues>({
  path: '/projects/:project_id/issues',
  summary: 'What is wrong with the pages of a crawl, and what changed since the previous one.',
  query: {
    crawl: `One of: ${CRAWL_NAMES}; without it, the main crawl.`,
    segment: 'Only pages of this first directory or segment, as in template:other.',
    segmentation: 'The segmentation of a segment that is named alone.',
    severity: 'Only issues of this severity.',
    category: 'Only issues of this category.',
    changed: '1: only issues with new, fixed or missing pages.',
    issue: 'The issue whose meaning is shown beside the list.',
    wait: '1: wait for the sums of each subject, however long they take.',
  },
  schema: Issues as unknown as z.ZodType<Issues>,
  async read({ path, query }, desk) {
    const project = path.project_id ?? '';
    const given = (name: string): string | undefined => query.get(name) || undefined;
    const asked = {
      ...{ project, crawl: given('crawl') },
      ...{ segment: given('segment'), segmentation: given('segmentation') },
    };
    const all = await desk.readOnce(`issues: ${JSON.stringify(asked)}`, async (warehouse, signal) => {
      const [crawl] = await readIssues(warehouse, asked, signal);
      return crawl && (await readIssueList(warehouse, crawl, signal));
    });
    if (all === undefined) throw new NotFound(`No crawl of project ${project} has pages yet.`);
    const issues = all.issues.filter(
      (one) =>
        (given('severity') ?? one.severity) === one.severity &&
        (given('category') ?? one.category) === one.category &&
        (!given('changed') || isChanged(one)),
    );
    const list = { ...all, issues };
    return {
      ...list,
      subjects: await subjectsOf(desk, list, query.has('wait')),
      segments: await readSegments(desk, list.crawl_id),
    };
  },
  draw: (issues, request) => ({
    title: `Issues of ${issues.project}`,
    body: drawIssues(issues, request),
  }),
});

/** Null where they take longer. */
async function subjectsOf(desk: Readers, list: IssueList, isPatient: boolean): Promise<Issues['subjects']> {
  const { crawl_id, segmentation, segment, issues } = list;
  const key = JSON.stringify([crawl_id, segmentation, segment, issues.map(({ issue }) => issue)]);
  const read = desk.once(`issues: subjects ${key}`, () =>
    desk.lanes.slowPages.run(() =>
      desk.warehouse.use((warehouse) => readIssueSubjects(warehouse, list, UNTIL_READ)),
    ),
  );
  return inTime(read, isPatient);
}

function drawIssues(document: Issues, { query }: PageRequest): Html {
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
${subjects === null && html`<p class="waiting" role="status" data-pending>The sums of subjects are still being read.</p>`}
<div class="with-panel"><div>${drawBlocks([table])}</div>
<aside>${drawBlocks([caption, ...notes])}
<p class="facts">In a terminal: <code>crawlhouse issues --project ${shellWord(project_id)} --crawl ${shellWord(crawl_id)}${flags}</code></p></aside></div>
`;
}
