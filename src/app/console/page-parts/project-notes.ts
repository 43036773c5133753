import { z } from 'zod';
import { toCrawlhouseError } from '../../../core/errors/errors.ts';
import { type Html, html } from '../../../core/text/html.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { loadNotes, NOTE_KINDS, Note, notesOf } from '../../../etl/project/settings/notes.ts';
import { projectPath } from '../layout/addresses.ts';
import { csrfField } from '../layout/shell.ts';
import type { PageRequest } from './console-page.ts';

export const ProjectNotes = z.strictObject({
  /** The oldest first. */
  list: z.array(Note),
  /** Why notes.yaml cannot be read. */
  problem: z.string().nullable(),
});
type ProjectNotes = Typed<typeof ProjectNotes>;

export async function readNotes(
  projectDir: string,
  project: { readonly project_id: string; readonly project_name: string | null },
): Promise<ProjectNotes> {
  try {
    return { list: notesOf(await loadNotes(projectDir), project), problem: null };
  } catch (thrown) {
    // A mistake in this file must not prevent charts.
    return { list: [], problem: toCrawlhouseError(thrown).message };
  }
}

/** Returns the list of notes and, for those who may change them, the forms that change them. */
export function drawNotes(
  project: string,
  { list, problem }: ProjectNotes,
  { may, session }: Pick<PageRequest, 'may' | 'session'>,
): Html | null {
  if (problem !== null) return html`<p class="notice">The notes could not be read. ${problem}</p>`;
  const canNote = may('POST /projects/:project_id/notes');
  if (list.length === 0 && !canNote) return null;
  const form = (change: 'add' | 'remove', fields: Html): Html =>
    html`<form class="choose" method="post" action="${projectPath(project)}/notes">${csrfField(session.csrf)}<input type="hidden" name="change" value="${change}">${fields}</form>`;
  const hidden = (note: Note): Html =>
    html`${Object.entries(note).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button type="submit" aria-label="Remove the note: ${note.text}">Remove</button>`;
  return html`<h2>Notes</h2>
${list.length === 0 ? html`<p class="empty">A note marks a day in the charts, such as a deployment.</p>` : null}
<ul class="notes">${list.map(
    (note) =>
      html`<li><time datetime="${note.date}">${note.date}</time> ${note.kind}: ${note.text} ${canNote ? form('remove', hidden(note)) : null}</li>\n`,
  )}</ul>
${
  canNote
    ? form(
        'add',
        html`<input type="hidden" name="project" value="${project}">
<label>day <input type="date" name="date" required></label>
<label>kind <select name="kind">${NOTE_KINDS.map((kind) => html`<option>${kind}</option>`)}</select></label>
<label>what happened <input name="text" required maxlength="200"></label>
<button type="submit">Add a note</button>`,
      )
    : null
}
`;
}
