import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { changeYamlList } from '../../../core/files/change-yaml-list.ts';
import { checkYaml, readYaml } from './yaml-file.ts';

const FILE = 'notes.yaml';
export const NOTE_KINDS = ['deployment', 'migration', 'other'] as const;

/** An event of a day, shown in charts over time (docs/console.md). */
export const Note = z.strictObject({
  date: z.iso.date('a day is expected, such as 2026-11-22').describe('The day, in UTC.'),
  project: z.string().min(1).optional().describe('Id or name of the project; default: all.'),
  kind: z.enum(NOTE_KINDS).describe('The kind of change.'),
  text: z.string().trim().min(1).max(200).describe('What happened, in a few words.'),
});
export type Note = z.output<typeof Note>;

export const NotesFile = z.strictObject({
  notes: z.array(Note).default([]).describe('One entry for each change of the website.'),
});

/**
 * Returns the notes of a project folder, oldest first. Returns an empty list if the file does not exist.
 *
 * @throws CrawlhouseError `bad_settings` naming file, line, key and valid values
 */
export async function loadNotes(projectDir: string): Promise<readonly Note[]> {
  const path = join(projectDir, FILE);
  if (!existsSync(path)) return [];
  const { notes } = checkYaml(NotesFile, await readYaml(path, FILE, 'bad_settings'), 'bad_settings');
  return notes.toSorted((a, b) => a.date.localeCompare(b.date));
}

export function notesOf(
  notes: readonly Note[],
  { project_id, project_name }: { readonly project_id: string; readonly project_name: string | null },
): Note[] {
  return notes.filter(({ project }) => [undefined, project_id, project_name].includes(project));
}

/**
 * Adds or removes a note. Comments and other notes are kept.
 *
 * @throws CrawlhouseError `usage` for an invalid note; `bad_settings` for an invalid file
 */
export async function changeNotes(
  projectDir: string,
  change: 'add' | 'remove',
  given: unknown,
): Promise<void> {
  const { success, data: note, error } = Note.safeParse(given);
  if (!success)
    throw new CrawlhouseError(
      'usage',
      error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
    );
  const place = { path: join(projectDir, FILE), key: 'notes' };
  await changeYamlList(
    place,
    () => loadNotes(projectDir),
    (list) => {
      const key = keyOf(note);
      const at = list.values.findIndex((value) => keyOf(Note.parse(value)) === key);
      if (change === 'remove') {
        if (at === -1)
          throw new CrawlhouseError('usage', 'there is no such note', {
            hint: 'reload the page: the note may have been removed',
          });
        list.remove(at);
      } else if (at === -1) list.add(note);
    },
  );
}

function keyOf({ date, project, kind, text }: Note): string {
  return JSON.stringify([date, project, kind, text]);
}
