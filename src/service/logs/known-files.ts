import { type Connection, ident, type Row } from '../../core/duckdb/duckdb.ts';
import type { LogRules } from '../../core/logs/log-rules.ts';
import { EARLIEST_DAY } from '../../core/time/plausible-days.ts';
import type { RejectReason } from '../../site/access-logs/log-line.ts';
import type { LogFileReport } from '../../site/access-logs/log-report.ts';
import type { LogSource } from '../../site/access-logs/log-source.ts';
import type { UnreadLine } from '../../site/access-logs/read-access-log.ts';
import { keyedHash, type TextDigest } from '../../site/access-logs/text-digest.ts';
import type { LogTables } from './log-tables.ts';

/** Lines of a reason that are listed. */
const SHOWN = 100;
/** Number of first bytes that narrow down which known texts a file may begin with. */
const HEAD_BYTES = 1024;

export interface FileStore {
  readonly connection: Connection;
  readonly tables: LogTables;
  /** Key of the hashes of texts. */
  readonly secret: string;
}

export interface KnownFile {
  readonly id: number;
  readonly name: string;
  readonly format: string;
  readonly state: string;
  /** The `readingOf` the rules that it was read by. */
  readonly reading: string;
  /** The keyed hash of its text up to `offset`. */
  readonly digest: string;
  readonly offset: number;
  readonly lines: number;
  /** Counted since its first byte. */
  readonly events: number;
  readonly rejected: number;
  readonly skipped: number;
  readonly other_hosts: number;
  readonly rejects: FileRejects;
  /** UTC milliseconds. */
  readonly added_at: number;
}

/** Positions of the rules for queries and addresses in `readingOf`. */
export const READING_OF_VISITORS = ['$[3]', '$[4]'];

/** Returns the rules that affect the events of a file, as a text. */
export function readingOf(rules: LogRules, format: string): string {
  const { time_zone, hosts, query_strings, addresses, forwarded, verify, earliest_day } = rules;
  const usual = [format, time_zone, hosts.toSorted(), query_strings, addresses, forwarded, verify];
  return JSON.stringify(earliest_day === EARLIEST_DAY ? usual : [...usual, earliest_day]);
}

/** Number of events of files that were read while other parts of queries and addresses were kept. */
export async function eventsKeptOtherwise(
  connection: Connection,
  tables: LogTables,
  rules: LogRules,
): Promise<number> {
  const [queries, addresses] = READING_OF_VISITORS.map((place) => `json_extract(reading, '${place}')`);
  const sql = `SELECT coalesce(sum(events + (SELECT count(*) FROM ${tables.hidden} AS hidden WHERE hidden.file = known.id)), 0)
    FROM ${tables.files} AS known
    WHERE reading IS NULL OR ${queries} <> ?::JSON OR ${addresses} <> ?::JSON`;
  const values = [rules.query_strings, rules.addresses].map((one) => JSON.stringify(one));
  return Number(await connection.scalar(sql, values));
}

/**
 * Returns whether exactly this file was read to its end with these rules, under a name whose version is unchanged.
 */
export async function wasRead(
  connection: Connection,
  tables: LogTables,
  { name, version }: { readonly name: string; readonly version: string | null },
  rules: LogRules,
): Promise<boolean> {
  if (version === null) return false;
  const sql = `SELECT count(*) > 0 FROM ${tables.names} WHERE name = ? AND version = ?`;
  return (await connection.scalar(sql, [name, versionOf(version, rules)])) === true;
}

function versionOf(version: string, rules: LogRules): string {
  return `${version} ${readingOf(rules, rules.format)}`;
}

/**
 * Returns the known files with the same first bytes: the same file under another name, the same file after growing, or
 * other files with an equal beginning.
 *
 * @param begin the first bytes of the file, at least `HEAD_BYTES` if it has them
 */
export async function alikeFiles(
  { connection, tables, secret }: FileStore,
  begin: string,
): Promise<readonly KnownFile[]> {
  const sizes = await connection.rows(
    `SELECT DISTINCT head_bytes FROM ${tables.files} WHERE head_bytes BETWEEN 1 AND ?`,
    [begin.length],
  );
  const heads = sizes.map(({ head_bytes }) => keyedHash(secret, begin.slice(0, Number(head_bytes))));
  const sql = `SELECT * FROM ${tables.files} WHERE list_contains(from_json(?::JSON, '["VARCHAR"]'), head)`;
  return (await connection.rows(sql, [JSON.stringify(heads)])).map(knownFile);
}

export async function nextFileId(connection: Connection, tables: LogTables): Promise<number> {
  return Number(await connection.scalar(`SELECT coalesce(max(id), 0) + 1 FROM ${tables.files}`));
}

/** The stored facts about a read file. */
interface ReadFile {
  readonly id: number;
  readonly known: KnownFile | null;
  readonly source: LogSource;
  readonly rules: LogRules;
  /** Whether earlier readings of other files gave way. */
  readonly again: boolean;
  readonly begin: string;
  /** Digest of its text up to the last read byte. */
  readonly digest: TextDigest;
  readonly lines: number;
  readonly state: string;
  /** Days of its events, counted from 1970. */
  readonly days: ReadonlySet<number>;
  readonly secret: string;
  /** UTC milliseconds. */
  readonly now: number;
}

/** Records how far a file was read, and the results since its first byte; notes its days for the log pages. */
export async function recordFile(
  connection: Connection,
  tables: LogTables,
  report: LogFileReport,
  { id, known, source, rules, again, begin, digest, lines, state, days, secret, now }: ReadFile,
): Promise<void> {
  const { name, version } = source;
  const headBytes = Math.min(HEAD_BYTES, digest.offset, begin.length);
  const row = {
    id,
    name,
    format: report.format,
    state,
    reading: readingOf(rules, String(report.format)),
    head: keyedHash(secret, begin.slice(0, headBytes)),
    head_bytes: headBytes,
    digest: digest.value(),
    offset: digest.offset,
    lines,
    events: report.events + (known?.events ?? 0),
    rejected: report.rejected + (known?.rejected ?? 0),
    skipped: report.skipped + (known?.skipped ?? 0),
    other_hosts: report.other_hosts + (known?.other_hosts ?? 0),
    rejects: JSON.stringify(mergedRejects(known?.rejects, report)),
    added_at: known?.added_at ?? now,
  };
  const values = Object.values(row);
  await connection.run(
    `INSERT OR REPLACE INTO ${tables.files} (${Object.keys(row).map(ident).join(', ')}) VALUES (${values.map(() => '?').join(', ')})`,
    values,
  );
  if (version !== null)
    await connection.run(`INSERT OR REPLACE INTO ${tables.names} VALUES (?, ?, ?)`, [
      name,
      versionOf(version, rules),
      id,
    ]);
  if (lines > (known?.lines ?? 0))
    await connection.run(
      `INSERT INTO ${tables.readings} SELECT coalesce(max(seq), 0) + 1, ?, ?, ?, ?, ? FROM ${tables.readings}`,
      [id, known?.lines ?? 0, lines, digest.value(), again],
    );
  await connection.run(
    `INSERT OR IGNORE INTO ${tables.staleDays} SELECT DATE '1970-01-01' + day
      FROM (SELECT unnest(from_json(?::JSON, '["INTEGER"]')) AS day)`,
    [JSON.stringify([...days])],
  );
}

/** Notes days whose events have changed, for the log pages. */
export async function noteStaleDays(connection: Connection, tables: LogTables, days: string): Promise<void> {
  await connection.run(`INSERT OR IGNORE INTO ${tables.staleDays} ${days}`);
}

/** Forgets the events of a file, which is read again. */
export async function forgetFile(connection: Connection, tables: LogTables, id: number): Promise<void> {
  await noteStaleDays(connection, tables, `SELECT DISTINCT day FROM ${tables.lines} WHERE file = ${id}`);
  for (const [table, file] of [
    [tables.lines, 'file'],
    [tables.hidden, 'file'],
    [tables.readings, 'file_id'],
    [tables.former, 'id'],
  ])
    await connection.run(`DELETE FROM ${table} WHERE ${file} = ${id}`);
}

/** Returns the files that were read, oldest first. */
export async function readFiles(connection: Connection, tables: LogTables): Promise<KnownFile[]> {
  return (await connection.rows(`SELECT * FROM ${tables.files} ORDER BY id`)).map(knownFile);
}

export function knownFile(row: Row): KnownFile {
  return {
    id: Number(row.id),
    name: String(row.name),
    format: String(row.format),
    state: String(row.state),
    reading: String(row.reading),
    digest: String(row.digest),
    offset: Number(row.offset),
    lines: Number(row.lines),
    added_at: Number(row.added_at),
    events: Number(row.events),
    rejected: Number(row.rejected),
    skipped: Number(row.skipped),
    other_hosts: Number(row.other_hosts),
    rejects: JSON.parse(String(row.rejects)) as FileRejects,
  };
}

/** The number of rejects of a file by reason, and the numbers of the first lines of each. */
interface FileRejects {
  readonly reasons: Readonly<Partial<Record<RejectReason, number>>>;
  readonly places: Readonly<Partial<Record<RejectReason, readonly number[]>>>;
}

export class Rejects implements FileRejects {
  count = 0;
  readonly reasons: Partial<Record<RejectReason, number>> = {};
  readonly places: Partial<Record<RejectReason, number[]>> = {};

  add({ line, reason }: UnreadLine): void {
    this.count += 1;
    this.reasons[reason] = (this.reasons[reason] ?? 0) + 1;
    const places = this.places[reason] ?? [];
    this.places[reason] = places;
    if (places.length < SHOWN) places.push(line);
  }
}

/** Returns the rejects of a file that has grown. */
function mergedRejects(before: FileRejects | undefined, now: FileRejects): FileRejects {
  const names = Object.keys({ ...before?.reasons, ...now.reasons }) as RejectReason[];
  return {
    reasons: Object.fromEntries(
      names.map((name) => [name, (before?.reasons[name] ?? 0) + (now.reasons[name] ?? 0)]),
    ),
    places: Object.fromEntries(
      names.map((name) => [
        name,
        [...(before?.places[name] ?? []), ...(now.places[name] ?? [])].slice(0, SHOWN),
      ]),
    ),
  };
}
