import { constants, existsSync } from 'node:fs';
import { copyFile, readlink, realpath, rm } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { damagedFile } from '../../../../core/duckdb/database-blocks.ts';
import { type Connection, ident, text } from '../../../../core/duckdb/duckdb.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../../../core/errors/errors.ts';
import type { Logger } from '../../../../core/logs/logger.ts';
import { setAsideWal } from './set-aside-wal.ts';

/**
 * Attaches a published warehouse for reading. Ignores a write-ahead log that another program left behind.
 *
 * @throws CrawlhouseError `locked` when another program has it open for writing, `damaged_warehouse`, `bad_settings`
 *   when it is not a DuckDB file
 */
export async function attachPublished(
  connection: Connection,
  path: string,
  name: string,
  logger?: Logger,
): Promise<void> {
  const wal = `${await targetOf(path)}.wal`;
  const attach = (): Promise<unknown> => connection.run(`ATTACH ${text(path)} AS ${ident(name)} (READ_ONLY)`);
  const notOpened = (error: unknown): CrawlhouseError =>
    publishedError(path, error, 'is not a readable DuckDB file');
  try {
    await attach();
    if (!existsSync(wal)) return;
    await connection.run(`DETACH ${ident(name)}`);
  } catch (thrown) {
    const error = notOpened(thrown);
    if (error.code === 'locked' || !existsSync(wal)) throw error;
  }
  // Only now is it certain that no other program is writing the file.
  await setAsideWal(wal.slice(0, -'.wal'.length), logger);
  await attach().catch((error: unknown) => {
    throw notOpened(error);
  });
}

/** A published warehouse that is attached until it is disposed of. */
export interface AttachedPublished extends AsyncDisposable {
  /** Whether another program has the file open for writing. If so, a copy is attached. */
  readonly hasWriter: boolean;
}

/**
 * Attaches the published file. If another program has it open for writing, attaches a copy that no program locks.
 * DuckDB locks the files that it opens, but a publication needs no lock, because it replaces the file.
 *
 * @param workingPath the copy is written to the same directory
 */
export async function attachDespiteWriter(
  connection: Connection,
  { path, name, workingPath }: { readonly path: string; readonly name: string; readonly workingPath: string },
  logger?: Logger,
): Promise<AttachedPublished> {
  const copy = `${workingPath}.${name}`;
  const attached = (hasWriter: boolean): AttachedPublished => ({
    hasWriter,
    async [Symbol.asyncDispose]() {
      await connection.run(`DETACH ${ident(name)}`);
      await rm(copy, { force: true });
    },
  });
  try {
    await attachPublished(connection, path, name, logger);
    return attached(false);
  } catch (locked) {
    if (!(locked instanceof CrawlhouseError) || locked.code !== 'locked') throw locked;
    logger?.warn('the published warehouse is replaced anyway', { because: locked.message });
    try {
      await copyFile(path, copy, constants.COPYFILE_FICLONE);
      await attachPublished(connection, copy, name);
      return attached(true);
    } catch (error) {
      await rm(copy, { force: true });
      // It was copied during a write. The next try may succeed.
      throw error instanceof CrawlhouseError ? locked : error;
    }
  }
}

/** Converts DuckDB's error on opening or reading a published warehouse to a CrawlhouseError. */
export function publishedError(path: string, error: unknown, otherwise: string): CrawlhouseError {
  const { code, message } = toCrawlhouseError(error);
  if (code === 'damaged_warehouse') return damagedFile(path, message, error);
  if (message.includes('Could not set lock on file')) {
    const [, program, pid] = /held in (.+?) \(PID (\d+)\)/.exec(message) ?? [];
    const holder = program && pid ? `${basename(program)} (process ${pid})` : 'another program';
    return new CrawlhouseError('locked', `${path} is open for writing in ${holder}`, {
      cause: error,
      hint: 'close the file there, and open it read-only: duckdb -readonly FILE',
    });
  }
  return new CrawlhouseError('bad_settings', `${path} ${otherwise}`, {
    cause: error,
    hint: 'move the file away, or set `warehouse` to another path',
  });
}

/** Returns the real path of a published warehouse. A symbolic link stays, and its target is replaced. */
export async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    // No file yet, or a link to a missing file.
    const target = await readlink(path).catch(() => null);
    return target === null ? path : targetOf(resolve(dirname(path), target));
  }
}
