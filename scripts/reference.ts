import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderDictionaryPage } from '../src/app/answers/dictionary/dictionary-page.ts';
import { readDictionary } from '../src/app/answers/dictionary/read-dictionary.ts';
import { loadSettings } from '../src/app/settings/load-settings.ts';
import { commandsPage } from './commands-page.ts';
import { issuesPage } from './issues-page.ts';
import { questionsPage } from './questions-page.ts';
import { settingsPage } from './settings-page.ts';

const ROOT = join(import.meta.dirname, '..');
/** Where the pages stand in a clone and in the package. */
const REFERENCE = join(ROOT, 'docs', 'reference');

/** The pages that are made from the files that they describe, by their names. */
export async function referencePages(): Promise<Readonly<Record<string, string>>> {
  const dictionary = await readDictionary(await loadSettings(ROOT, {}), [], { published: false });
  return {
    'commands.md': await commandsPage(),
    // The page of a project stands one folder higher.
    'dictionary.md': renderDictionaryPage(dictionary).replaceAll('](../sql/', '](../../sql/'),
    'issues.md': await issuesPage(),
    'questions.md': await questionsPage(),
    'settings.md': settingsPage(),
  };
}

if (import.meta.main) {
  await mkdir(REFERENCE, { recursive: true });
  for (const [name, text] of Object.entries(await referencePages())) {
    await writeFile(join(REFERENCE, name), text);
    process.stdout.write(`docs/reference/${name}\n`);
  }
}
