import { host } from '../host/host.ts';

const BYTE_ORDER_MARK = '\ufeff';

/**
 * The text of a file that a person keeps: settings, pipelines, models, questions. The byte order mark that some editors
 * write at the start is no part of it.
 *
 * @throws Error of the file system, which names the path also for a folder
 */
export async function readText(path: string): Promise<string> {
  try {
    const text = await host().files.readFile(path, 'utf8');
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
  } catch (error) {
    // Node.js opens a folder and fails at the read, which knows no path any more.
    throw Object.assign(error as Error, { path });
  }
}

/** The value, or null where there is no such file. Any other error of the file system stays one. */
export async function orMissing<T>(value: Promise<T>): Promise<T | null> {
  return value.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}
