import { changeNotes } from '../../../etl/project/settings/notes.ts';
import { projectPath } from '../layout/addresses.ts';
import type { ConsoleForm, SentForm } from './console-form.ts';

const NOTE_FIELDS = ['date', 'project', 'kind', 'text'];

function changeOf({ form }: SentForm) {
  const change = form.get('change') === 'remove' ? ('remove' as const) : ('add' as const);
  return { change, note: Object.fromEntries([...form].filter(([name]) => NOTE_FIELDS.includes(name))) };
}

/** Adds or removes a note of `notes.yaml`, and continues at the page of the project. */
export const NOTE_FORM: ConsoleForm = {
  path: '/projects/:project_id/notes',
  failed: 'The note was not written',
  audit(sent) {
    const { change, note } = changeOf(sent);
    return `${change} note ${JSON.stringify(note)}`;
  },
  async act(sent, { settings }) {
    const { change, note } = changeOf(sent);
    await changeNotes(settings.projectDir, change, note);
    return projectPath(String(sent.path.project_id));
  },
};
