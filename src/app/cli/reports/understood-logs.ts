import { counted, countText } from '../../../core/text/amounts.ts';
import { isSpread, type LogFileReport } from '../../../site/access-logs/log-report.ts';
import type { Understood } from './understood.ts';

interface LogPlace {
  readonly site: string;
  /** The zone of times without an offset, and whether the user set it. */
  readonly zone: string;
  readonly isZoneNamed: boolean;
}

/** Returns the meaning of a log file, before it is stored. */
export function understoodLogs(file: LogFileReport, { site, zone, isZoneNamed }: LogPlace): Understood {
  const { understood, later_formats: later } = file;
  const counts = [
    counted(file.events, 'request'),
    ...(file.known_lines > 0 ? [`${countText(file.known_lines)} read before`] : []),
    ...(file.rejected > 0 ? [`${countText(file.rejected)} unreadable`] : []),
    ...(file.other_hosts > 0
      ? [`${countText(file.other_hosts)} of ${file.other_host_names.join(', ')}`]
      : []),
    ...(file.skipped > 0 ? [`${countText(file.skipped)} skipped`] : []),
  ];
  const bots = understood?.bots_percent ?? null;
  const facts = [
    { name: 'format', value: [file.format, ...later].join(', then ') },
    { name: 'host', value: file.assumed_host ? `${site}: lines name none` : 'as the lines say' },
    file.assumed_zone
      ? { name: 'time zone', value: `${zone}: times have no offset`, isGuess: !isZoneNamed }
      : { name: 'time zone', value: 'as the lines say' },
    { name: 'lines', value: counts.join(', ') },
    { name: 'days', value: counted(file.days, 'day'), isGuess: isSpread(file) },
    { name: 'first line', value: understood?.first_line ?? '-' },
    { name: 'last line', value: understood?.last_line ?? '-' },
    {
      name: 'bots',
      value: bots === null ? 'unknown: lines have no user agent' : `${bots} % of the requests`,
    },
    { name: 'replaces', value: counted(understood?.replaced_events ?? 0, 'request') },
  ];
  return { name: file.name, facts };
}
