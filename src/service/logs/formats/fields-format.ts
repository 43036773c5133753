import { lookUp } from '../../../core/look-up.ts';
import type { LogFormat, LogLine, RejectReason } from '../log-line.ts';
import type { LogTime } from '../log-time.ts';

const HASH = 35;
/** Columns of IIS W3C and of Amazon CloudFront that tell something, in lower case. */
const FIELDS: Readonly<Record<string, Column>> = {
  date: 'date',
  time: 'time',
  timestamp: 'epoch',
  'c-ip': 'address',
  'x-forwarded-for': 'forwarded',
  'cs(x-forwarded-for)': 'forwarded',
  'cs-method': 'method',
  'cs-uri-stem': 'target',
  'cs-uri-query': 'query',
  'cs-host': 'host',
  'cs(host)': 'host',
  'x-host-header': 'host',
  'cs-protocol': 'scheme',
  'sc-status': 'status',
  'sc-bytes': 'bytes',
  'cs(referer)': 'referer',
  'cs(user-agent)': 'agent',
};
type Column = 'date' | 'time' | 'epoch' | Exclude<keyof LogLine, 'second' | 'request'>;

/**
 * The extended log file format of the W3C (https://www.w3.org/TR/WD-logfile.html), as IIS and Amazon CloudFront write it. A
 * line `#Fields:` names the columns of those after it. Times are UTC, as both say.
 *
 * @param fields the last such line that was read, without its first word
 */
export function fieldsFormat(time: LogTime, fields: string): LogFormat {
  let names = fields;
  let columns = columnsOf(names);
  return {
    name: 'w3c',
    get state() {
      return names;
    },
    read(text, from, end, line) {
      if (text.charCodeAt(from) === HASH) {
        if (!/^#fields:/i.test(text.slice(from, from + 8))) return 'skip';
        names = text.slice(from + 8, end).trim();
        columns = columnsOf(names);
        return 'skip';
      }
      const cells = text.slice(from, end);
      // CloudFront has tabs and percent-encodes texts; IIS has `+` for a space.
      const hasTabs = cells.includes('\t');
      const values = cells.split(hasTabs ? '\t' : ' ');
      if (columns.length === 0 || values.length !== columns.length) return 'not_the_format';
      return take(columns, values, line, { time, hasTabs });
    },
  };
}

function columnsOf(names: string): readonly (Column | null)[] {
  if (names === '') return [];
  return names.split(/\s+/).map((name) => lookUp(FIELDS, name.toLowerCase()) ?? null);
}

function take(
  columns: readonly (Column | null)[],
  values: readonly string[],
  line: LogLine,
  { time, hasTabs }: { readonly time: LogTime; readonly hasTabs: boolean },
): 'event' | RejectReason {
  let [date, clock] = ['', ''];
  for (const [index, column] of columns.entries()) {
    const value = values[index] ?? '';
    if (column === null || value === '-') continue;
    if (column === 'date') date = value;
    else if (column === 'time') clock = value;
    else if (column === 'epoch') line.second = time.epoch(value);
    else if (column === 'agent' || column === 'referer')
      line[column] = hasTabs ? unescaped(unescaped(value)) : value.replaceAll('+', ' ');
    else line[column] = value;
  }
  if (date !== '') line.second = time.iso(`${date}T${clock}Z`);
  return Number.isNaN(line.second) ? 'bad_time' : 'event';
}

/** One byte a character, as in all of a line. */
function unescaped(text: string): string {
  return text.replaceAll(/%([0-9a-fA-F]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
