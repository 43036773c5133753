import { CrawlhouseError } from '../errors/errors.ts';
import { host } from '../host/host.ts';

const BYTE_ORDER_MARK = '\ufeff';

/** Bytes of a file that a person keeps: a seed of a million lines has fewer. */
const MOST_KEPT = 32_000_000;

/**
 * The text of a file that a person keeps: settings, pipelines, models, questions. The byte order mark that some editors
 * write at the start is no part of it.
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
    // Node.js opens a folder and fails at the read, which knows no path any more.
    throw Object.assign(error as Error, { path });
  }
}

/**
 * Looks at a file before it is read whole. A folder passes: the read of it has its own error.
 *
 * @throws CrawlhouseError `bad_project`
 */
export async function checkPlainFile(path: string, most: number): Promise<void> {
  const found = await host().files.stat(path);
  if (!found.isFile() && !found.isDirectory())
    throw new CrawlhouseError(
      'bad_project',
      `${path} is a pipe or a device; a plain file is expected there`,
      {
        hint: 'write its content to a file of this name',
      },
    );
  if (found.isFile() && found.size > most) throw tooLarge(path, most);
}

export function tooLarge(path: string, most: number): CrawlhouseError {
  return new CrawlhouseError('bad_project', `${path} has more than ${most / 1_000_000} MB`, {
    hint: 'check that it is the file that was meant',
  });
}

export function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
}

/** The value, or null where there is no such file. Any other error of the file system stays one. */
export async function orMissing<T>(value: Promise<T>): Promise<T | null> {
  return value.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}
