import { loadQuestions } from '../../../pipeline/transform/questions/questions.ts';
import type { Settings } from '../../../project/settings/settings.ts';
import { sqlFolders } from '../../../project/sql/models/sql-folders.ts';

/** Whether a project has a saved question: it may do without those that ship. */
export async function hasQuestion(settings: Settings, name: string): Promise<boolean> {
  return (await loadQuestions(sqlFolders(settings))).some((one) => one.name === name);
}
