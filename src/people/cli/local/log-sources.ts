import { createReadStream, existsSync } from 'node:fs';
import { type FileHandle, glob, open as openFile, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import type { Settings } from '../../../project/settings/settings.ts';
import type { NamedLog } from '../../../service/local/logs/remove-logs.ts';
import type { LogSource } from '../../../service/site/logs/log-source.ts';
import { listObjects } from '../../../stores/list-objects.ts';
import type { ObjectStore, StoredObject } from '../../../stores/object-store.ts';
import { objectRange } from '../../../stores/read-object.ts';
import { openConfiguredStore, STORE_NAMES, type StoreName } from '../../../stores/registry.ts';

/** A file that nobody has written to for so long has its last line whole. */
const QUIET_MS = 3_600_000;
const PIECE = 1 << 18;
/** Bytes of a request to a store. */
const STORED_PIECE = 1 << 23;
const COMPRESSED = /\.(?:gz|zst|bz2)$/i;
const GLOB = /[*?[{]/;

interface LogPlace {
  readonly settings: Settings;
  /** The folder that relative paths begin in. */
  readonly folder: string;
}

/**
 * The log files behind paths, folders, globs, `store_a:PREFIX` and `-` (standard input), by name, each once. What can't be
 * found, as in a store that is away, is a source that can't be opened: those after it are read.
 */
export async function* logSources(
  given: readonly string[],
  place: LogPlace,
  signal: AbortSignal,
): AsyncGenerator<LogSource> {
  const seen = new Set<string>();
  for (const one of given) {
    try {
      yield* sourcesOf(one, place, seen, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      yield {
        ...{ name: one, version: null, isFinal: true },
        open() {
          throw thrown;
        },
      };
    }
  }
}

async function* sourcesOf(
  given: string,
  { settings, folder }: LogPlace,
  seen: Set<string>,
  signal: AbortSignal,
): AsyncGenerator<LogSource> {
  const store = STORE_NAMES.find((name) => given.startsWith(`${name}:`));
  if (given === '-') yield* standardInput(settings, signal);
  else if (store !== undefined) yield* storedLogs(settings, store, given.slice(store.length + 1), signal);
  else
    for (const path of await pathsOf(given, folder)) {
      if (seen.has(path)) continue;
      seen.add(path);
      yield await localLog(path);
    }
}

/** Logs that a person names to remove them: those that are there, and the paths of others. */
export async function* namedLogs(
  named: readonly string[],
  place: LogPlace,
  signal: AbortSignal,
): AsyncGenerator<NamedLog> {
  for (const one of named) {
    const path = one.includes('://') ? one : resolve(place.folder, one);
    const isPath = one !== '-' && !STORE_NAMES.some((name) => one.startsWith(`${name}:`));
    if (isPath && !GLOB.test(one) && !existsSync(path)) yield { path, source: null };
    else for await (const source of logSources([one], place, signal)) yield { path: source.name, source };
  }
}

/** Refuses paths that are not there, before anything is read. */
export async function checkLogSources(given: readonly string[], folder: string): Promise<void> {
  for (const one of given)
    if (one !== '-' && !STORE_NAMES.some((name) => one.startsWith(`${name}:`))) await pathsOf(one, folder);
}

async function pathsOf(given: string, folder: string): Promise<string[]> {
  const path = resolve(folder, given);
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return null;
    throw new CrawlhouseError('usage', `${given} can't be read: ${cause.message}`, { cause });
  });
  if (found?.isDirectory()) {
    const entries = await readdir(path, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => join(path, name))
      .sort();
  }
  if (found !== null) return [path];
  const matches = GLOB.test(given) ? await Array.fromAsync(glob(given, { cwd: folder })) : [];
  if (matches.length > 0) return matches.map((one) => resolve(folder, one)).sort();
  throw new CrawlhouseError('usage', `there is no file ${given}`, {
    hint: 'crawlhouse logs add /var/log/nginx/access.log*',
  });
}

async function localLog(path: string): Promise<LogSource> {
  const { size, mtimeMs, ino } = await stat(path);
  const isFinal = COMPRESSED.test(path) || Date.now() - mtimeMs > QUIET_MS;
  return {
    name: path,
    version: `${ino} ${size} ${mtimeMs} ${isFinal}`,
    isFinal,
    open: (start) => createReadStream(path, { start, highWaterMark: PIECE }),
  };
}

async function* storedLogs(
  settings: Settings,
  name: StoreName,
  prefix: string,
  signal: AbortSignal,
): AsyncGenerator<LogSource> {
  await using store = await openConfiguredStore(settings, name);
  for (const object of await listObjects(store, prefix, signal))
    if (object.size > 0) yield storedLog(store, object);
}

function storedLog(store: ObjectStore, object: StoredObject): LogSource {
  return {
    name: object.url,
    version: object.version,
    isFinal: true,
    async *open(from, signal) {
      for (let at = from, to: number; at < object.size; at = to) {
        to = Math.min(at + STORED_PIECE, object.size);
        // Of exactly the listed version, and whole: a cut answer would be a shorter log.
        yield await objectRange(store, object, { range: { from: at, to } }, signal);
      }
    },
  };
}

/**
 * Standard input is kept in a file while it is read, because its begin is looked at first. The file has no name from the start, so
 * that nothing of it stays whatever ends the process.
 */
async function* standardInput(settings: Settings, signal: AbortSignal): AsyncGenerator<LogSource> {
  const path = join(settings.state_dir, 'standard-input.log');
  makeFolder(dirname(path));
  await rm(path, { force: true });
  await using file = await openFile(path, 'wx+', 0o600);
  await rm(path);
  // A stream on it that is not closed itself would let its close wait for ever.
  await file.writeFile(addAbortSignal(signal, process.stdin));
  yield { name: 'standard input', version: null, isFinal: true, open: (from) => piecesOf(file, from) };
}

/** The bytes of a file from a place. */
async function* piecesOf(file: FileHandle, from: number): AsyncGenerator<Buffer> {
  for (let at = from; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE), 0, PIECE, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
