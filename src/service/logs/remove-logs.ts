import { CrawlhouseError } from '../../core/errors/errors.ts';
import type { LogSource } from '../../site/access-logs/log-source.ts';
import { plainText } from '../../site/access-logs/plain-text.ts';
import { TextDigest } from '../../site/access-logs/text-digest.ts';
import { beginOf } from './file-begin.ts';
import type { FileStore } from './known-files.ts';
import { type SharedLines, withdrawFile } from './withdraw-file.ts';

/** A file that the user names: its path, and its contents if it exists. */
export interface NamedLog {
  readonly path: string;
  readonly source: LogSource | null;
}

/** The result of removing a file. */
export interface RemovedLog {
  readonly file: string;
  /** `kept`: another file, which was added later and begins with all of its text, keeps its lines. */
  readonly status: 'removed' | 'kept';
  /** Requests that only it contained. */
  readonly events: number;
  readonly days: number;
  /** The names under which it was added, or of the file that keeps its lines. */
  readonly names: readonly string[];
  /** Requests that other files also contain, and that count there now. */
  readonly shared: readonly SharedLines[];
  /** Files with left-out lines that are not stored; some may be lines of the removed file. */
  readonly incomplete: readonly string[];
}

/**
 * Removes files as if they had never been added. Lines that other files also contain then count in those files. Runs in
 * a transaction.
 *
 * @throws CrawlhouseError `usage` for a file that was not added
 */
export async function removeLogs(
  store: FileStore,
  files: AsyncIterable<NamedLog>,
  signal: AbortSignal,
): Promise<RemovedLog[]> {
  const found = [];
  for await (const file of files) found.push(...(await knownAs(store, file, signal)));
  const removed: RemovedLog[] = [];
  const done = new Set<number>();
  for (const { id, path, isKept } of found) {
    if (isKept) removed.push(await keptIn(store, id, path));
    else if (!done.has(id)) removed.push(await removeFile(store, id, path));
    if (!isKept) done.add(id);
  }
  return removed;
}

interface FoundFile {
  readonly id: number;
  readonly path: string;
  readonly isKept: boolean;
}

/** Returns the files that were read with the text of a file, or under its name if it no longer exists. */
async function knownAs(
  store: FileStore,
  { path, source }: NamedLog,
  signal: AbortSignal,
): Promise<FoundFile[]> {
  const { connection, tables, secret } = store;
  if (source === null) {
    const ids = await connection.rows(
      `SELECT id FROM ${tables.files} WHERE name = $1
        UNION SELECT file_id FROM ${tables.names} WHERE name = $1 AND file_id IS NOT NULL ORDER BY ALL`,
      [path],
    );
    if (ids.length > 0) return ids.map(({ id }) => ({ id: Number(id), path, isKept: false }));
    throw new CrawlhouseError('usage', `${path} was not added to the project`, {
      hint: 'specify an added file, a copy of it, or its old path',
    });
  }
  const { known } = await beginOf(source, store, signal);
  if (known !== null) return [{ id: known.id, path, isKept: false }];
  const digest = TextDigest.keyed(secret);
  for await (const piece of plainText(source, signal)) digest.take(piece);
  digest.finish();
  const sql = `SELECT file_id FROM ${tables.readings} WHERE digest = ? LIMIT 1`;
  const id = await connection.scalar(sql, [digest.value()]);
  if (id !== null && id !== undefined) return [{ id: Number(id), path, isKept: true }];
  throw new CrawlhouseError('usage', `${path} was not added to the project with its current content`, {
    hint: 'specify an unchanged copy of an added file, or the old path of a removed file',
  });
}

async function keptIn({ connection, tables }: FileStore, id: number, path: string): Promise<RemovedLog> {
  const name = await connection.scalar(`SELECT name FROM ${tables.files} WHERE id = ${id}`);
  const none = { events: 0, days: 0, shared: [], incomplete: [] };
  return { file: path, status: 'kept', names: [String(name)], ...none };
}

async function removeFile({ connection, tables }: FileStore, id: number, path: string): Promise<RemovedLog> {
  const [own] = await connection.rows(
    `SELECT count(*) AS events, count(DISTINCT day) AS days FROM ${tables.lines} WHERE file = ${id}`,
  );
  const names = await connection.rows(
    `SELECT name FROM ${tables.files} WHERE id = ${id} UNION SELECT name FROM ${tables.names} WHERE file_id = ${id} ORDER BY ALL`,
  );
  const shared = await withdrawFile(connection, tables, id);
  await connection.run(`DELETE FROM ${tables.files} WHERE id = ${id}`);
  // Names from a version that did not record their files are read again.
  await connection.run(`DELETE FROM ${tables.names} WHERE coalesce(file_id, ${id}) = ${id}`);
  const incomplete = await connection.rows(
    `SELECT name FROM ${tables.files} AS known
      WHERE lines > events + rejected + skipped + other_hosts + (SELECT count(*) FROM ${tables.hidden} WHERE file = known.id)
      ORDER BY id`,
  );
  for (const [one, column] of [
    [tables.agents, 'agent'],
    [tables.origins, 'origin'],
  ])
    await connection.run(
      `DELETE FROM ${one} WHERE id NOT IN (SELECT ${column} FROM ${tables.lines} UNION SELECT ${column} FROM ${tables.hidden})`,
    );
  return {
    file: path,
    status: 'removed',
    events: Number(own?.events),
    days: Number(own?.days),
    names: names.map(({ name }) => String(name)),
    shared,
    incomplete: incomplete.map(({ name }) => String(name)),
  };
}
