import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isSeq } from 'yaml';
import { z } from 'zod';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { writeFileAtomic } from '../../core/files/atomic-file.ts';
import { readText } from '../../core/files/read-text.ts';
import { Semaphore } from '../../core/queue/semaphore.ts';
import { documentToChange } from '../../core/text/parse-yaml.ts';
import { checkYaml, readYaml } from './yaml-file.ts';

const FILE = 'notes.yaml';
export const NOTE_KINDS = ['deployment', 'migration', 'other'] as const;

/** What happened on a day, shown in charts over time (docs/console.md). */
export const Note = z.strictObject({
  date: z.iso.date('a day is expected, such as 2026-11-22').describe('The day, of UTC.'),
  project: z.string().min(1).optional().describe('Id or name of the project; default: all of them.'),
  kind: z.enum(NOTE_KINDS).describe('What kind of change it was.'),
  text: z.string().trim().min(1).max(200).describe('What happened, in a few words.'),
});
export type Note = z.output<typeof Note>;

export const NotesFile = z.strictObject({
  notes: z.array(Note).default([]).describe('One a change of the website.'),
});

/**
 * The notes of a project folder, the oldest first; none without the file.
 *
 * @throws CrawlhouseError `bad_settings` naming file, line, key and what would work
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

/** Of two changes at once the later one would write what the file was before the other. */
const writing = new Semaphore(1);

/**
 * Adds a note, or removes it. Comments and other notes stay.
 *
 * @throws CrawlhouseError `usage` for a note that does not fit; `bad_settings` for a file that does not
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
  await writing.run(() => writeChange(projectDir, change, note));
}

async function writeChange(projectDir: string, change: 'add' | 'remove', note: Note): Promise<void> {
  await loadNotes(projectDir);
  const path = join(projectDir, FILE);
  const document = documentToChange(existsSync(path) ? await readText(path) : '');
  const known = document.get('notes');
  const items = isSeq(known) ? known.items : [];
  const key = keyOf(note);
  const place = items.findIndex(
    (item) => keyOf(Note.parse(document.createNode(item).toJS(document))) === key,
  );
  if (change === 'remove') {
    if (place === -1)
      throw new CrawlhouseError('usage', 'there is no such note', {
        hint: 'load the page again: it may be gone',
      });
    document.deleteIn(['notes', place]);
  } else if (items.length === 0) document.set('notes', [note]);
  else if (place === -1) document.addIn(['notes'], document.createNode(note));
  await writeFileAtomic(path, document.toString({ lineWidth: 0 }));
}

function keyOf({ date, project, kind, text }: Note): string {
  return JSON.stringify([date, project, kind, text]);
}
