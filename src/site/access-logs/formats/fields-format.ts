import { lookUp } from '../../../core/text/look-up.ts';
import type { LogField, LogFormat, LogLine, RejectReason } from '../log-line.ts';
import type { LogTime } from '../log-time.ts';
import { isSiteHost } from './further-fields.ts';
import { parseJsonLine, textOf, unescaped } from './json-format.ts';

const HASH = 35;
const BRACE = 123;
/**
 * Columns of IIS, its Advanced Logging and Amazon CloudFront with useful values, in lowercase. Of several columns of
 * one kind, the later one in this list with a value counts: `cs(Host)` is CloudFront's own host, `x-host-header` the
 * site's.
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
  'cs-uri-scheme': 'scheme',
  'cs(x-forwarded-proto)': 'scheme',
  'cs-protocol': 'scheme',
  'sc-status': 'status',
  bytes: 'bytes',
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
 * Returns the extended log file format of the W3C (https://www.w3.org/TR/WD-logfile.html), as IIS and Amazon CloudFront
 * write it. A line `#Fields:` names the columns of the lines after it; a record of CloudFront's JSON names its own
 * (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logging.html). Times are UTC, as both
 * specify.
 *
 * @param state the last such line that was read, without its first word, and the day of lines without a date
 */
export function fieldsFormat(time: LogTime, state: string): LogFormat {
  let [names = '', ...day] = state.split(DAY_MARK);
  let columns = columnsOf(names);
  const days = new LineDays(time, day);
  const nameColumns = (given: string): void => {
    if (given === names) return;
    names = given;
    columns = columnsOf(names);
  };
  return {
    name: 'w3c',
    get state() {
      return columns.has.has('date') ? names : [names, ...days.state].join(DAY_MARK);
    },
    read(text, from, end, line) {
      if (text.charCodeAt(from) === HASH) {
        const [, directive = '', value = ''] =
          /^#(fields|date): *(.*?) *$/i.exec(text.slice(from, end)) ?? [];
        if (/^f/i.test(directive)) nameColumns(value);
        else if (directive !== '') days.begin(value);
        return 'skip';
      }
      const whole = text.slice(from, end);
      const record = text.charCodeAt(from) === BRACE ? parseJsonLine(whole) : undefined;
      if (record) nameColumns(Object.keys(record).join(' '));
      const isCoded =
        record !== undefined || (whole.includes('\t') && !columns.isAkamai && !whole.includes('"'));
      const values = record ? Object.values(record).map((value) => textOf(value, 'url')) : valuesIn(whole);
      if (columns.count === 0 || values.length !== columns.count) return 'not_the_format';
      line.tellsAgent = columns.has.has('agent');
      line.tellsReferer = columns.has.has('referer');
      if (!columns.has.has('status')) return 'no_status';
      if (!columns.has.has('target')) return 'no_url';
      const found = take(columns.places, values, line, { time, isCoded, days });
      // The number of a session of FTP.
      if (line.method.startsWith('[')) return 'not_the_format';
      // The ARL of Akamai begins with the host.
      if (columns.isAkamai && line.host === '' && isSiteHost(/^\/([^/?]+)\//.exec(line.target)?.[1] ?? ''))
        line.target = line.target.slice(1);
      return found;
    },
  };
}

const DAY_MARK = '\t';
const SECONDS_OF_DAY = 86_400;
/** If the clock goes back further than this, midnight has passed. */
const PASSED_MIDNIGHT = SECONDS_OF_DAY / 2;

/** The days of lines that only have a time: IIS writes the day at the beginning of a file, in a line `#Date:`. */
class LineDays {
  readonly #time: LogTime;
  #last: number;

  constructor(time: LogTime, [last = '']: readonly string[]) {
    this.#time = time;
    this.#last = last === '' ? Number.NaN : Number(last);
  }

  get state(): readonly string[] {
    return Number.isNaN(this.#last) ? [] : [String(this.#last)];
  }

  begin(date: string): void {
    const [day = '', clock = '00:00:00'] = date.split(' ');
    this.#last = this.#time.iso(`${day}T${clock}Z`);
  }

  /** UTC seconds of a clock; NaN if the day is unknown. */
  second(clock: string): number {
    const ofDay = this.#time.iso(`1970-01-01T${clock.padStart(8, '0')}Z`);
    const midnight = Math.floor(this.#last / SECONDS_OF_DAY) * SECONDS_OF_DAY;
    const hasPassed = this.#last - (midnight + ofDay) > PASSED_MIDNIGHT;
    this.#last = midnight + ofDay + (hasPassed ? SECONDS_OF_DAY : 0);
    return this.#last;
  }
}

/** Returns the columns of a line: the number of values, and the useful ones in the order in which they are taken. */
function columnsOf(text: string) {
  const names = text === '' ? [] : text.split(/\s+/).map((name) => name.toLowerCase());
  const places = names.flatMap((name, index) => {
    const column = lookUp(FIELDS, name);
    return column === undefined ? [] : [{ name, column, index }];
  });
  places.sort((a, b) => (RANKS.get(a.name) ?? 0) - (RANKS.get(b.name) ?? 0));
  const has = new Set(places.map(({ column }) => column));
  return { count: names.length, places, has, isAkamai: names.includes('cs-ip') };
}

/** Advanced Logging quotes values that contain spaces; Akamai quotes all values. */
function valuesIn(whole: string): string[] {
  if (whole.includes('\t')) {
    const values = whole.split('\t');
    return whole.includes('"') ? values.map((value) => /^"(.*)"$/.exec(value)?.[1] ?? value) : values;
  }
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
  { time, isCoded, days }: { readonly time: LogTime; readonly isCoded: boolean; readonly days: LineDays },
): 'event' | RejectReason {
  const moment = { date: '', time: '', date_local: '', time_local: '', begin: '', epoch: '' };
  for (const { column, index } of places) {
    const value = values[index] ?? '';
    if (value === '-' || value === '') continue;
    if (isMoment(column)) moment[column] = value;
    // CloudFront has tabs, or JSON, and percent-encodes texts once more; IIS writes `+` for a space, which a URL does
    // not have.
    else if (column === 'agent' || column === 'forwarded')
      line[column] = isCoded ? unescaped(unescaped(value)) : plainValue(value);
    else if (column === 'referer') line.referer = isCoded ? unescaped(unescaped(value)) : value;
    else if (column === 'target' || column === 'query')
      line[column] = isCoded ? unescaped(value).replaceAll('#', '%23') : withoutServerParts(value);
    else line[column] = value;
  }
  if (moment.date !== '') line.second = time.iso(`${moment.date}T${moment.time}Z`);
  else if (moment.begin !== '') line.second = time.iso(`${moment.begin}Z`);
  else if (moment.epoch !== '') line.second = time.epoch(moment.epoch);
  else if (moment.date_local !== '') line.second = time.iso(`${moment.date_local}T${moment.time_local}`);
  else if (moment.time !== '') line.second = days.second(moment.time);
  else return 'no_time';
  if (Number.isNaN(line.second) && moment.date === '' && moment.time !== '') return 'no_time';
  return Number.isNaN(line.second) ? 'bad_time' : 'event';
}

/** What classic ASP adds to a query for an error: line, code and text. */
const ASP_ERROR = /\|(?:-|\d+)\|[\da-f]+\|[^|]*$/i;
const SERVER_PARTS = /^(?:X-ARR-(?:LOG-ID|CACHE-HIT|SSL)|SERVER-STATUS)=/;

/** Returns a URL or query without the parts that IIS, its routing and ASP add for the log. */
function withoutServerParts(value: string): string {
  const plain = value.includes('|') ? value.replace(ASP_ERROR, '') : value;
  if (!plain.includes('X-ARR-') && !plain.includes('SERVER-STATUS=')) return plain;
  const mark = plain.indexOf('?') + 1;
  const query = plain.slice(mark).split('&');
  const kept = query.filter((one) => !SERVER_PARTS.test(one)).join('&');
  return kept === '' ? plain.slice(0, Math.max(mark - 1, 0)) : plain.slice(0, mark) + kept;
}

/** Decodes a value. IIS writes `+` for a space, so a value with spaces is unchanged. */
function plainValue(value: string): string {
  return value.includes(' ') ? value : value.replaceAll(/\+(\+?)/g, ' $1');
}

function isMoment(column: Column): column is Moment {
  return /^(?:date|time|begin|epoch)/.test(column);
}
