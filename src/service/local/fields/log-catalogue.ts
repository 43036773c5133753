import type { FieldRecord, Granularity } from '../../api/resources/fields.ts';
import { BOT_KINDS } from '../../api/resources/log-monitoring.ts';
import { fieldRecord } from './field-record.ts';

const METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS'];
const STATUS_RANGES = ['ok', 'redirect', 'client_error', 'server_error'];

/** Lines of log files; nothing public shows their fields (wire-facts.md): ours. */
export const LOG_EVENT_CATALOGUE: readonly FieldRecord[] = [
  fieldRecord('url', 'string'),
  fieldRecord('urlpath', 'string'),
  fieldRecord('url_host', 'string'),
  fieldRecord('url_first_path', 'string'),
  fieldRecord('url_has_params', 'bool'),
  fieldRecord('event_date', 'datetime'),
  fieldRecord('day', 'date'),
  fieldRecord('method', 'enum', 'one', METHODS),
  fieldRecord('status_code', 'natural'),
  fieldRecord('status_code_range', 'enum', 'one', STATUS_RANGES),
  fieldRecord('bytes_sent', 'natural'),
  fieldRecord('referer', 'string'),
  fieldRecord('user_agent', 'string'),
  fieldRecord('device', 'enum', 'one', ['desktop', 'mobile']),
  fieldRecord('is_bot', 'bool'),
  fieldRecord('bot', 'string'),
  fieldRecord('bot_kind', 'enum', 'one', BOT_KINDS),
  fieldRecord('search_engine', 'enum', 'one', ['google']),
  fieldRecord('is_seo_visit', 'bool'),
];

/** The totals of all hits on a URL in a day, week or month. */
const HITS: readonly FieldRecord[] = [
  fieldRecord('hits', 'natural'),
  fieldRecord('bot_hits', 'natural'),
  ...BOT_KINDS.map((kind) => fieldRecord(`${kind}_bot_hits`, 'natural')),
  fieldRecord('visits', 'natural'),
  fieldRecord('seo_visits', 'natural'),
  ...['2xx', '3xx', '4xx', '5xx'].map((range) => fieldRecord(`hits_${range}`, 'natural')),
  fieldRecord('last_status_code', 'natural'),
  fieldRecord('bytes_sent', 'natural'),
  fieldRecord('is_crawled', 'bool'),
  fieldRecord('is_active', 'bool'),
];

/** The field that tells when, by granularity (api-spec.md §2.13; spec-notes.md 30 for the format of days). */
export const PERIOD_FIELDS: Readonly<Record<Granularity, FieldRecord>> = {
  days: fieldRecord('day', 'date'),
  weeks: fieldRecord('week', 'string'),
  months: fieldRecord('month', 'string'),
};

/** URLs of the log files by day, week or month; the fields but that one are ours. */
export const LOG_PAGE_CATALOGUES: Readonly<Record<Granularity, readonly FieldRecord[]>> = {
  days: pagesBy('days'),
  weeks: pagesBy('weeks'),
  months: pagesBy('months'),
};

function pagesBy(granularity: Granularity): readonly FieldRecord[] {
  return [
    fieldRecord('url', 'string'),
    fieldRecord('urlpath', 'string'),
    PERIOD_FIELDS[granularity],
    ...HITS,
  ];
}
