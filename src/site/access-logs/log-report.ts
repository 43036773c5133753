import { isFarApart } from '../../core/time/plausible-days.ts';
import type { RejectReason } from './log-line.ts';

export type LogFileReport = Readonly<ReturnType<typeof blankReport>>;

/** The meaning of the lines that are read now. */
export interface UnderstoodLines {
  readonly first_line: string | null;
  readonly last_line: string | null;
  /** Percentage of the requests; null if the lines have no user agent. */
  readonly bots_percent: number | null;
  /** Requests from an earlier reading of the file, which are replaced. */
  readonly replaced_events: number;
}

type ReportError = { readonly code: string; readonly message: string; readonly hint: string | null };

/** Returns the report of a file before anything is read. */
export function blankReport(name: string) {
  return {
    name,
    /**
     * `added`: lines were read. `known`: the whole file had been read before. `empty`: the file is empty. `refused`:
     * some lines are rejects, so nothing was added. `planned`: the file would be added. `failed`: the file could not be
     * read.
     */
    status: 'known' as 'added' | 'planned' | 'known' | 'empty' | 'refused' | 'failed',
    format: null as string | null,
    /** Formats of later lines. */
    later_formats: [] as readonly string[],
    /** Lines that were read now: events, rejects, lines of other hosts, and skipped ones. */
    lines: 0,
    events: 0,
    rejected: 0,
    other_hosts: 0,
    /** Lines that an earlier file also contains. */
    known_lines: 0,
    /** Comments, empty lines, messages that are not requests. */
    skipped: 0,
    reasons: {} as Readonly<Partial<Record<RejectReason, number>>>,
    /** The first lines of each reason, by their numbers in the file. */
    places: {} as Readonly<Partial<Record<RejectReason, readonly number[]>>>,
    /** The most frequent hosts that are not the site's. */
    other_host_names: [] as readonly string[],
    /** Bytes of a last line that is still being written. */
    unfinished_bytes: 0,
    /** Days with events. */
    days: 0,
    /** UTC seconds of the first and the last event. */
    first_second: null as number | null,
    last_second: null as number | null,
    /** The name under which its beginning was read before. */
    earlier_name: null as string | null,
    /** Whether times without an offset, or lines without a host, were read. */
    assumed_zone: false,
    assumed_host: false,
    /** Whether request lines name `http://` and no port, and the site's `https` was taken. */
    assumed_scheme: false,
    /** Events without a user agent field: whether the visitor is a bot or a person is unknown. */
    unknown_agents: 0,
    /** Whether `--forwarded` was given, and no line has X-Forwarded-For. */
    lacks_forwarded: false,
    /** The first year of a reject with an implausible day. */
    odd_year: null as number | null,
    /** The meaning of its lines; null unless requested. */
    understood: null as UnderstoodLines | null,
    error: null as ReportError | null,
  };
}

/** Seconds. */
const DAY = 86_400;

/** Returns whether most days between the first and the last line have no events: a clock may have been wrong. */
export function isSpread({ days, first_second: first, last_second: last }: LogFileReport): boolean {
  return first !== null && last !== null && isFarApart(days, (last - first) / DAY);
}

/** Requests of a known bot in the added logs. */
export interface BotReport {
  readonly bot: string;
  readonly verified: number;
  readonly refuted: number;
  readonly unchecked: number;
}
