import type { ErrorCode } from '../../../core/errors/error-codes.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { counted, countText } from '../../../core/text/amounts.ts';
import { likelyYear, plausibleTime } from '../../../core/time/plausible-days.ts';
import { type BotReport, isSpread, type LogFileReport } from '../../../site/access-logs/log-report.ts';
import { textTable } from '../../answers/presentation/text-table.ts';
import { shownPath } from '../local/shown-path.ts';

/** Maximum files to list; beyond it, files without problems are omitted. */
const SHOWN_FILES = 20;
const SHOWN_LINES = 5;
const SHOWN_BOTS = 8;
/** Percentage of requests in the name of a bot with ranges: this many refuted requests suggest a proxy. */
const SUSPICIOUS = 90;
const LEAST_BOTS = 100;
const SPAN = 'from, to (UTC)';

/** The context of messages: file names are relative to `folder`; a terminal has a width. */
interface LinePlace {
  readonly site: string;
  readonly folder: string;
  readonly width: number | null;
}

/** Returns the summary of the read files. */
export function describeLogs(
  reports: readonly LogFileReport[],
  bots: readonly BotReport[],
  { site, folder, width }: LinePlace,
): string {
  const files = reports.map((file) => ({ ...file, name: shownPath(folder, file.name) }));
  return [fileTable(files, width), remarks(files, site), botTable(bots), proxyHint(bots)]
    .filter((one) => one !== '')
    .join('\n');
}

export function logErrors(files: readonly LogFileReport[]): CrawlhouseError[] {
  return files.flatMap((file) => {
    if (file.error !== null)
      return [
        new CrawlhouseError(file.error.code as ErrorCode, file.error.message, { hint: file.error.hint }),
      ];
    if (file.status !== 'refused') return [];
    const message = `${file.name}: ${counted(file.rejected, 'line')} of ${countText(file.lines)} cannot be read. These are too many, so no line of the file was added: ${places(file)}`;
    const hint =
      '--on-reject quarantine adds the other lines; access_logs.unreadable_percent allows more; --format sets another format';
    return [new CrawlhouseError('rejected_values', message, { hint })];
  });
}

function fileTable(files: readonly LogFileReport[], width: number | null): string {
  const plain = (file: LogFileReport): boolean =>
    ['known', 'empty'].includes(file.status) || (file.status === 'added' && file.rejected === 0);
  const shown =
    files.length <= SHOWN_FILES ? files : files.filter((file) => !plain(file)).slice(0, SHOWN_FILES);
  const rows = shown.map((file) => [
    file.name,
    file.status,
    file.format,
    file.lines,
    file.events,
    file.rejected,
    file.other_hosts,
    span(file),
  ]);
  const sum = (of: (file: LogFileReport) => number): number => files.reduce((all, file) => all + of(file), 0);
  if (files.length > 1)
    rows.push([
      `${counted(files.length, 'file')}`,
      null,
      null,
      sum(({ lines }) => lines),
      sum(({ events }) => events),
      sum(({ rejected }) => rejected),
      sum(({ other_hosts }) => other_hosts),
      null,
    ]);
  if (rows.length === 0) return '';
  return textTable(['file', 'status', 'format', 'lines', 'events', 'rejects', 'other hosts', SPAN], rows, {
    width,
    below: [SPAN],
  });
}

function span({ first_second, last_second }: LogFileReport): string | null {
  if (first_second === null || last_second === null) return null;
  const text = (second: number): string =>
    new Date(second * 1000).toISOString().slice(0, 16).replace('T', ' ');
  return `${text(first_second)}, ${text(last_second)}`;
}

function remarks(files: readonly LogFileReport[], site: string): string {
  const lines = new Set<string>();
  const today = new Date().toISOString().slice(0, 10);
  for (const file of files) {
    if (file.rejected > 0 && file.status === 'added')
      lines.add(
        `${file.name}: ${counted(file.rejected, 'line')} of ${countText(file.lines)} skipped: ${places(file)}`,
      );
    if (file.status === 'added' && file.known_lines > 0)
      lines.add(
        `${file.name}: ${countText(file.known_lines)} of its lines were read before, in ${file.earlier_name}`,
      );
    if (file.status === 'known' && file.earlier_name !== null)
      lines.add(`${file.name}: it is the same as ${file.earlier_name}, which was read before`);
    if (isSpread(file)) lines.add(spreadText(file));
    if (file.unfinished_bytes > 0)
      lines.add(`${file.name}: its last line is incomplete; crawlhouse reads it once it is complete`);
    if (file.other_hosts > 0)
      lines.add(
        `${countText(file.other_hosts)} lines name other hosts (${file.other_host_names.join(', ')}); --host adds one`,
      );
    if (file.assumed_zone) lines.add('Times have no offset: crawlhouse assumes access_logs.time_zone (UTC)');
    if (file.later_formats.length > 0)
      lines.add(
        `${file.name}: its format changes: some lines are ${file.format}, others ${file.later_formats.join(', ')}`,
      );
    if (file.lacks_forwarded)
      lines.add(
        `${file.name}: --forwarded has no effect: no line has X-Forwarded-For or Forwarded, so the addresses of connections verify bots`,
      );
    if (file.unknown_agents > 0)
      lines.add(
        `${file.name}: ${counted(file.unknown_agents, 'line')} without a user agent: bots and people cannot be distinguished, so bot hits and visits of these URLs and days are unknown`,
      );
    if (file.assumed_scheme)
      lines.add(
        'Requests have http:// without a port, as Varnish writes for every request: crawlhouse assumes the https site',
      );
    if (file.assumed_host) lines.add(`Lines name no host: ${site} is assumed`);
    if (file.last_second !== null && file.last_second >= Date.parse(today) / 1000)
      lines.add(`The day ${today} has not ended (UTC): the first logs add after its end loads its lines`);
  }
  return [...lines].map((line) => `${line}.\n`).join('');
}

/** Returns the warning about a file whose days are far apart. */
export function spreadText(file: LogFileReport): string {
  return `${file.name}: its lines cover ${counted(file.days, 'day')} that are far apart: check ${span(file)}`;
}

function places({ reasons, places: where, odd_year: year }: LogFileReport): string {
  return Object.entries(reasons)
    .map(([reason, count]) => {
      const numbers = where[reason as keyof typeof where] ?? [];
      const shown = numbers.slice(0, SHOWN_LINES).join(', ');
      const more = count > SHOWN_LINES ? ', …' : '';
      const likely =
        reason === 'implausible_day' && year !== null
          ? ` (${likelyYear(year, plausibleTime(Date.now())) ?? `the year ${year}`})`
          : '';
      return `${reason.replaceAll('_', ' ')} in ${count === 1 ? 'line' : 'lines'} ${shown}${more}${likely}`;
    })
    .join('; ');
}

function botTable(bots: readonly BotReport[]): string {
  if (bots.length === 0) return '';
  const rows = bots
    .slice(0, SHOWN_BOTS)
    .map(({ bot, verified, refuted, unchecked }) => [bot, verified, refuted, unchecked]);
  return textTable(['bot by its user agent', 'verified', 'refuted', 'unchecked'], rows);
}

function proxyHint(bots: readonly BotReport[]): string {
  const verified = bots.reduce((all, bot) => all + bot.verified, 0);
  const refuted = bots.reduce((all, bot) => all + bot.refuted, 0);
  if (refuted < LEAST_BOTS || refuted * 100 < (verified + refuted) * SUSPICIOUS) return '';
  return 'Nearly all bots are refuted. If the server is behind a proxy, its log has the addresses of the proxy:\nlog X-Forwarded-For, and use --forwarded.\n';
}
