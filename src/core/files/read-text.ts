import { CrawlhouseError } from '../errors/errors.ts';
import { host } from '../host/host.ts';

const BYTE_ORDER_MARK = '\ufeff';

/** Maximum bytes of a project file. A seed of a million lines is smaller. */
const MOST_KEPT = 32_000_000;

/**
 * Reads a file of the project: settings, pipelines, models, questions. It removes the byte order mark that some editors
 * write.
 *
 * @throws CrawlhouseError `bad_project` for a pipe or a device, which may never end, and for a file that is too large
 * @throws Error of the file system, which names the path also for a folder
 */
export async function readText(path: string): Promise<string> {
  try {
    await checkPlainFile(path, MOST_KEPT);
    return withoutMark(await host().files.readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof CrawlhouseError) throw error;
    // Node.js opens a folder and fails on reading, when it no longer knows the path.
    throw Object.assign(error as Error, { path });
  }
}

/**
 * Checks a file before it is read in full. A folder passes, because reading a folder raises its own error.
 *
 * @throws CrawlhouseError `bad_project`
 */
export async function checkPlainFile(path: string, most: number): Promise<void> {
  const found = await host().files.stat(path);
  if (!found.isFile() && !found.isDirectory())
    throw new CrawlhouseError(
      'bad_project',
      `${path} is a pipe or a device; a plain file is expected there`,
      { hint: 'write the content to a file with this name' },
    );
  if (found.isFile() && found.size > most) throw tooLarge(path, most);
}

export function tooLarge(path: string, most: number): CrawlhouseError {
  return new CrawlhouseError('bad_project', `${path} has more than ${most / 1_000_000} MB`, {
    hint: 'check that it is the right file',
  });
}

export function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
}

/** Returns the value, or null if the file does not exist. Any other error of the file system is thrown. */
export async function orMissing<T>(value: Promise<T>): Promise<T | null> {
  return value.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}
