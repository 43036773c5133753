import { basename } from 'node:path';
import { z } from 'zod';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { bytesText } from '../../../../core/text/amounts.ts';
import { type Html, html } from '../../../../core/text/html.ts';
import { lookUp } from '../../../../core/text/look-up.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { table } from '../../../answers/presentation/html-table.ts';
import { statusMark, timeText } from '../../../answers/presentation/marks.ts';
import { ReceivedFile } from '../../actions/received-files.ts';
import { MOST_FILE_BYTES } from '../../actions/staged-files.ts';
import { READING_FIELDS, readUpload, UploadAction } from '../../actions/upload-action.ts';
import { UploadPreview } from '../../actions/upload-preview.ts';
import { csrfField } from '../../layout/shell.ts';
import { NotFound, type PageRequest, page } from '../../page-parts/console-page.ts';
import { AuditLine, auditLine } from '../audit-page.ts';

const MOST = 100;

const Added = z.strictObject({
  file: z.string(),
  kind: z.enum(['logs', 'demand']),
  /** The website or project; empty: the only one. */
  site: z.string(),
  /** The action that added it. */
  added: AuditLine,
  /** The last action that took it back; null: none. */
  removed: AuditLine.nullable(),
});
type Added = Typed<typeof Added>;

const Uploads = z.strictObject({
  limit_bytes: z.number(),
  /** The files of the person's last upload that were refused, or that wait to be added. */
  received: z.array(ReceivedFile),
  added: z.array(Added),
});

export const UPLOADS = page<Typed<typeof Uploads>>({
  path: '/uploads',
  summary: 'For operators: the form for access logs and search exports, and the files that were added.',
  schema: Uploads,
  async read(request) {
    const { actions } = request;
    const lineOf = (id: number | null): AuditLine | null => {
      const entry = id === null ? null : actions.audit.find(id);
      return entry === null ? null : auditLine(entry, actions);
    };
    const added = actions.uploads.list(MOST).flatMap(({ file, kind, site, action, removal }) => {
      const line = lineOf(action);
      return line === null ? [] : [{ file, kind, site, added: line, removed: lineOf(removal) }];
    });
    const isWaiting = ({ address }: ReceivedFile): boolean =>
      address === null || actions.staged.has(new URL(address, 'http://x').searchParams.get('file') ?? '');
    const received = actions.received.of(request.session.subject).filter(isWaiting);
    return { limit_bytes: MOST_FILE_BYTES, received, added };
  },
  draw: ({ limit_bytes, received, added }, request) => ({
    title: 'Uploads',
    body: html`<h1>Uploads</h1>
${received.length === 0 ? null : receivedTable(received)}
<form class="upload" method="post" action="/uploads" enctype="multipart/form-data" data-drop>${csrfField(request.session.csrf)}
<p><label for="kind">What it is</label><br><select id="kind" name="kind"><option value="logs">access logs</option><option value="demand">an export of Search Console or Bing Webmaster Tools</option></select></p>
<p><label for="site">Website or project, if there are several</label><br><input id="site" name="site" placeholder="https://www.example.com/"></p>
<p><label for="file">Files, at most ${bytesText(limit_bytes)} together; you can drop them here</label><br><input id="file" type="file" name="file" multiple required></p>
<p><button type="submit" class="main">Upload</button></p></form>
<p class="facts">The next page shows how crawlhouse reads each file. Nothing is added before you confirm it.</p>
<h2>Added files</h2>
${addedTable(added, request)}`,
  }),
});

/** Returns one row for each file of the last upload. */
function receivedTable(received: readonly ReceivedFile[]): Html {
  return table(
    'Last upload',
    [
      { name: 'file', cell: ({ name }) => name || 'other files' },
      {
        name: 'result',
        cell: ({ name, address, problem, hint }) =>
          address === null
            ? html`<strong class="bad">${problem}</strong>${hint === null ? null : html` To do: ${hint}`}`
            : html`received; <a href="${address}" aria-label="Read and add ${name}">read and add</a>`,
      },
    ],
    received,
    '',
  );
}

function addedTable(added: readonly Added[], request: PageRequest): Html {
  return table(
    'Added files',
    [
      { name: 'file', cell: ({ file }) => basename(file) },
      { name: 'kind', cell: ({ kind }) => kind },
      { name: 'website or project', cell: ({ site }) => site || null },
      { name: 'added (UTC)', cell: (one) => stepText(one.added) },
      { name: 'by', cell: (one) => one.added.subject },
      { name: 'removed (UTC)', cell: (one) => takenBack(one, request) },
    ],
    added,
    'No uploaded file was added yet.',
  );
}

function stepText({ id, status, began_at }: AuditLine): Html {
  return html`<a href="/do/actions/${id}">${statusMark(status)}</a> ${timeText(began_at)}`;
}

function takenBack({ file, kind, site, added, removed }: Added, { session }: PageRequest): Html | null {
  const isPossible = added.status === 'done' && (removed === null || removed.status === 'failed');
  const fields = { action: `${kind}-remove`, file, site };
  const name = basename(file);
  return html`${removed && stepText(removed)}${
    isPossible &&
    html`<details><summary>Remove</summary><p>Remove the rows of ${name}?</p>
<form method="post" action="/uploads/add">${csrfField(session.csrf)}${hidden(fields)}<button type="submit" class="main danger" aria-label="Remove ${name}">Remove</button></form></details>`
  }`;
}

const UploadDocument = z.strictObject({ action: UploadAction, command: z.string(), preview: UploadPreview });

const LABELS: Readonly<Record<string, string>> = {
  format: 'Format of the lines, if it is wrong',
  time_zone: 'Time zone of times without an offset',
  from: 'First day of the totals',
  to: 'Day after the last day of the totals',
  date_order: 'Order of days such as 7/1/2026: dmy or mdy',
  decimal: 'Decimal mark: comma or point',
};

export const UPLOAD = page<Typed<typeof UploadDocument>>({
  path: '/uploads/read',
  summary: 'For operators: how an uploaded file is read. Adds nothing.',
  query: {
    action: 'logs-add or demand-add.',
    file: 'The uploaded file.',
    site: 'The website or project; empty: the only one.',
    ...LABELS,
  },
  schema: UploadDocument,
  async read(request, _readers, signal) {
    const { actions, query, isOwn } = request;
    // A preview starts a process, so pages of other sites cannot start one.
    if (!isOwn)
      throw new CrawlhouseError('forbidden', 'another site links to this page', {
        hint: 'open the page Uploads',
      });
    const action = readUpload(query);
    if (!action.action.endsWith('-add') || !actions.staged.has(action.file))
      throw new NotFound('This file was added or removed. Upload it again.');
    return { action, command: actions.commandOf(action), preview: await actions.preview(action, signal) };
  },
  draw({ action, preview }, { session }) {
    const { understood, statuses, notes, problem, hint } = preview;
    const isNew = statuses.includes('planned');
    const name = basename(action.file);
    return {
      title: name,
      body: html`<h1>${isNew ? html`Add ${name}?` : name}</h1>
${problem === null ? null : html`<p class="notice">${problem}</p>`}
${hint === null ? null : html`<p>To do: ${hint}</p>`}
${!isNew && problem === null ? html`<p class="notice">The file contains nothing new: ${statuses.join(', ') || 'it is empty'}.</p>` : null}
${understood.map(drawFacts)}
${notes.map((note) => html`<p class="facts">${note}</p>`)}
${isNew ? html`<form method="post" action="/uploads/add">${csrfField(session.csrf)}${hidden(action)}<p><button type="submit" class="main">Add</button> <a class="button" href="/uploads">Back</a></p></form>` : html`<p><a class="button" href="/uploads">Back</a></p>`}
${readingForm(action)}`,
    };
  },
});

function drawFacts(facts: UploadPreview['understood'][number]): Html {
  return html`<dl class="facts-list">${facts.map(
    ({ name, value, is_guess }) =>
      html`<dt>${name}</dt><dd>${value}${is_guess && html` <strong class="warn">(a guess)</strong>`}</dd>`,
  )}</dl>`;
}

/** Returns the form that reads the file in another way. */
function readingForm(action: UploadAction): Html | null {
  if (action.action !== 'logs-add' && action.action !== 'demand-add') return null;
  const names: readonly string[] = ['site', ...READING_FIELDS[action.action]];
  const given: Readonly<Record<string, string>> = action;
  const label = (name: string): string => lookUp(LABELS, name) ?? 'Website or project';
  return html`<details><summary>Read it differently</summary><form method="get" action="/uploads/read">${hidden({ action: action.action, file: action.file })}
${names.map(
  (
    name,
  ) => html`<p><label for="${name}">${label(name)}</label><br><input id="${name}" name="${name}" value="${lookUp(given, name) ?? ''}"></p>
`,
)}<p><button type="submit">Read it again</button></p></form></details>`;
}

function hidden(fields: Readonly<Record<string, string>>): readonly Html[] {
  return Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
}
