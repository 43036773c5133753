import type { RejectReason } from './log-line.ts';

export interface LogFileReport {
  readonly name: string;
  /**
   * `added`: lines were read. `known`: all of it had been read before. `empty`: it has no bytes. `refused`: some lines are
   * rejects, and nothing of it was added. `failed`: it could not be read.
   */
  readonly status: 'added' | 'known' | 'empty' | 'refused' | 'failed';
  readonly format: string | null;
  /** Lines that were read now; they are events, rejects, lines of other hosts, and skipped ones. */
  readonly lines: number;
  readonly events: number;
  readonly rejected: number;
  readonly other_hosts: number;
  /** Lines that another file had, which was read before. */
  readonly known_lines: number;
  /** Comments, empty lines, messages that are no requests. */
  readonly skipped: number;
  readonly reasons: Readonly<Partial<Record<RejectReason, number>>>;
  /** The first lines of each reason, by their numbers in the file. */
  readonly places: Readonly<Partial<Record<RejectReason, readonly number[]>>>;
  /** The most frequent hosts that are not the site's. */
  readonly other_host_names: readonly string[];
  /** Bytes of a last line that is still being written. */
  readonly unfinished_bytes: number;
  /** Days that have events. */
  readonly days: number;
  /** UTC seconds of the first and the last event. */
  readonly first_second: number | null;
  readonly last_second: number | null;
  /** The name under which the begin of it was read before. */
  readonly earlier_name: string | null;
  /** Whether times without an offset, or lines without a host, were read. */
  readonly assumed_zone: boolean;
  readonly assumed_host: boolean;
  readonly error: { readonly code: string; readonly message: string; readonly hint: string | null } | null;
}

/** Days without lines that are told, and seconds of one. */
const FAR_DAYS = 31;
const DAY = 86_400;

/** Whether most days between the first and the last line have none: a clock may have been wrong. */
export function isSpread({ days, first_second: first, last_second: last }: LogFileReport): boolean {
  return first !== null && last !== null && (last - first) / DAY > FAR_DAYS + days * 2;
}

/** Requests of a known bot in what was added. */
export interface BotReport {
  readonly bot: string;
  readonly verified: number;
  readonly refuted: number;
  readonly unchecked: number;
}

/** The report of a file of which nothing was read. */
export function blankReport(name: string): LogFileReport {
  return {
    ...{
      name,
      status: 'known',
      format: null,
      lines: 0,
      events: 0,
      rejected: 0,
      other_hosts: 0,
      known_lines: 0,
      skipped: 0,
    },
    ...{ reasons: {}, places: {}, other_host_names: [], unfinished_bytes: 0 },
    ...{ days: 0, first_second: null, last_second: null, earlier_name: null },
    ...{ assumed_zone: false, assumed_host: false, error: null },
  };
}
