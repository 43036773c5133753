import { z } from 'zod';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { counted, countText } from '../../../../core/text/amounts.ts';
import { type Html, html } from '../../../../core/text/html.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import {
  changedSegments,
  segmentsStamp,
  writtenSegmentations,
} from '../../../../etl/project/settings/change-segments.ts';
import { chosenBy } from '../../../answers/explore/chosen-crawls.ts';
import { table } from '../../../answers/presentation/html-table.ts';
import { hasRole } from '../../access/sessions.ts';
import { projectPath, urlLink } from '../../layout/addresses.ts';
import { option } from '../../layout/filter-form.ts';
import { projectTabs } from '../../layout/project-tabs.ts';
import { csrfField } from '../../layout/shell.ts';
import { calledProject } from '../../page-parts/called-project.ts';
import { type PageRequest, page } from '../../page-parts/console-page.ts';
import {
  checkOnPublished,
  draftOf,
  draftOfWritten,
  hiddenDraft,
  previewSegments,
  RULE_KINDS,
  refusalOfDraft,
  SegmentDraft,
  SegmentPreview,
  writtenOf,
} from '../../page-parts/segment-draft.ts';
import type { Readers } from '../../readers/readers.ts';

const EMPTY_RULES = 3;
const KIND_NAMES: Readonly<Record<(typeof RULE_KINDS)[number], string>> = {
  url: 'URL pattern',
  sql: 'SQL',
  oql: 'filter',
};

export const SegmentsDocument = z.strictObject({
  project_id: z.string(),
  project_name: z.string().nullable(),
  /** Names of the segmentations in segments.yaml, in its order. */
  segmentations: z.array(z.string()),
  draft: SegmentDraft,
  /** Null before the draft is checked. */
  preview: SegmentPreview.nullable(),
  problem: z.strictObject({ message: z.string(), hint: z.string().nullable() }).nullable(),
});
export type SegmentsDocument = Typed<typeof SegmentsDocument>;

export const SEGMENTS = page<SegmentsDocument>({
  path: '/projects/:project_id/segments',
  summary:
    'The segmentations of segments.yaml, and the pages of the latest crawl in each segment of a draft.',
  query: {
    stamp: 'The file when the form was opened; a check of an older file is refused.',
    at: 'The segmentation to edit, from 0; without it, a new one.',
    check: '1: count the pages of each segment of the draft in the other parameters.',
    name: 'The name of the segmentation.',
    projects: 'The projects, one per line; none: all.',
    segment: 'Of a rule: the segment.',
    kind: 'Of a rule: url, sql or oql.',
    condition: 'Of a rule: URL patterns, one per line; a condition in SQL; or a filter.',
    rest: 'The segment of pages without a match.',
    saved: '1: the segmentation was saved just now.',
  },
  posted: 'count',
  schema: SegmentsDocument,
  async read({ path, query, isOwn }, readers, signal) {
    const project = await calledProject(readers, path.project_id ?? '');
    const { projectDir } = readers.settings;
    const written = await writtenSegmentations(projectDir);
    const known = { ...projectOf(project), segmentations: written.map(({ name }) => name) };
    const asked = draftOf(query);
    const stamp = await segmentsStamp(projectDir);
    if (!query.has('check')) {
      const own = asked.at === null ? undefined : written[asked.at];
      const draft =
        own === undefined || asked.at === null
          ? { ...asked, at: null, stamp }
          : draftOfWritten(asked.at, stamp, own);
      return { ...known, draft, preview: null, problem: null };
    }
    // A check runs the user's SQL, so pages of other sites cannot start one.
    if (!isOwn)
      throw new CrawlhouseError('forbidden', 'another site links to this page', {
        hint: 'open the Segments page and check the rules there',
      });
    try {
      const preview = await previewOf(asked, project.project_id, readers, signal);
      return { ...known, draft: asked, preview, problem: null };
    } catch (thrown) {
      signal.throwIfAborted();
      return { ...known, draft: asked, preview: null, problem: refusalOfDraft(thrown) };
    }
  },
  draw: (document, request) => ({
    title: `Segments of ${document.project_name ?? document.project_id}`,
    body: drawSegments(document, request),
  }),
});

const projectOf = ({ project_id, project_name }: { project_id: string; project_name: string | null }) => ({
  project_id,
  project_name,
});

async function previewOf(
  draft: SegmentDraft,
  project: string,
  readers: Readers,
  signal: AbortSignal,
): Promise<SegmentPreview> {
  const change = { at: draft.at, stamp: draft.stamp, next: writtenOf(draft) };
  const { segmentations } = await changedSegments(readers.settings.projectDir, change);
  const columns = await checkOnPublished(readers, segmentations);
  const chosen = await readers.warehouse.use((warehouse) =>
    chosenBy({ project, crawl: 'latest' }, warehouse, signal),
  );
  const crawl = chosen.get('crawl');
  if (columns === null || crawl == null)
    throw new CrawlhouseError('usage', 'no crawl of this project has pages yet', {
      hint: 'crawlhouse run loads them',
    });
  return await previewSegments(readers, { segmentations, columns, draft, crawl }, signal);
}

function drawSegments(document: SegmentsDocument, request: PageRequest): Html {
  const { project_id, project_name, segmentations, draft, preview, problem } = document;
  const path = `${projectPath(project_id)}/segments`;
  const canCount = hasRole(request.session, 'analyst');
  const title = draft.at === null ? canCount && 'New segmentation' : (segmentations[draft.at] ?? draft.name);
  return html`<h1>${project_name ?? project_id}</h1>
${projectTabs(project_id, 'segments')}
<p class="facts">A segmentation divides the pages of a website. A page belongs to the first segment that matches.</p>
${request.query.has('saved') ? html`<p class="well" role="status">Saved in segments.yaml. The next run divides the pages of all crawls again.</p>` : null}
<ul>${segmentations.map((name, at) => html`<li><a href="${path}?at=${at}"${draft.at === at ? html` aria-current="true"` : null}>${name}</a></li>\n`)}
${canCount && html`<li><a href="${path}"${draft.at === null ? html` aria-current="true"` : null}>New segmentation</a></li>`}</ul>
${title && html`<h2>${title}</h2>`}
${problem === null ? null : html`<p class="notice" role="alert">${problem.message}${problem.hint === null ? null : html` To do: ${problem.hint}`}</p>`}
${canCount ? draftForm(path, draft, request.session.csrf) : drawRules(draft)}
${preview === null ? null : drawPreview(project_id, preview)}
${request.canAct ? saveForms(path, document, request.session.csrf) : null}
`;
}

function draftForm(path: string, draft: SegmentDraft, csrf: string): Html {
  const empty = { segment: '', kind: 'url' as const, condition: '' };
  const rules = [...draft.rules, ...Array.from({ length: EMPTY_RULES }, () => empty)];
  return html`<form class="schedule" method="post" action="${path}/count">${csrfField(csrf)}<input type="hidden" name="at" value="${draft.at ?? ''}"><input type="hidden" name="stamp" value="${draft.stamp}">
<p><label>Name <input name="name" value="${draft.name}" required maxlength="200" autocomplete="off"></label></p>
<p><label>Projects, one per line (default: all)<br><textarea name="projects" rows="2" cols="34">${draft.projects}</textarea></label></p>
${rules.map(
  ({ segment, kind, condition }, index) => html`<fieldset><legend>Rule ${index + 1}</legend>
<label>segment <input name="segment" value="${segment}" maxlength="200" autocomplete="off"></label>
<label>by <select name="kind">${RULE_KINDS.map((one) => option(one, kind, KIND_NAMES[one]))}</select></label>
<p><label>condition<br><textarea name="condition" rows="2" cols="50" spellcheck="false">${condition}</textarea></label></p>
</fieldset>
`,
)}
<p><label>Segment of pages without a match (optional) <input name="rest" value="${draft.rest}" maxlength="200" autocomplete="off"></label></p>
<p class="facts">URL patterns, one per line: /blog/ matches URLs that begin with it, * any characters, $ the end. SQL and filters use the columns of mart.pages. To remove a rule, empty its fields.</p>
<p><button type="submit" name="check" value="1" class="main">Count pages</button></p></form>
`;
}

/** For viewers, in place of the form. */
function drawRules({ rules, rest }: SegmentDraft): Html {
  return html`${table(
    'Rules',
    [
      { name: 'segment', cell: ({ segment }) => segment },
      { name: 'by', cell: ({ kind }) => KIND_NAMES[kind] },
      { name: 'condition', cell: ({ condition }) => html`<code>${condition}</code>` },
    ],
    rules,
    'Choose a segmentation.',
  )}
${rest !== '' && html`<p>Pages without a match: ${rest}</p>`}
<p class="facts">Analysts can count the pages of other rules, and operators can save them.</p>
`;
}

function drawPreview(project: string, { pages, segments }: SegmentPreview): Html {
  return html`<h2>${counted(pages, 'page')} of the latest crawl</h2>
${table(
  'Pages by segment',
  [
    { name: 'segment', cell: ({ segment }) => segment ?? 'none' },
    { name: 'pages', cell: ({ pages: own }) => countText(own) },
    {
      name: 'share',
      cell: ({ pages: own }) => (pages === 0 ? null : `${((own / pages) * 100).toFixed(1)} %`),
    },
    {
      name: 'first URLs',
      cell: ({ samples }) => html`<ul>${samples.map((url) => html`<li>${urlLink(project, url)}</li>`)}</ul>`,
    },
  ],
  segments,
  'There are no rules.',
)}
`;
}

/** Draws the forms for saving, which requires a successful count, and for removing, which asks once. */
function saveForms(path: string, { draft, preview, segmentations }: SegmentsDocument, csrf: string): Html {
  const save =
    preview === null
      ? html`<p class="facts">Count the pages first, then save.</p>`
      : html`<form method="post" action="${path}">${csrfField(csrf)}${hiddenDraft(draft)}<button type="submit" name="change" value="save" class="main">Save in segments.yaml</button></form>`;
  const name = draft.at === null ? undefined : segmentations[draft.at];
  if (name === undefined) return save;
  return html`${save}
<details><summary>Remove ${name}</summary>
<p>The next run removes this segmentation from all crawls. Pages keep their other segments.</p>
<form method="post" action="${path}">${csrfField(csrf)}<input type="hidden" name="at" value="${draft.at}"><input type="hidden" name="stamp" value="${draft.stamp}"><input type="hidden" name="was" value="${name}"><button type="submit" name="change" value="remove" class="danger">Remove the segmentation</button></form></details>`;
}
