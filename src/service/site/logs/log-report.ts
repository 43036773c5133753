import { isFarApart } from '../../../core/time/plausible-days.ts';
import type { RejectReason } from './log-line.ts';

export type LogFileReport = Readonly<ReturnType<typeof blankReport>>;

/** What lines mean that are read now. */
export interface UnderstoodLines {
  readonly first_line: string | null;
  readonly last_line: string | null;
  /** Of the requests; null where the lines have no user agent. */
  readonly bots_percent: number | null;
  /** Requests of what was read of the file before, which go. */
  readonly replaced_events: number;
}

type ReportError = { readonly code: string; readonly message: string; readonly hint: string | null };

/** The report of a file of which nothing was read. */
export function blankReport(name: string) {
  return {
    name,
    /**
     * `added`: lines were read. `known`: all of it had been read before. `empty`: it has no bytes. `refused`: some lines are
     * rejects, and nothing of it was added. `planned`: it would be added. `failed`: it could not be read.
     */
    status: 'known' as 'added' | 'planned' | 'known' | 'empty' | 'refused' | 'failed',
    format: null as string | null,
    /** Formats that its lines have after that one. */
    later_formats: [] as readonly string[],
    /** Lines that were read now; they are events, rejects, lines of other hosts, and skipped ones. */
    lines: 0,
    events: 0,
    rejected: 0,
    other_hosts: 0,
    /** Lines that another file had, which was read before. */
    known_lines: 0,
    /** Comments, empty lines, messages that are no requests. */
    skipped: 0,
    reasons: {} as Readonly<Partial<Record<RejectReason, number>>>,
    /** The first lines of each reason, by their numbers in the file. */
    places: {} as Readonly<Partial<Record<RejectReason, readonly number[]>>>,
    /** The most frequent hosts that are not the site's. */
    other_host_names: [] as readonly string[],
    /** Bytes of a last line that is still being written. */
    unfinished_bytes: 0,
    /** Days that have events. */
    days: 0,
    /** UTC seconds of the first and the last event. */
    first_second: null as number | null,
    last_second: null as number | null,
    /** The name under which the begin of it was read before. */
    earlier_name: null as string | null,
    /** Whether times without an offset, or lines without a host, were read. */
    assumed_zone: false,
    assumed_host: false,
    /** Whether request lines name `http://` and no port, and the site's `https` was taken. */
    assumed_scheme: false,
    /** Events that do not tell their user agent: whether a bot or a person asked is unknown. */
    unknown_agents: 0,
    /** Whether `--forwarded` was given, and no line has X-Forwarded-For. */
    lacks_forwarded: false,
    /** The first year of a reject whose day is not plausible. */
    odd_year: null as number | null,
    /** What its lines mean; null where nobody asks. */
    understood: null as UnderstoodLines | null,
    error: null as ReportError | null,
  };
}

/** Seconds. */
const DAY = 86_400;

/** Whether most days between the first and the last line have none: a clock may have been wrong. */
export function isSpread({ days, first_second: first, last_second: last }: LogFileReport): boolean {
  return first !== null && last !== null && isFarApart(days, (last - first) / DAY);
}

/** Requests of a known bot in what was added. */
export interface BotReport {
  readonly bot: string;
  readonly verified: number;
  readonly refuted: number;
  readonly unchecked: number;
}
