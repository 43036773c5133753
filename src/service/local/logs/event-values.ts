import type { Column } from '../fields/column.ts';

/** SQL for what a line of a log file says, whatever its columns are called and stored as. */
export interface EventValues {
  readonly url: string;
  /** A DATE; NULL where the line has none. */
  readonly day: string;
  /** Text that sorts as time does. */
  readonly at: string;
  readonly status: string;
  readonly bytes: string;
  /** BOOLEANs that are never NULL. */
  readonly isBot: string;
  readonly isSeoVisit: string;
  /** One of the kinds of api-spec.md §2.16, or NULL. */
  readonly botKind: string;
}

const BOTS = '(bot|spider|crawl|slurp)';
const ORGANIC = '^https?://([^/]+\\.)?google\\.([a-z]{2,3}|com?\\.[a-z]{2})(/|$)';

/**
 * Reads events by the names of the catalogue. Missing data about bots and visits follows from the user agent and the
 * referrer. Only the search engine of the metadata has kinds of bots. Nothing if events have no URL or no date.
 */
export function eventValues(columns: readonly Column[]): EventValues | undefined {
  const byName = new Map(columns.map((column) => [column.field.name, column]));
  const value = (name: string): string | undefined => textOf(byName.get(name));
  const moment = textOf(columns.find(({ field }) => field.type === 'datetime' || field.type === 'date'));
  const [url, at] = [value('url'), value('event_date') ?? moment];
  if (url === undefined || at === undefined) return undefined;

  const agent = `lower(concat(${value('bot') ?? "''"}, ' ', ${value('user_agent') ?? "''"}))`;
  const named = value('bot');
  const guessed = named === undefined ? `regexp_matches(${agent}, '${BOTS}')` : `${named} IS NOT NULL`;
  const isBot = isTrue(value('is_bot')) ?? `(${guessed})`;
  const organic = `coalesce(regexp_matches(${value('referer') ?? "''"}, '${ORGANIC}', 'i'), false)`;
  const kind = `CASE WHEN NOT ${isBot} THEN NULL
    WHEN regexp_matches(${agent}, 'adsbot-google|mediapartners-google') THEN 'sea'
    WHEN regexp_matches(${agent}, 'googlebot-(image|news|video)') THEN 'vertical'
    WHEN contains(${agent}, 'googlebot') THEN 'seo' END`;
  return {
    url,
    day: `TRY_CAST(replace(substr(${value('day') ?? at}, 1, 10), '/', '-') AS DATE)`,
    at,
    status: `TRY_CAST(${value('status_code') ?? 'NULL'} AS BIGINT)`,
    bytes: `TRY_CAST(${value('bytes_sent') ?? 'NULL'} AS BIGINT)`,
    isBot,
    isSeoVisit: isTrue(value('is_seo_visit')) ?? `(NOT ${isBot} AND ${organic})`,
    botKind: value('bot_kind') ?? `(${kind})`,
  };
}

function textOf(column: Column | undefined): string | undefined {
  if (column === undefined) return undefined;
  if (column.kind === 'json') return `json_extract_string(${column.id}, '$')`;
  return column.kind === 'text' ? column.id : `CAST(${column.id} AS VARCHAR)`;
}

function isTrue(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `coalesce(lower(${text}) = 'true', false)`;
}
