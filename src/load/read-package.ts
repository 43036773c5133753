import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CrawlhouseError } from '../core/errors.ts';
import { parseJson } from '../core/json.ts';
import { Manifest } from '../model/manifest.ts';
import { unitName } from '../model/unit.ts';

/** A package on disk, whole and checked. */
export interface StagedPackage {
  readonly folder: string;
  readonly manifest: Manifest;
}

/**
 * Opens a package: its manifest must fit the schema, and every part must have the size and hash that it says.
 *
 * @throws CrawlhouseError `bad_package`
 */
export async function readPackage(folder: string): Promise<StagedPackage> {
  const file = join(folder, 'manifest.json');
  if (!existsSync(file)) {
    throw new CrawlhouseError('bad_package', `${folder} has no manifest.json`, {
      hint: 'a package is a folder with manifest.json and parts/; one without it was never finished',
    });
  }
  let manifest: Manifest;
  try {
    manifest = Manifest.parse(parseJson(await readFile(file, 'utf8')));
  } catch (cause) {
    throw new CrawlhouseError('bad_package', `${file} does not fit the schema of a manifest`, { cause });
  }
  if (manifest.name !== unitName(manifest.unit)) {
    throw new CrawlhouseError('bad_package', `${file}: the name ${manifest.name} is not that of its unit`);
  }
  for (const part of manifest.parts) {
    const path = join(folder, part.file);
    if (!existsSync(path)) throw new CrawlhouseError('bad_package', `${path} is missing`);
    const size = (await stat(path)).size;
    if (size !== part.bytes) {
      throw new CrawlhouseError('bad_package', `${path} has ${size} bytes, the manifest says ${part.bytes}`);
    }
    const hash = createHash('sha256');
    await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
    if (hash.digest('hex') !== part.sha256) {
      throw new CrawlhouseError(
        'bad_package',
        `${path} is not the file that was staged: its SHA-256 differs`,
      );
    }
  }
  return { folder, manifest };
}
