import { lookUp } from '../../../../core/text/look-up.ts';
import type { LogField, LogFormat, LogLine, RejectReason } from '../log-line.ts';
import type { LogTime } from '../log-time.ts';
import { parseJsonLine, textOf, unescaped } from './json-format.ts';

const HASH = 35;
const BRACE = 123;
/**
 * Columns of IIS, its Advanced Logging and Amazon CloudFront that tell something, in lower case. Of several of one kind the
 * later one here counts where it says something: `cs(Host)` of CloudFront is its own, `x-host-header` the site's.
 */
const FIELDS: Readonly<Record<string, Column>> = {
  'date-local': 'date_local',
  'time-local': 'time_local',
  date: 'date',
  time: 'time',
  timestamp: 'epoch',
  'timestamp(ms)': 'epoch',
  'beginrequest-utc': 'begin',
  'cs-ip': 'address',
  'c-ip': 'address',
  'cs(forwarded)': 'forwarded',
  's-xff': 'forwarded',
  'x-forwarded-for': 'forwarded',
  'cs(x-forwarded-for)': 'forwarded',
  'cs-method': 'method',
  'cs-uri': 'target',
  'cs-uri-stem': 'target',
  'cs-uri-query': 'query',
  's-port': 'port',
  'cs(host)': 'host',
  'cs-host': 'host',
  'x-host-header': 'host',
  'cs-protocol': 'scheme',
  'sc-status': 'status',
  'sc-bytes': 'bytes',
  'cs(referrer)': 'referer',
  'cs(referer)': 'referer',
  'cs(user-agent)': 'agent',
};
const RANKS: ReadonlyMap<string, number> = new Map(Object.keys(FIELDS).map((name, index) => [name, index]));
type Moment = 'date' | 'time' | 'date_local' | 'time_local' | 'begin' | 'epoch';
type Column = Moment | Exclude<LogField, 'request'>;

type Columns = ReturnType<typeof columnsOf>;

/**
 * The extended log file format of the W3C (https://www.w3.org/TR/WD-logfile.html), as IIS and Amazon CloudFront write it. A
 * line `#Fields:` names the columns of those after it; a record of CloudFront's JSON names its own
 * (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logging.html). Times are UTC, as both say.
 *
 * @param fields the last such line that was read, without its first word
 */
export function fieldsFormat(time: LogTime, fields: string): LogFormat {
  let names = fields;
  let columns = columnsOf(names);
  const nameColumns = (given: string): void => {
    if (given === names) return;
    names = given;
    columns = columnsOf(names);
  };
  return {
    name: 'w3c',
    get state() {
      return names;
    },
    read(text, from, end, line) {
      if (text.charCodeAt(from) === HASH) {
        if (/^#fields:/i.test(text.slice(from, from + 8))) nameColumns(text.slice(from + 8, end).trim());
        return 'skip';
      }
      const whole = text.slice(from, end);
      const record = text.charCodeAt(from) === BRACE ? parseJsonLine(whole) : undefined;
      if (record) nameColumns(Object.keys(record).join(' '));
      const isCoded = record !== undefined || whole.includes('\t');
      const values = record ? Object.values(record).map((value) => textOf(value, 'url')) : valuesIn(whole);
      if (columns.count === 0 || values.length !== columns.count) return 'not_the_format';
      line.tellsAgent = columns.has.has('agent');
      if (!columns.has.has('status')) return 'no_status';
      if (!columns.has.has('target')) return 'no_url';
      return take(columns.places, values, line, { time, isCoded });
    },
  };
}

/** The columns of a line: how many values it has, those that tell something, in the order in which they are taken. */
function columnsOf(text: string) {
  const names = text === '' ? [] : text.split(/\s+/).map((name) => name.toLowerCase());
  const places = names.flatMap((name, index) => {
    const column = lookUp(FIELDS, name);
    return column === undefined ? [] : [{ name, column, index }];
  });
  places.sort((a, b) => (RANKS.get(a.name) ?? 0) - (RANKS.get(b.name) ?? 0));
  return { count: names.length, places, has: new Set(places.map(({ column }) => column)) };
}

/** Values of Advanced Logging have quotation marks where they hold spaces. */
function valuesIn(whole: string): string[] {
  if (whole.includes('\t')) return whole.split('\t');
  const cells = whole.trimEnd();
  if (!cells.includes('"')) return cells.split(' ');
  return [...cells.matchAll(/"((?:[^"]|"")*)"|[^ ]+/g)].map(([cell, quoted]) =>
    quoted === undefined ? cell : quoted.replaceAll('""', '"'),
  );
}

function take(
  places: Columns['places'],
  values: readonly string[],
  line: LogLine,
  { time, isCoded }: { readonly time: LogTime; readonly isCoded: boolean },
): 'event' | RejectReason {
  const moment = { date: '', time: '', date_local: '', time_local: '', begin: '', epoch: '' };
  for (const { column, index } of places) {
    const value = values[index] ?? '';
    if (value === '-' || value === '') continue;
    if (isMoment(column)) moment[column] = value;
    // CloudFront has tabs, or JSON, and percent-encodes texts once more; IIS has `+` for a space, which a URL has not.
    else if (column === 'agent' || column === 'forwarded')
      line[column] = isCoded ? unescaped(unescaped(value)) : value.replaceAll(/\+(\+?)/g, ' $1');
    else if (column === 'referer') line.referer = isCoded ? unescaped(unescaped(value)) : value;
    else if (column === 'target' || column === 'query')
      line[column] = isCoded ? unescaped(value).replaceAll('#', '%23') : withoutServerParts(value);
    else line[column] = value;
  }
  if (moment.date !== '') line.second = time.iso(`${moment.date}T${moment.time}Z`);
  else if (moment.begin !== '') line.second = time.iso(`${moment.begin}Z`);
  else if (moment.epoch !== '') line.second = time.epoch(moment.epoch);
  else if (moment.date_local !== '') line.second = time.iso(`${moment.date_local}T${moment.time_local}`);
  else return 'no_time';
  return Number.isNaN(line.second) ? 'bad_time' : 'event';
}

/** What classic ASP adds to a query for an error: line, code and text. */
const ASP_ERROR = /\|(?:-|\d+)\|[\da-f]+\|[^|]*$/i;
const SERVER_PARTS = /^(?:X-ARR-(?:LOG-ID|CACHE-HIT|SSL)|SERVER-STATUS)=/;

/** A URL or query without what IIS, its routing and ASP add for the log. */
function withoutServerParts(value: string): string {
  const plain = value.includes('|') ? value.replace(ASP_ERROR, '') : value;
  if (!plain.includes('X-ARR-') && !plain.includes('SERVER-STATUS=')) return plain;
  const mark = plain.indexOf('?') + 1;
  const query = plain.slice(mark).split('&');
  const kept = query.filter((one) => !SERVER_PARTS.test(one)).join('&');
  return kept === '' ? plain.slice(0, Math.max(mark - 1, 0)) : plain.slice(0, mark) + kept;
}

function isMoment(column: Column): column is Moment {
  return /^(?:date|time|begin|epoch)/.test(column);
}
