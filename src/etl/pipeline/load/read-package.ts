import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { newerVersion } from '../../../core/errors/newer-version.ts';
import { READ_BYTES } from '../../../core/files/read-lines.ts';
import { host } from '../../../core/host/host.ts';
import { firstOf } from '../../../core/text/amounts.ts';
import { parseJson, stringifyJson } from '../../../core/text/json.ts';
import type { PreparedRows } from '../../engines/row-store.ts';
import { MANIFEST_VERSION, Manifest } from '../../project/model/manifest.ts';
import { unitName } from '../../project/model/unit.ts';

/** A complete, checked package on disk. */
export interface Package {
  readonly folder: string;
  readonly manifest: Manifest;
  /**
   * The package's rows in the warehouse's bucket, if uploaded. In that case, the parts are fetched only when they are
   * needed.
   */
  readonly prepared?: PreparedRows;
}

/**
 * Maximum bytes of a manifest, which is read into memory. A manifest with the most columns and a thousand parts has
 * less than a megabyte.
 */
const MANIFEST_BYTES = 64 * 1024 * 1024;
/** Maximum problems of a manifest in a message. */
const SHOWN = 3;
/** Maximum characters of a value in a message. */
const SHOWN_VALUE = 100;

/**
 * Opens a package. Its manifest must match the schema, and every file must have the size and hash in the manifest.
 *
 * @throws CrawlhouseError `bad_package`, `newer_version`
 */
export async function readPackage(folder: string): Promise<Package> {
  const file = join(folder, 'manifest.json');
  if (!host().files.existsSync(file)) {
    throw new CrawlhouseError('bad_package', `${folder} has no manifest.json`, {
      hint: 'a package is a folder with manifest.json and parts/; without manifest.json it is incomplete',
    });
  }
  const manifest = await readManifest(file);
  await checkFiles(folder, manifest);
  return { folder, manifest };
}

/** @throws CrawlhouseError `bad_package`, `newer_version` */
export async function readManifest(file: string): Promise<Manifest> {
  const unfit = (problem: string, cause?: unknown): CrawlhouseError =>
    new CrawlhouseError('bad_package', `${file} does not fit the schema of a manifest: ${problem}`, {
      cause,
      hint: 'docs/routes.md shows the schema; stage the unit again on the machine that created the package',
    });
  let value: unknown;
  const handle = await openFile(file);
  try {
    const { size } = await handle.stat();
    if (size > MANIFEST_BYTES) throw unfit(`it has ${size} bytes, more than ${MANIFEST_BYTES}`);
    value = parseJson(await handle.readFile('utf8'));
  } catch (cause) {
    throw cause instanceof CrawlhouseError ? cause : unfit((cause as Error).message, cause);
  } finally {
    await handle.close();
  }
  const found = (value as { version?: unknown } | null)?.version;
  if (typeof found === 'number' && found > MANIFEST_VERSION)
    throw newerVersion(
      file,
      { what: 'package', found, known: MANIFEST_VERSION },
      'load it with the newer version, or stage the unit again with this version',
    );
  const result = Manifest.safeParse(value);
  if (!result.success) {
    const problems = result.error.issues.map((issue) => describeIssue(issue, value));
    throw unfit(firstOf(problems, SHOWN), result.error);
  }
  const name = unitName(result.data.unit);
  if (result.data.name !== name)
    throw unfit(`name: ${shown(result.data.name)} is not the name of its unit, ${name}`);
  return result.data;
}

/** Returns the key, the allowed values, and the actual value. */
function describeIssue(issue: z.core.$ZodIssue, manifest: unknown): string {
  let value = manifest;
  for (const key of issue.path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  const allowed = issue.code === 'invalid_value' ? `: ${issue.values.join(', ')}` : '';
  const key = issue.path.join('.');
  return `${key ? `${key}: ` : ''}${issue.message}${allowed}, not ${shown(value)}`;
}

function shown(value: unknown): string {
  const text = stringifyJson(value) ?? 'nothing';
  return text.length > SHOWN_VALUE ? `${text.slice(0, SHOWN_VALUE)}…` : text;
}

/**
 * Checks the files of a package against its manifest. Each must be a separate file in the package's folder, not a link
 * or a device, with the size and hash in the manifest.
 *
 * @throws CrawlhouseError `bad_package`
 */
export async function checkFiles(folder: string, manifest: Manifest): Promise<void> {
  const { parts, rejects } = manifest;
  const home = join(folder, 'parts');
  if (parts.length > 0 && !(await isFolder(home))) throw notWhole(`${home} is not a folder`, LINKS);
  const seen = new Map<string, string>();
  for (const file of [...parts, ...rejects]) {
    const path = join(folder, file.file);
    const handle = await openFile(path);
    try {
      const { size, dev, ino } = await handle.stat({ bigint: true });
      const same = seen.get(`${dev}:${ino}`);
      if (same) throw notWhole(`${path} is the same file as ${same}: its rows would count twice`);
      seen.set(`${dev}:${ino}`, path);
      if (size !== BigInt(file.bytes))
        throw notWhole(`${path} has ${size} bytes, the manifest says ${file.bytes}`);
      if ((await hashOf(handle)) !== file.sha256)
        throw notWhole(`${path} is not the file that was staged: its SHA-256 differs`);
    } finally {
      await handle.close();
    }
  }
}

/**
 * Opens a file in a package without following links or waiting for a device or pipe.
 *
 * @throws CrawlhouseError `bad_package`
 */
async function openFile(path: string): Promise<FileHandle> {
  const handle = await host()
    .files.open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    .catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') throw notWhole(`${path} is missing`);
      if (cause.code === 'ELOOP' || cause.code === 'ENXIO') throw notWhole(`${path} is not a file`, LINKS);
      throw notWhole(`${path} cannot be opened: ${cause.message}`);
    });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw notWhole(`${path} is not a file`, LINKS);
}

const LINKS = 'a package contains its own files: copy the target of the link';

async function isFolder(path: string): Promise<boolean> {
  const { files } = host();
  // A path that cannot be examined is not a folder, so the caller refuses it.
  return (await files.lstat(path).catch(() => null))?.isDirectory() ?? false;
}

async function hashOf(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(handle.createReadStream({ autoClose: false, highWaterMark: READ_BYTES }), hash);
  return hash.digest('hex');
}

function notWhole(message: string, hint?: string): CrawlhouseError {
  return new CrawlhouseError('bad_package', message, { hint });
}
