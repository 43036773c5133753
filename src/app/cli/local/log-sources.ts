import { createReadStream, existsSync } from 'node:fs';
import { type FileHandle, glob, open as openFile, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { listObjects } from '../../../core/stores/list-objects.ts';
import type { ObjectStore, StoredObject } from '../../../core/stores/object-store.ts';
import { objectRange } from '../../../core/stores/read-object.ts';
import { openConfiguredStore, STORE_NAMES, type StoreName } from '../../../core/stores/registry.ts';
import type { Settings } from '../../../etl/project/settings/settings.ts';
import type { NamedLog } from '../../../service/logs/remove-logs.ts';
import type { LogSource } from '../../../site/access-logs/log-source.ts';

/** After this time without writes, the last line of a file counts as complete. */
const QUIET_MS = 3_600_000;
const PIECE = 1 << 18;
/** Bytes per request to a store. */
const STORED_PIECE = 1 << 23;
const COMPRESSED = /\.(?:gz|zst|bz2)$/i;
const GLOB = /[*?[{]/;

interface LogPlace {
  readonly settings: Settings;
  /** The base folder of relative paths. */
  readonly folder: string;
}

/**
 * Yields each log file once, sorted by name. Accepts paths, folders, globs, `store_a:PREFIX` and `-` (standard input).
 * A source that cannot be found, such as an unavailable store, is also yielded and fails when it is opened, so that the
 * following sources are still read.
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
        name: one,
        version: null,
        isFinal: true,
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

/** Logs that the user names to remove them: existing files, and the paths of others. */
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

/** Refuses missing paths before anything is read. */
export async function checkLogSources(given: readonly string[], folder: string): Promise<void> {
  for (const one of given)
    if (one !== '-' && !STORE_NAMES.some((name) => one.startsWith(`${name}:`))) await pathsOf(one, folder);
}

async function pathsOf(given: string, folder: string): Promise<string[]> {
  const path = resolve(folder, given);
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return null;
    throw new CrawlhouseError('usage', `${given} cannot be read: ${cause.message}`, { cause });
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
  if (matches.length > 0) return matches.map((match) => resolve(folder, match)).sort();
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
        // The listed version, in full: a truncated answer would be a shorter log.
        yield await objectRange(store, object, { range: { from: at, to } }, signal);
      }
    },
  };
}

/**
 * Stores standard input in a file while it is read, because its beginning is inspected first. The file never has a
 * name, so nothing of it remains, however the process ends.
 */
async function* standardInput(settings: Settings, signal: AbortSignal): AsyncGenerator<LogSource> {
  const path = join(settings.state_dir, 'standard-input.log');
  makeFolder(dirname(path));
  await rm(path, { force: true });
  await using file = await openFile(path, 'wx+', 0o600);
  await rm(path);
  // An unclosed stream on the file would block its close forever.
  await file.writeFile(addAbortSignal(signal, process.stdin));
  yield { name: 'standard input', version: null, isFinal: true, open: (from) => piecesOf(file, from) };
}

/** Yields the bytes of a file from an offset. */
async function* piecesOf(file: FileHandle, from: number): AsyncGenerator<Buffer> {
  for (let at = from; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE), 0, PIECE, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
