import { readFile } from 'node:fs/promises';

/**
 * The text of a file that a person keeps: settings, pipelines, models, questions.
 *
 * @throws Error of the file system, which names the path also for a folder
 */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    // Node.js opens a folder and fails at the read, which knows no path any more.
    throw Object.assign(error as Error, { path });
  }
}
