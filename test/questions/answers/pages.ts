import type { Row } from '../sites/sites.ts';
import { bool, isKnown, list, num, ordered, str } from './values.ts';

/** A page with what docs/definitions.md derives of it. */
export interface Page {
  readonly row: Row;
  readonly url: string;
  readonly status: number | null;
  readonly depth: number | null;
  readonly inlinks: number | null;
  readonly inrank: number | null;
  readonly firstPath: string | null;
  readonly isRobotsDenied: boolean | null;
  readonly isNoindex: boolean | null;
  readonly isCanonicalised: boolean | null;
  readonly canonicalUrl: string | null;
  readonly canonicalKind: string | null;
  readonly reason: string | null;
  readonly isIndexable: boolean | null;
}

export function pageOf(row: Row): Page {
  const own = String(row.url);
  const canonicalUrl = canonicalOf(str(row, 'rel_canonical'), own);
  const facts = {
    status: num(row, 'status_code'),
    isRobotsDenied: robotsDenied(row),
    isNoindex: noindex(row),
    isCanonicalised: canonicalised(row, canonicalUrl, own),
  };
  const reason = REASONS.find(([, holds]) => holds(row, facts))?.[0] ?? null;
  const saysYes = YES.includes(String(row.indexable ?? '').toLowerCase());
  return {
    row,
    url: own,
    ...facts,
    canonicalUrl,
    reason,
    depth: num(row, 'depth'),
    inlinks: num(row, 'nb_inlinks'),
    inrank: num(row, 'inrank_decimal'),
    firstPath: str(row, 'url_first_path'),
    canonicalKind: kindOf(row, canonicalUrl, facts.isCanonicalised),
    isIndexable:
      reason !== null
        ? false
        : !isFile(row) && !isUnread(row) && !isUnknown(row) && (facts.status === 200 || saysYes)
          ? true
          : null,
  };
}

/** Whether it is no page, by its kind. */
export const isFile = (row: Row): boolean =>
  !['html', 'pdf', 'text', null].includes(str(row, 'content_kind'));

/** Whether it leads away at once, which Google takes for a redirect. */
const isInstant = (row: Row): boolean =>
  num(row, 'meta_refresh_delay') === 0 && str(row, 'meta_refresh_location') !== null;

/** Whether its content could not be read. */
const isUnread = (row: Row): boolean =>
  list(row, 'processing_warnings')?.some((one) => one === 'unreadable_content' || one === 'not_parsed') ??
  false;

interface Facts {
  readonly status: number | null;
  readonly isRobotsDenied: boolean | null;
  readonly isNoindex: boolean | null;
  readonly isCanonicalised: boolean | null;
}

const YES: readonly string[] = ['true', 'yes', 'indexable', '1'];
const NO: readonly string[] = ['false', 'no', 'not_indexable', 'non_indexable', '0'];

const warns = (row: Row, holds: (one: string) => boolean): boolean =>
  list(row, 'processing_warnings')?.some(holds) ?? false;

/** Whether the server showed a challenge in the place of the page. */
export const isChallenged = (row: Row): boolean =>
  num(row, 'status_code') !== null && warns(row, (one) => one.startsWith('challenge'));

/** Whether nothing is known of a page, because its server refused the crawler or has no robots.txt that can be read. */
function isUnknown(row: Row): boolean {
  const status = num(row, 'status_code');
  if (status === null) return warns(row, (one) => one === 'robots_unavailable');
  if (status === 401 || status === 429 || isChallenged(row)) return true;
  return status === 503 && warns(row, (one) => one === 'try_later');
}

type Reason = readonly [string, (row: Row, facts: Facts) => boolean];

const KNOWN_REASONS: readonly Reason[] = [
  [
    'no_answer',
    (row, { status, isRobotsDenied }) =>
      status === null && row.fetch_status === 'unfetched_exception' && isRobotsDenied !== true,
  ],
  [
    'redirect',
    (row, { status }) =>
      [301, 302, 303, 307, 308].includes(status ?? 200) ||
      (within(status ?? 200, 200, 200) && isInstant(row)),
  ],
  ['client_error', (_row, { status }) => within(status, 400, 499)],
  ['server_error', (_row, { status }) => within(status, 500, 599)],
  ['other_status', (_row, { status }) => status !== null && status !== 200],
  ['noindex', (_row, { isNoindex }) => isNoindex === true],
  ['canonicalised', (_row, { isCanonicalised }) => isCanonicalised === true],
  ['service', (row) => NO.includes(String(row.indexable ?? '').toLowerCase())],
];

/** Every reason against a page, the first before those that it hides. */
export const REASONS: readonly Reason[] = [
  ['robots_denied', (_row, { isRobotsDenied }) => isRobotsDenied === true],
  ...KNOWN_REASONS.map(
    ([name, holds]): Reason => [name, (row, facts) => !isUnknown(row) && holds(row, facts)],
  ),
];

export const within = (value: number | null, from: number, to: number): boolean =>
  value !== null && value >= from && value <= to;

export const statusRange = (row: Row): string | null => {
  const ranges = ['ok', 'redirect', 'client_error', 'server_error'];
  return (
    str(row, 'status_code_range') ?? ranges[Math.floor((num(row, 'status_code') ?? 0) / 100) - 2] ?? null
  );
};

function robotsDenied(row: Row): boolean | null {
  const denied = bool(row, 'robots_txt_denied');
  const fetched = str(row, 'fetch_status');
  if (num(row, 'status_code') === null && warns(row, (one) => one === 'robots_unavailable')) return null;
  if (denied === true || fetched === 'unfetched_robots_denied') return true;
  return denied === null ? null : false;
}

function noindex(row: Row): boolean | null {
  const evaluated = bool(row, 'meta_robots_index');
  if (evaluated !== null) return !evaluated;
  const directives = list(row, 'meta_robots');
  if (directives === null) return null;
  return directives
    .flatMap((one) => one.split(','))
    .some((one) => ['noindex', 'none'].includes(one.trim().toLowerCase()));
}

/** Scheme, host and the rest of a URL, without fragment, the first two in lower case and the rest not empty. */
function parts(url: string): { scheme: string; host: string; rest: string } {
  const [, scheme = '', host = '', rest = ''] = /^([^:/?#]+):\/\/([^/?#]*)([^#]*)/.exec(url) ?? [];
  return {
    scheme: scheme.toLowerCase(),
    host: host.toLowerCase(),
    rest: rest === '' || rest.startsWith('?') ? `/${rest}` : rest,
  };
}

export function sameForm(url: string): string {
  const { scheme, host, rest } = parts(url);
  return scheme === '' ? url.replace(/#.*$/, '') : `${scheme}://${host}${rest}`;
}

/** The canonical resolved against the page, as RFC 3986 says but for dot segments. */
function canonicalOf(declared: string | null, own: string): string | null {
  if (declared === null) return null;
  const reference = declared.trim().replace(/#.*$/, '');
  if (reference === '') return null;
  const { scheme, host, rest } = parts(own);
  const path = rest.replace(/\?.*$/, '');
  if (/^[a-z][a-z0-9+.-]*:/i.test(reference)) return sameForm(reference);
  if (reference.startsWith('//')) return sameForm(`${scheme}:${reference}`);
  if (reference.startsWith('/')) return `${scheme}://${host}${reference}`;
  if (reference.startsWith('?')) return `${scheme}://${host}${path}${reference}`;
  return `${scheme}://${host}${path.replace(/[^/]*$/, '')}${reference}`;
}

function canonicalised(row: Row, canonicalUrl: string | null, own: string): boolean | null {
  const evaluated = str(row, 'canonical_evaluation');
  if (evaluated !== null) return evaluated === 'not_matching';
  if (canonicalUrl !== null) return canonicalUrl !== sameForm(own);
  return str(row, 'rel_canonical') === null ? null : false;
}

function kindOf(row: Row, canonicalUrl: string | null, isCanonicalised: boolean | null): string | null {
  const evaluated = str(row, 'canonical_evaluation');
  if (evaluated === 'matching') return 'self';
  if (evaluated === 'not_set') return 'not_set';
  const declared = str(row, 'rel_canonical');
  if (declared !== null && canonicalUrl === null) return 'not_set';
  if (declared === null) return null;
  if (isCanonicalised === false) return 'self';
  const [page, other] = [parts(String(row.url)), parts(canonicalUrl ?? '')];
  const [a, b] = [page.rest, other.rest].map((rest) => rest.replace(/\/$/, ''));
  if (a?.toLowerCase() !== b?.toLowerCase()) return 'path';
  if (page.host !== other.host) return 'host';
  if (a !== b) return 'case';
  return page.scheme === other.scheme ? 'slash' : 'scheme';
}

/** The project's own segmentations of a page, each with the different segments that it is in. */
export function segmentsOf({ row }: Page): { segmentation: string; segment: string }[] {
  return Object.entries(row).flatMap(([field, value]) => {
    if (!field.startsWith('page_group_') || !isKnown(value)) return [];
    const segmentation = field.slice('page_group_'.length);
    const values = Array.isArray(value) ? value.filter(isKnown) : [value];
    return ordered(values.map(String)).map((segment) => ({ segmentation, segment }));
  });
}
