const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
export const WEEKDAY_NAMES: readonly string[] = WEEKDAYS;

/** The times of a schedule as the fields of its form; `cron` for times that the other fields cannot express. */
export interface ScheduleTimes {
  readonly every: 'day' | 'week' | 'month' | 'cron';
  /** `06:00` */
  readonly at: string;
  /** 0 to 6; Sunday is 0. */
  readonly weekday: string;
  /** 1 to 31. */
  readonly day: string;
  readonly cron: string;
}

const SIMPLE = /^(\d{1,2}) (\d{1,2}) (\*|\d{1,2}) \* (\*|[0-7])$/;

export function timesOf(cron: string): ScheduleTimes {
  const other = { every: 'cron', at: '06:00', weekday: '1', day: '1', cron } as const;
  const [, minute = '', hour = '', day = '*', weekday = '*'] = SIMPLE.exec(cron.trim()) ?? [];
  if (minute === '' || (day !== '*' && weekday !== '*')) return other;
  const at = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (day !== '*') return { ...other, every: 'month', at, day };
  if (weekday !== '*') return { ...other, every: 'week', at, weekday: String(Number(weekday) % 7) };
  return { ...other, every: 'day', at };
}

/** Returns the cron expression of the fields of a form; it may be invalid. */
export function cronOf(fields: URLSearchParams): string {
  const text = (name: string): string => (fields.get(name) ?? '').trim();
  const every = text('every');
  if (every === 'cron') return text('cron');
  const [hour = '', minute = ''] = text('at').split(':');
  const time = `${Number.parseInt(minute, 10)} ${Number.parseInt(hour, 10)}`;
  if (every === 'month') return `${time} ${text('day')} * *`;
  return every === 'week' ? `${time} * * ${text('weekday')}` : `${time} * * *`;
}

/** `every Monday at 06:00`, or the cron expression. */
export function timesText(cron: string): string {
  const { every, at, weekday, day } = timesOf(cron);
  if (every === 'cron') return cron;
  if (every === 'month') return `day ${day} of each month at ${at}`;
  return `every ${every === 'day' ? 'day' : WEEKDAYS[Number(weekday)]} at ${at}`;
}
