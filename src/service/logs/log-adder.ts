import { createHmac, randomBytes } from 'node:crypto';
import type { Connection } from '../../core/duckdb/duckdb.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../core/errors/errors.ts';
import type { LogRules } from '../../core/logs/log-rules.ts';
import { didYouMean } from '../../core/text/nearest-name.ts';
import { plausibleTime } from '../../core/time/plausible-days.ts';
import type { VerifyOptions } from '../../site/access-logs/bots/verify-bots.ts';
import { EventRows } from '../../site/access-logs/event-rows.ts';
import { guessedFormat } from '../../site/access-logs/formats/guessed-format.ts';
import { formatOfName } from '../../site/access-logs/formats/known-formats.ts';
import type { LogFormat } from '../../site/access-logs/log-line.ts';
import { blankReport, isSpread, type LogFileReport } from '../../site/access-logs/log-report.ts';
import type { LogSource } from '../../site/access-logs/log-source.ts';
import { LogTime } from '../../site/access-logs/log-time.ts';
import { isOfNuls } from '../../site/access-logs/plain-text.ts';
import { readAccessLog } from '../../site/access-logs/read-access-log.ts';
import {
  HANDFUL,
  learnedState,
  recogniseFormat,
  withPrefix,
} from '../../site/access-logs/recognise-format.ts';
import { ownHosts } from '../../site/access-logs/request-parts.ts';
import { lineMarks, TextDigest } from '../../site/access-logs/text-digest.ts';
import { AgentNumbers } from './agent-numbers.ts';
import { beginOf, type FileBegin, textFrom } from './file-begin.ts';
import { InsertEvents } from './insert-events.ts';
import { type KnownFile, nextFileId, Rejects, readingOf, recordFile, wasRead } from './known-files.ts';
import { dropCopies, dropKnownLines } from './known-lines.ts';
import type { LogTables } from './log-tables.ts';
import { understoodLines } from './understood-lines.ts';
import { withdrawFile } from './withdraw-file.ts';

const DAY = 86_400;
/** Days after which a salt is deleted: its hashes can then no longer be traced to an address. */
const KEPT_DAYS = 30;
/** Addresses whose hashes are remembered. */
const MOST = 100_000;
const DIGITS = 16;

/** Shared by all files of a call. */
interface Made {
  readonly numbers: AgentNumbers;
  readonly hashes: AddressHashes | null;
  /** The key of all hashes of line contents. */
  readonly secret: string;
}

export interface AddingLogs {
  /** Scheme and host of the project's website. */
  readonly origin: string;
  readonly rules: LogRules;
  /** Whether files that were read before are read again and replaced. */
  readonly again: boolean;
  readonly bots: Omit<VerifyOptions, 'signal'>;
  /** Decides from the meaning of its lines whether a file is added; absent: every file is added. */
  readonly confirm?: ((report: LogFileReport) => Promise<boolean>) | undefined;
  /** Whether nothing is stored; `confirm` is still called for each file. */
  readonly isDryRun?: boolean | undefined;
  /** A folder for rows on their way into the database. */
  readonly folder: string;
  /** UTC milliseconds. */
  readonly now: number;
}

/** Adds log files to a project, each in one transaction, so that a file is read either completely or not at all. */
export class LogAdder {
  readonly #connection: Connection;
  readonly #tables: LogTables;
  readonly #adding: AddingLogs;
  #made: Made;

  private constructor(connection: Connection, tables: LogTables, adding: AddingLogs, made: Made) {
    this.#connection = connection;
    this.#tables = tables;
    this.#adding = adding;
    this.#made = made;
  }

  static async open(connection: Connection, tables: LogTables, adding: AddingLogs): Promise<LogAdder> {
    await tables.make(connection);
    return new LogAdder(connection, tables, adding, {
      numbers: await AgentNumbers.read(connection, tables, adding.bots.list),
      hashes: adding.rules.addresses === 'hash' ? await AddressHashes.read(connection, tables) : null,
      secret: await tables.secret(connection),
    });
  }

  /** Reports errors of a file in its report; throws only for an abort. */
  async add(source: LogSource, signal: AbortSignal): Promise<LogFileReport> {
    const blank = blankReport(source.name);
    try {
      const { rules, again } = this.#adding;
      if (!again && (await wasRead(this.#connection, this.#tables, source, rules))) return blank;
      const store = { connection: this.#connection, tables: this.#tables, secret: this.#made.secret };
      const begin = await beginOf(source, store, signal);
      if (begin.sample === '') {
        if (await isOfNuls(source, signal)) throw noLines(source.name);
        return { ...blank, status: 'empty' };
      }
      return await this.#connection.transaction(() => this.#read(source, begin, signal));
    } catch (thrown) {
      signal.throwIfAborted();
      // Numbers from the transaction are rolled back.
      const numbers = await AgentNumbers.read(this.#connection, this.#tables, this.#adding.bots.list);
      this.#made = { ...this.#made, numbers };
      if (thrown instanceof RefusedFile) return thrown.report;
      const { code, message, hint } = toCrawlhouseError(thrown);
      return { ...blank, status: 'failed', error: { code, message, hint } };
    }
  }

  async #read(source: LogSource, begin: FileBegin, signal: AbortSignal): Promise<LogFileReport> {
    const { rules, bots, folder, now, again } = this.#adding;
    const [connection, tables, secret] = [this.#connection, this.#tables, this.#made.secret];
    const time = new LogTime(rules.time_zone);
    const name = this.#formatName(source, begin);
    const reading = readingOf(rules, name);
    const isSame = begin.known?.reading === reading && !again;
    const known = isSame ? begin.known : null;
    const id = begin.known?.id ?? (await nextFileId(connection, tables));
    if (!isSame) await withdrawFile(connection, tables, id);
    const state = known?.state ?? learnedState(formatOfName(name, time), begin.sample);
    const isGuess = rules.format === 'auto';
    const format = isGuess ? guessedFormat(name, time, state) : formatOfName(name, time, state);
    const rows = this.#rows();
    const digest = TextDigest.keyed(secret);
    const from = known?.lines ?? 0;
    const rejects = new Rejects();
    const insert = new InsertEvents({ connection, tables, verify: { ...bots, signal }, folder }, id);
    const tally = await readAccessLog(
      textFrom(source, known?.offset ?? 0, digest, signal),
      {
        format,
        rows,
        digest,
        from,
        isFinal: source.isFinal,
        markOf: lineMarks(secret),
        onReject: (reject) => rejects.add(reject),
        onRows: () => insert.put(rows.take()),
      },
      signal,
    );
    await insert.done();
    const { first, goesBack } = rows;
    const copies = await dropCopies(connection, tables, { id, from, first, goesBack });
    const before = await dropKnownLines(connection, tables, { id, from, reading, again });
    const knownLines = copies + before.count;
    const isKnown = tally.lines === from || (knownLines > 0 && knownLines === insert.events);
    const report: LogFileReport = {
      ...blankReport(source.name),
      status: isKnown ? 'known' : 'added',
      format: name,
      later_formats: (format.used ?? []).filter((one) => one !== name),
      lines: tally.lines - from,
      events: insert.events - knownLines,
      known_lines: knownLines,
      rejected: rejects.count,
      reasons: rejects.reasons,
      places: rejects.places,
      other_hosts: tally.otherHosts,
      other_host_names: mostFrequent(rows.otherHosts),
      skipped: tally.skipped,
      unfinished_bytes: tally.unfinished,
      days: rows.days.size,
      first_second: rows.first,
      last_second: rows.last,
      earlier_name: known === null ? before.name : known.name === source.name ? null : known.name,
      assumed_zone: time.assumedZone,
      assumed_host: rows.assumedHost,
      assumed_scheme: rows.assumedScheme,
      unknown_agents: rows.unknownAgents,
      odd_year: rows.oddYear,
      lacks_forwarded: rules.forwarded && !rows.hasForwarded && insert.events > 0,
    };
    this.#check(report, known, format);
    await this.#made.numbers.write(connection);
    const replaced = isSame ? 0 : (begin.known?.events ?? 0);
    if (!isKnown) await this.#confirm(report, { id, from, replaced });
    else if (this.#adding.isDryRun) throw new RefusedFile({ ...report, status: 'known' });
    await this.#made.hashes?.write(connection, now);
    await recordFile(connection, tables, report, {
      id,
      known,
      source,
      rules,
      again,
      begin: begin.sample,
      digest,
      lines: tally.lines,
      state: format.state ?? '',
      days: rows.days,
      secret,
      now,
    });
    if (!isKnown) return report;
    const { earlier_name, unfinished_bytes } = report;
    return { ...blankReport(source.name), format: name, earlier_name, unfinished_bytes };
  }

  /** @throws RefusedFile for a file that is not added */
  async #confirm(
    report: LogFileReport,
    { id, from, replaced }: { readonly id: number; readonly from: number; readonly replaced: number },
  ): Promise<void> {
    const { confirm, isDryRun } = this.#adding;
    if (confirm === undefined) return;
    const lines = await understoodLines(this.#connection, this.#tables, { id, from });
    const understood = { ...report, understood: { ...lines, replaced_events: replaced } };
    const isAgreed = await confirm(understood);
    if (isDryRun) throw new RefusedFile({ ...understood, status: 'planned' });
    if (!isAgreed) throw new RefusedFile({ ...report, status: 'refused', error: notConfirmed(report) });
  }

  /** @throws RefusedFile for a file that differs from the confirmed one */
  #check(report: LogFileReport, known: KnownFile | null, format: LogFormat): void {
    const lacks = known === null ? (format.missing?.() ?? null) : null;
    if (lacks !== null) throw missingKeys(report.name, lacks);
    const rejected = report.rejected + (known?.rejected ?? 0);
    const lines = report.lines + (known?.lines ?? 0);
    const { unreadable_percent } = this.#adding.rules;
    const hasEvents = report.events + report.known_lines + (known?.events ?? 0) > 0;
    const isHandful = unreadable_percent > 0 && rejected <= HANDFUL && hasEvents;
    if (report.rejected > 0 && !isHandful && rejected * 100 > lines * unreadable_percent)
      throw new RefusedFile({ ...report, status: 'refused' });
    if (report.events + report.known_lines === 0 && report.other_hosts > 0 && (known?.events ?? 0) === 0)
      throw new RefusedFile({ ...report, status: 'refused', error: noOwnHost(report) });
  }

  #formatName(source: LogSource, { known, sample }: FileBegin): string {
    const { format, time_zone } = this.#adding.rules;
    const makeTime = (): LogTime => new LogTime(time_zone);
    if (format !== 'auto') return withPrefix(format, sample, makeTime);
    return known?.format ?? recogniseFormat(source.name, sample, makeTime);
  }

  #rows(): EventRows {
    const { origin, rules, now } = this.#adding;
    const { hashes } = this.#made;
    return new EventRows({
      origin,
      isOwnHost: ownHosts(origin, rules.hosts),
      queryStrings: rules.query_strings,
      isForwarded: rules.forwarded,
      plausible: plausibleTime(now, rules.earliest_day),
      agentOf: (bytes) => this.#made.numbers.agentOf(bytes),
      originOf: (text) => this.#made.numbers.originOf(text),
      clientOf: hashes === null ? null : (address, second) => hashes.of(address, second),
    });
  }
}

function noLines(name: string): CrawlhouseError {
  return new CrawlhouseError('contract_broken', `${name}: it has no lines: all of its bytes are NUL`, {
    hint: 'a crash or a full disk can leave such files: copy the log again, or omit the file',
  });
}

function notConfirmed(report: LogFileReport): LogFileReport['error'] {
  const why = isSpread(report) ? `its lines cover ${report.days} days that are far apart, and ` : '';
  return {
    code: 'rejected_values',
    message: `${report.name}: no line was added: ${why}the answer was not yes`,
    hint: 'correct the file, set --format, --time-zone or --host, or add it again and answer yes',
  };
}

function noOwnHost({ name, other_hosts, other_host_names }: LogFileReport): LogFileReport['error'] {
  return {
    code: 'rejected_values',
    message: `${name}: all of its ${other_hosts} requests name hosts other than the site's, so no line was added: ${other_host_names.join(', ')}`,
    hint: '--host adds a host; --format sets another format',
  };
}

function missingKeys(
  name: string,
  { keys, known }: { readonly keys: readonly string[]; readonly known: readonly string[] },
): CrawlhouseError {
  const near = keys.map((key) => didYouMean(key, known)).join('');
  return new CrawlhouseError(
    'usage',
    `${name}: no line has the ${keys.length === 1 ? 'key' : 'keys'} ${keys.join(', ')}`,
    { hint: `${near}keys: ${known.slice(0, 30).join(', ')}` },
  );
}

/** The error that rolls back the transaction of a refused file. */
class RefusedFile extends CrawlhouseError {
  readonly report: LogFileReport;

  constructor(report: LogFileReport) {
    super(
      'rejected_values',
      report.error?.message ?? `${report.name}: ${report.rejected} of ${report.lines} lines are not events`,
    );
    this.report = report;
  }
}

const SHOWN_HOSTS = 5;

function mostFrequent(hosts: ReadonlyMap<string, number>): string[] {
  return [...hosts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, SHOWN_HOSTS)
    .map(([host]) => host);
}

/** Hashes of addresses, with a random salt for each day, so that an address has a different hash every day. */
class AddressHashes {
  readonly #tables: LogTables;
  /** By days since 1970. */
  readonly #salts = new Map<number, string>();
  readonly #hashes = new Map<string, string>();

  private constructor(tables: LogTables) {
    this.#tables = tables;
  }

  static async read(connection: Connection, tables: LogTables): Promise<AddressHashes> {
    const hashes = new AddressHashes(tables);
    const sql = `SELECT date_diff('day', DATE '1970-01-01', day) AS day, salt FROM ${tables.salts}`;
    for (const { day, salt } of await connection.rows(sql)) hashes.#salts.set(Number(day), String(salt));
    return hashes;
  }

  of(address: string, second: number): string {
    const day = Math.floor(second / DAY);
    const key = `${day} ${address}`;
    const known = this.#hashes.get(key);
    if (known !== undefined) return known;
    const salt = this.#salts.get(day) ?? randomBytes(16).toString('hex');
    this.#salts.set(day, salt);
    const hash = createHmac('sha256', salt).update(address).digest('hex').slice(0, DIGITS);
    if (this.#hashes.size >= MOST) this.#hashes.clear();
    this.#hashes.set(key, hash);
    return hash;
  }

  /** @param now UTC milliseconds */
  async write(connection: Connection, now: number): Promise<void> {
    const oldest = Math.floor(now / 1000 / DAY) - KEPT_DAYS;
    for (const day of this.#salts.keys()) if (day < oldest) this.#salts.delete(day);
    await connection.run(`DELETE FROM ${this.#tables.salts}`);
    const rows = [...this.#salts].map(([day, salt]) => ({ day, salt }));
    await connection.run(
      `INSERT INTO ${this.#tables.salts} SELECT DATE '1970-01-01' + one.day, one.salt
        FROM (SELECT unnest(from_json(?::JSON, '[{"day": "INTEGER", "salt": "VARCHAR"}]')) AS one)`,
      [JSON.stringify(rows)],
    );
  }
}
