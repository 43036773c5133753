const HOUR = 3600;

/** Offsets of an IANA time zone, remembered by the hour: a log has many lines of each. */
export class ZoneOffsets {
  readonly #format: Intl.DateTimeFormat | null;
  readonly #offsets = new Map<number, number>();

  constructor(zone: string) {
    const parts = {
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    } as const;
    const options = { timeZone: zone, hourCycle: 'h23', era: 'short', ...parts, second: 'numeric' } as const;
    this.#format = zone === 'UTC' ? null : new Intl.DateTimeFormat('en-US', options);
  }

  /**
   * The moment of a wall clock, in seconds since 1970 as if it were UTC. Of an hour that comes twice it is the first; an
   * hour that is left out counts by the offset before.
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
    const [year, month, day, hour, minute, rest] = ['year', 'month', 'day', 'hour', 'minute', 'second'].map(
      (name) => Number(parts.get(name as Intl.DateTimeFormatPartTypes)),
    ) as [number, number, number, number, number, number];
    const offset = Date.UTC(year, month - 1, day, hour, minute, rest) / 1000 - quarter;
    this.#offsets.set(quarter, offset);
    return offset;
  }
}
