import { existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { type Finding, type Looks, smallEngine } from '../../../core/duckdb/check.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { bytesOf } from '../../../core/files/disk-use.ts';
import { describeHolder, tryLockState } from '../../../core/locks/state-lock.ts';
import { SPARE_FILE } from '../../../etl/state/catalog/published/former-copies.ts';
import { readPublication } from '../../../etl/state/catalog/published/read-publication.ts';
import type { PublishedPlace } from '../../../etl/state/catalog/published/read-published.ts';
import { WAREHOUSE_VERSION } from '../../../etl/state/catalog/schema.ts';
import { type LedgerSettings, readLedger, sharedLedger } from '../../../etl/state/ledger/open-ledger.ts';
import type { MemoryPlace } from '../alert/alert-facts.ts';

const MB = 1_000_000;
/** With less free space than this, no run can work. */
const LEAST_FREE = 100 * MB;

/** The checks of this machine. */
export const OF_STATE: Looks<MemoryPlace> = { warehouse, ledger, lock, disk, memory };

async function warehouse({ warehouse: path }: PublishedPlace): Promise<Finding> {
  await using database = await smallEngine();
  using connection = await database.connect();
  const publication = await readPublication(connection, path);
  if (publication === undefined) return { message: `${path}: nothing published yet` };
  const size = Math.ceil((await stat(path)).size / MB);
  return { message: `${path}: ${size} MB, version ${publication.version} of ${WAREHOUSE_VERSION}` };
}

async function ledger(settings: LedgerSettings): Promise<Finding> {
  await using opened = await readLedger(settings);
  if (opened === undefined) return { message: 'none yet; the next run creates it' };
  await opened.check();
  const address = sharedLedger(settings);
  const where = address ? `, project ${address.project} at ${address.host}` : '';
  return { message: `${(await opened.units()).length} units, version ${opened.version}${where}` };
}

function lock({ state_dir: stateDir }: MemoryPlace): Finding {
  if (!existsSync(stateDir)) return { message: 'free' };
  const taken = tryLockState(stateDir, 'crawlhouse doctor', false);
  if ('holder' in taken) return { message: `held by ${describeHolder(taken.holder)}` };
  taken[Symbol.dispose]();
  return { message: 'free' };
}

/**
 * Checks that the disk has room for the next published file and for the working copy, in addition to the current file,
 * because a publication may copy everything. The spare file is removed if necessary.
 */
async function disk({ state_dir: stateDir, warehouse: path }: PublishedPlace): Promise<Finding> {
  const size = existsSync(path) ? (await stat(path)).size : 0;
  // One measurement per file system: two measurements differ while others write to it.
  const folders = new Map<number, string>();
  for (const folder of [dirname(path), stateDir].map(nearest)) folders.set((await stat(folder)).dev, folder);
  const places = await Promise.all([...folders.values()].map(spaceOf));
  const { free, folder } = places.reduce((least, one) => (one.free < least.free ? one : least));
  const room = free + (await bytesOf(join(stateDir, SPARE_FILE)));
  const message = `${Math.floor(free / MB)} MB free for ${folder}`;
  if (free < LEAST_FREE) throw new CrawlhouseError('disk', message, { hint: 'free some space' });
  if (room >= 2 * size) return { message };
  return { message, hint: `a publication may need ${Math.ceil((2 * size) / MB)} MB: free some space` };
}

function nearest(folder: string): string {
  return existsSync(folder) ? folder : nearest(dirname(folder));
}

async function spaceOf(folder: string): Promise<{ readonly free: number; readonly folder: string }> {
  const { bavail, bsize } = await statfs(folder);
  return { free: bavail * bsize, folder };
}

function memory({ memory_limit: limit, threads }: PublishedPlace): Finding {
  const message = `${Math.round(totalmem() / MB)} MB in this machine, memory_limit ${limit}, ${threads} threads`;
  const [, number = '0', unit = 'M'] = /^([\d.]+)\s*([KMGT])/i.exec(limit) ?? [];
  const bytes = Number(number) * { K: 1e3, M: 1e6, G: 1e9, T: 1e12 }[unit.toUpperCase() as 'K'];
  return bytes > totalmem() * 0.8
    ? { message, hint: 'lower memory_limit, because the process itself needs memory too' }
    : { message };
}
