import { readdir, readFile, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** What a process has at a moment. */
export interface ProcessSample {
  /** Bytes in memory (VmRSS). */
  readonly memory: number;
  /** Open file descriptors. */
  readonly handles: number;
  readonly threads: number;
  /** Its direct child processes. */
  readonly children: number;
}

/** Null where the process is gone. Linux only: it reads /proc. */
export async function sampleProcess(pid: number): Promise<ProcessSample | null> {
  const folder = join('/proc', String(pid));
  try {
    const status = await readFile(join(folder, 'status'), 'utf8');
    const number = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
    const handles = (await readdir(join(folder, 'fd'))).length;
    const tasks = await readdir(join(folder, 'task'));
    const children = await Promise.all(
      // A thread that has ended by now has none.
      tasks.map((task) => readFile(join(folder, 'task', task, 'children'), 'utf8').catch(() => '')),
    );
    return {
      memory: number('VmRSS') * 1024,
      handles,
      threads: number('Threads'),
      children: children.join(' ').split(/\s+/).filter(Boolean).length,
    };
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

export interface FolderSample {
  /** Bytes of all files. */
  readonly disk: number;
  readonly temporaryFiles: number;
  readonly temporaryDisk: number;
}

/** Folders whose files are there for a while only: spill of DuckDB, packages and raw files until they are loaded. */
const TEMPORARY_FOLDERS = ['spill', 'packages', 'raw', 'query', '.tmp', 'tmp'];

/** What folders hold, and how much of it is temporary. */
export async function sampleFolders(folders: readonly string[]): Promise<FolderSample> {
  let [disk, temporaryFiles, temporaryDisk] = [0, 0, 0];
  for (const folder of folders) {
    for (const { path, size } of await filesBelow(folder)) {
      disk += size;
      if (!isTemporary(path)) continue;
      temporaryFiles++;
      temporaryDisk += size;
    }
  }
  return { disk, temporaryFiles, temporaryDisk };
}

/** The names of temporary files in folders, below each. */
export async function temporaryFiles(folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(folders.map(filesBelow));
  return found.flat().flatMap(({ path }) => (isTemporary(path) ? [path] : []));
}

function isTemporary(path: string): boolean {
  const parts = path.split(sep);
  return (
    (parts.at(-1) ?? '').endsWith('.tmp') ||
    parts.slice(0, -1).some((part) => TEMPORARY_FOLDERS.includes(part))
  );
}

interface Found {
  /** Below the folder that was asked for, with that folder's own name. */
  readonly path: string;
  readonly size: number;
}

async function filesBelow(folder: string): Promise<Found[]> {
  // A folder that is not there yet, or was removed meanwhile.
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ name, parentPath }) => {
        const path = join(parentPath, name);
        // Removed meanwhile.
        const size = await stat(path).then(
          (one) => one.size,
          () => null,
        );
        return size === null
          ? []
          : [{ path: join(folder.split(sep).at(-1) ?? '', path.slice(folder.length)), size }];
      }),
  );
  return files.flat();
}
