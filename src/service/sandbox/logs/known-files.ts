import { createHash } from 'node:crypto';
import type { Connection, Row } from '../../../core/duckdb.ts';
import type { LogFileReport } from '../../logs/log-report.ts';
import type { LogSource } from '../../logs/log-source.ts';
import { HEAD_BYTES, type LogPosition } from '../../logs/read-log.ts';
import type { LogTables } from './log-tables.ts';
import { type FileRejects, mergedRejects } from './rejects.ts';

/** A file as it was read before. */
export interface KnownFile {
  readonly id: number;
  readonly name: string;
  readonly format: string;
  readonly state: string;
  readonly tail: string;
  readonly tail_bytes: number;
  readonly offset: number;
  readonly lines: number;
  /** Since its first byte. */
  readonly events: number;
  readonly rejected: number;
  readonly skipped: number;
  readonly other_hosts: number;
  readonly rejects: FileRejects;
  /** UTC milliseconds. */
  readonly added_at: number;
}

/** The fingerprint of a text of one byte a character. */
export function fingerprintOf(bytes: string): string {
  return createHash('sha256').update(bytes, 'latin1').digest('hex');
}

/** Of the first lines, up to the end of each: one file may be the begin of another. */
function headFingerprints(head: string): string[] {
  const ends = lineEnds(head);
  // A line that is longer than that, and one that nothing ends.
  if (ends.length === 0 || (head.length < HEAD_BYTES && ends.at(-1) !== head.length))
    ends.push(Math.min(head.length, HEAD_BYTES));
  return ends.filter((end) => end > 0).map((end) => fingerprintOf(head.slice(0, end)));
}

function lineEnds(head: string): number[] {
  return [...head.slice(0, HEAD_BYTES).matchAll(/\n/g)].map(({ index }) => index + 1);
}

/** Whether exactly this was read to its end: a name in the version that it still has. */
export async function wasRead(
  connection: Connection,
  tables: LogTables,
  { name, version }: { readonly name: string; readonly version: string | null },
): Promise<boolean> {
  if (version === null) return false;
  const sql = `SELECT count(*) > 0 FROM ${tables.names} WHERE name = ? AND version = ?`;
  return (await connection.scalar(sql, [name, version])) === true;
}

/**
 * The files that begin like this one: the same under another name, after a rotation, or the same that has grown. The one
 * that was read furthest comes first.
 *
 * @param head the first bytes of the file, as many as `HEAD_BYTES` if it has them; whole lines of them tell it
 */
export async function alikeFiles(
  connection: Connection,
  tables: LogTables,
  head: string,
): Promise<readonly KnownFile[]> {
  const heads = headFingerprints(head);
  const lines = lineEnds(head);
  const last = lines.length === 0 ? heads[0] : heads[lines.length - 1];
  if (last === undefined) return [];
  const sql = `SELECT * FROM ${tables.files}
    WHERE list_contains(heads, ?) OR list_contains(from_json(?::JSON, '["VARCHAR"]'), heads[-1]) ORDER BY "offset" DESC`;
  return (await connection.rows(sql, [last, JSON.stringify(heads)])).map(knownFile);
}

export async function nextFileId(connection: Connection, tables: LogTables): Promise<number> {
  return Number(await connection.scalar(`SELECT coalesce(max(id), 0) + 1 FROM ${tables.files}`));
}

/** What is written down of a file that was read. */
interface ReadFile {
  readonly id: number;
  readonly known: KnownFile | null;
  readonly source: LogSource;
  readonly head: string;
  readonly position: LogPosition;
  readonly state: string;
  /** Of its events, counted from 1970. */
  readonly days: ReadonlySet<number>;
  /** UTC milliseconds. */
  readonly now: number;
}

/** Writes down how far a file was read, and what came of it since its first byte; notes its days for the log pages. */
export async function recordFile(
  connection: Connection,
  tables: LogTables,
  report: LogFileReport,
  { id, known, source, head, position, state, days, now }: ReadFile,
): Promise<void> {
  const { name, version } = source;
  await connection.run(
    `INSERT OR REPLACE INTO ${tables.files}
      VALUES (?, ?, ?, ?, from_json(?::JSON, '["VARCHAR"]'), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...[id, name, report.format, state, JSON.stringify(headFingerprints(head.slice(0, position.offset)))],
      ...[fingerprintOf(position.tail), position.tail.length, position.offset, position.lines],
      ...(['events', 'rejected', 'skipped', 'other_hosts'] as const).map(
        (count) => report[count] + (known?.[count] ?? 0),
      ),
      JSON.stringify(mergedRejects(known?.rejects, report)),
      known?.added_at ?? now,
    ],
  );
  if (version !== null)
    await connection.run(`INSERT OR REPLACE INTO ${tables.names} VALUES (?, ?)`, [name, version]);
  await connection.run(
    `INSERT OR IGNORE INTO ${tables.staleDays} SELECT DATE '1970-01-01' + day
      FROM (SELECT unnest(from_json(?::JSON, '["INTEGER"]')) AS day)`,
    [JSON.stringify([...days])],
  );
}

/** The files that were read, the first one first. */
export async function readFiles(connection: Connection, tables: LogTables): Promise<KnownFile[]> {
  return (await connection.rows(`SELECT * FROM ${tables.files} ORDER BY id`)).map(knownFile);
}

function knownFile(row: Row): KnownFile {
  return {
    ...{ id: Number(row.id), name: String(row.name), format: String(row.format), state: String(row.state) },
    ...{ tail: String(row.tail), tail_bytes: Number(row.tail_bytes) },
    ...{ offset: Number(row.offset), lines: Number(row.lines), added_at: Number(row.added_at) },
    ...{ events: Number(row.events), rejected: Number(row.rejected) },
    ...{ skipped: Number(row.skipped), other_hosts: Number(row.other_hosts) },
    rejects: JSON.parse(String(row.rejects)) as FileRejects,
  };
}
