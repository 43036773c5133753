const HOUR = 3600;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const CLOCK = String.raw`(\d\d):(\d\d):(\d\d)(?:[.,]\d+)?`;
const OFFSET = String.raw`([Zz]|UTC|GMT|[+-]\d\d(?::?\d\d)?)`;
const ISO = new RegExp(
  String.raw`^(\d{4})[-/](\d\d)[-/](\d\d)[Tt ]${CLOCK}(?:\s?${OFFSET}(?: [A-Z]{3,4})?)?$`,
);
/** CLF, RFC 1123 and RFC 850: `10/Oct/2000:13:55:36 -0700`, `Tue, 10 Oct 2000 …`, `Tuesday, 10-Oct-00 …`. */
const DAY_FIRST = new RegExp(
  String.raw`^(?:[A-Za-z]{3,9}, )?(\d\d?)[/ -]([^\s\d/:-]{3,12})[/ -](\d{4}|\d\d)[: ]${CLOCK}(?: ${OFFSET})?$`,
);
/** As in C, also with an offset before the year: `Tue Oct 3 13:55:36 2000`. */
const MONTH_FIRST = new RegExp(
  String.raw`^[A-Za-z]{3} ([A-Za-z]{3}) ([ \d]\d) ${CLOCK}(?: ${OFFSET})? (\d{4})$`,
);
/**
 * Number of digits in seconds since 1970, for times after 2001. Milliseconds, microseconds and nanoseconds each add
 * three.
 */
const SECOND_DIGITS = 10;

/** Reads the times of one log. A time without an offset is in the given zone. */
export class LogTime {
  readonly #zone: ZoneOffsets;
  /** Whether a time without an offset was read. */
  assumedZone = false;
  /** The last minute that was read, as written with its offset, and its first second. */
  #minute = '';
  #offset = '';
  #minuteAt = 0;

  /** @param zone IANA name of the zone, such as `Europe/Paris` */
  constructor(zone: string) {
    this.#zone = new ZoneOffsets(zone);
  }

  /** `10/Oct/2000:13:55:36 -0700`, or a time of another form: UTC seconds; NaN if it is not a time. */
  clf(text: string): number {
    const [minute, offset, second] = [text.slice(0, 17), text.slice(20), twoDigits(text, 18)];
    if (minute !== this.#minute || offset !== this.#offset) {
      const whole = this.#clf(text);
      // A text of another length than the others, or a leap second.
      if (Number.isNaN(whole) || text.length !== 26 || second >= 60) return whole;
      this.#minute = minute;
      this.#offset = offset;
      this.#minuteAt = whole - second;
      return whole;
    }
    return second < 60 && text.charCodeAt(17) === 58 ? this.#minuteAt + second : this.#clf(text);
  }

  #clf(text: string): number {
    const found = DAY_FIRST.exec(text);
    if (found === null) return this.any(text);
    const [, day = '', month = '', year = '', hour = '', minute = '', second = '', offset] = found;
    return this.#named([year, month, day, hour, minute, second], offset);
  }

  /**
   * ISO 8601 or RFC 3339, with a T or a space, or with slashes as Go and Caddy write it: UTC seconds, NaN for another
   * text.
   */
  iso(text: string): number {
    const found = ISO.exec(text);
    if (found === null) return Number.NaN;
    const [, year = '', month = '', day = '', hour = '', minute = '', second = '', offset] = found;
    return this.#utc([year, month, day, hour, minute, second], offset);
  }

  /**
   * Returns a number of seconds, milliseconds, microseconds or nanoseconds since 1970: UTC seconds, NaN for another
   * text.
   */
  epoch(text: string): number {
    const found = /^(\d{9,19})(?:\.\d+)?$/.exec(text);
    const digits = found?.[1];
    if (digits === undefined) return Number.NaN;
    const thousands = Math.max(0, Math.ceil((digits.length - SECOND_DIGITS) / 3));
    // Nanoseconds have more digits than a number can represent.
    return Number(digits.slice(0, digits.length - 3 * thousands));
  }

  /** Returns a time in any of these formats. */
  any(text: string): number {
    const time = this.iso(text);
    if (!Number.isNaN(time)) return time;
    const epoch = this.epoch(text);
    if (!Number.isNaN(epoch)) return epoch;
    if (DAY_FIRST.test(text)) return this.clf(text);
    const found = MONTH_FIRST.exec(text);
    if (found === null) return Number.NaN;
    const [, month = '', day = '', hour = '', minute = '', second = '', offset, year = ''] = found;
    return this.#named([year, month, day, hour, minute, second], offset);
  }

  #named([year = '', month = '', ...more]: readonly string[], offset: string | undefined): number {
    const number = MONTHS.indexOf(month.toLowerCase()) + 1 || monthOfLanguages(month);
    return this.#utc([year.length === 2 ? `20${year}` : year, String(number), ...more], offset);
  }

  #utc(parts: readonly string[], offset: string | undefined): number {
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map(Number);
    if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 60) return Number.NaN;
    // `Date.UTC` takes two-digit years as years of the last century.
    const midnight = new Date(0).setUTCFullYear(year, month - 1, day) / 1000;
    if (new Date(midnight * 1000).getUTCDate() !== day) return Number.NaN;
    const wall = midnight + hour * HOUR + minute * 60 + Math.min(second, 59);
    if (offset === undefined) {
      this.assumedZone = true;
      return this.#zone.utc(wall);
    }
    if (/^[A-Z]/i.test(offset)) return wall;
    const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(3).replace(':', ''));
    return wall - (offset.startsWith('-') ? -minutes : minutes) * 60;
  }
}

/** Languages in which Java servers, such as Jetty, write months, depending on the machine. */
const LANGUAGES = [
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'pl',
  'sv',
  'da',
  'nb',
  'cs',
  'hu',
  'tr',
  'ro',
  'ru',
  'el',
  'hr',
];
const monthsOfLanguages = new Map<string, number>();

/**
 * Returns the number of a month by its short name, as bytes of UTF-8 or Latin-1; NaN for one that means another month
 * in another language.
 */
function monthOfLanguages(bytes: string): number {
  if (monthsOfLanguages.size === 0)
    for (const language of LANGUAGES)
      for (const month of MONTHS.keys())
        for (const options of [{ month: 'short' }, { month: 'short', day: 'numeric' }] as const) {
          const parts = new Intl.DateTimeFormat(language, options).formatToParts(Date.UTC(2026, month, 15));
          const name = plainMonth(parts.find(({ type }) => type === 'month')?.value ?? '');
          const known = monthsOfLanguages.get(name) ?? month + 1;
          monthsOfLanguages.set(name, known === month + 1 ? known : Number.NaN);
        }
  const texts = [Buffer.from(bytes, 'latin1').toString('utf8'), bytes];
  return (
    texts.map((text) => monthsOfLanguages.get(plainMonth(text))).find((one) => one !== undefined) ??
    Number.NaN
  );
}

/** Returns a month name without its dot and accents, in which editions of the tables differ. */
function plainMonth(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/[.\p{M}]/gu, '')
    .toLowerCase();
}

function twoDigits(text: string, at: number): number {
  const [tens, ones] = [text.charCodeAt(at) - 48, text.charCodeAt(at + 1) - 48];
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

const PARTS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const;

/** Offsets of an IANA time zone, cached by the hour: a log has many lines per hour. */
class ZoneOffsets {
  readonly #format: Intl.DateTimeFormat | null;
  readonly #offsets = new Map<number, number>();

  constructor(zone: string) {
    const parts = Object.fromEntries(PARTS.map((name) => [name, 'numeric']));
    const options = { timeZone: zone, hourCycle: 'h23', era: 'short', ...parts } as const;
    this.#format = zone === 'UTC' ? null : new Intl.DateTimeFormat('en-US', options);
  }

  /**
   * Returns the moment of a wall clock, in seconds since 1970 as if it were UTC. If an hour occurs twice, the first one
   * is meant. A skipped hour uses the offset before it.
   */
  utc(wall: number): number {
    if (this.#format === null) return wall;
    const early = wall - this.#offset(wall - 24 * HOUR);
    if (this.#offset(early) === wall - early) return early;
    const late = wall - this.#offset(wall + 24 * HOUR);
    return this.#offset(late) === wall - late ? late : early;
  }

  /** Seconds that the zone is ahead of UTC; offsets change at whole quarters of an hour. */
  #offset(second: number): number {
    const quarter = Math.floor(second / 900) * 900;
    const known = this.#offsets.get(quarter);
    if (known !== undefined) return known;
    const parts = new Map(
      this.#format?.formatToParts(quarter * 1000).map(({ type, value }) => [type, value]),
    );
    const [year = 0, month = 0, ...more] = PARTS.map((name) => Number(parts.get(name)));
    const offset = Date.UTC(year, month - 1, ...more) / 1000 - quarter;
    this.#offsets.set(quarter, offset);
    return offset;
  }
}
