import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { spellUrl, webUrl, whyNoUrl } from '../../../../core/net/web-url.ts';
import { firstOf } from '../../../../core/text/amounts.ts';
import { leadsOn } from '../../../../site/crawler/fetch/redirect-status.ts';
import { csvRecords } from '../../../../site/search-data/exports/csv-records.ts';

/** A redirect of a list. Its URLs are normalized. */
export interface RedirectRule {
  readonly source: string;
  readonly target: string;
  readonly status: number;
  /** Whether the file has the status, so that another one is a change. */
  readonly isStatusGiven: boolean;
  /** Of the file, from 1. */
  readonly line: number;
}

/** The usual names of the columns, in lowercase and without "URL". */
const COLUMNS = {
  from: /^(redirect )?(from|source|old)$/,
  to: /^(redirect )?(to|target|destination|new)$/,
  status: /^((http|redirect) )?(status|status code|code|type)$/,
} as const;
type Column = keyof typeof COLUMNS;
const NAMES = Object.keys(COLUMNS) as Column[];

const HINT =
  'write a CSV file with the columns from, to and optionally status, and URLs or paths such as /old,/new,301';
const MOST_SHOWN = 5;
const LONGEST_SHOWN = 80;

/**
 * Reads a list of redirects: a CSV file with a header.
 *
 * @param originOf returns the origin of paths
 * @returns the redirects by source
 * @throws CrawlhouseError `usage` that names the file and the invalid lines
 */
export async function readRedirects(
  { given, content }: { readonly given: string; readonly content: string },
  originOf: () => string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, RedirectRule>> {
  const place = `--redirects ${given}`;
  const usage = (problem: string) => new CrawlhouseError('usage', `${place}: ${problem}`, { hint: HINT });
  if (/[\0\ufffd]/.test(content)) throw usage('is not text in UTF-8');
  const bytes = async function* () {
    yield Buffer.from(content);
  };
  const rules = new Map<string, RedirectRule>();
  const wrong: string[] = [];
  let origin: string | undefined;
  const base = (): string => {
    origin ??= originOf();
    return origin;
  };
  let columns: readonly (Column | null)[] | undefined;
  for await (const { cells, line } of csvRecords({ place, bytes }, signal)) {
    const add = (problems: readonly string[]): unknown =>
      wrong.push(...problems.map((problem) => `line ${line}: ${problem}`));
    if (columns === undefined) {
      columns = cells.map(columnOf);
      add(headerProblems(cells, columns));
      if (wrong.length > 0) break;
    } else if (cells.some((cell) => cell.trim() !== '')) {
      const { rule, problems } = ruleOf(cells, columns, base);
      const former = rules.get(rule.source);
      add(problems.length > 0 || former === undefined ? problems : contradiction(former, rule));
      if (problems.length === 0 && former === undefined) rules.set(rule.source, { ...rule, line });
    }
  }
  if (wrong.length > 0) throw usage(firstOf(wrong, MOST_SHOWN));
  if (rules.size === 0) throw usage('has no redirect');
  return rules;
}

function columnOf(cell: string): Column | null {
  const name = cell
    .toLowerCase()
    .replaceAll(/[\s_()-]+/g, ' ')
    .replaceAll(/ ?\burl\b/g, '')
    .trim();
  return NAMES.find((column) => COLUMNS[column].test(name)) ?? null;
}

function headerProblems(cells: readonly string[], columns: readonly (Column | null)[]): string[] {
  const unknown = cells.filter((cell, place) => columns[place] === null && cell.trim() !== '');
  const repeated = columns.find((name, place) => name !== null && columns.indexOf(name) < place);
  const lacking = (['from', 'to'] as const).filter((name) => !columns.includes(name));
  return [
    ...unknown.map((cell) => `${cut(cell)} is not a column`),
    ...(repeated == null ? [] : [`two columns are named ${repeated}`]),
    ...lacking.map((name) => `the column ${name} is missing`),
  ];
}

/** @returns also why the line is no redirect */
function ruleOf(
  cells: readonly string[],
  columns: readonly (Column | null)[],
  originOf: () => string,
): { readonly rule: Omit<RedirectRule, 'line'>; readonly problems: readonly string[] } {
  const problems: string[] = [];
  if (cells.some((cell, place) => (columns[place] ?? null) === null && cell.trim() !== ''))
    problems.push('there are more cells than columns; put a URL that contains the delimiter in quotes');
  const cellOf = (column: Column): string => cells[columns.indexOf(column)]?.trim() ?? '';
  const urlOf = (column: Column): string => {
    const text = cellOf(column);
    const base = text.startsWith('/') ? originOf() : undefined;
    const url = webUrl(text, base);
    if (url?.hash && column === 'from')
      problems.push(`${cut(text)} has a fragment, which servers do not receive`);
    else if (url !== null && !/\s/.test(text)) return spellUrl(url);
    else problems.push(`${text === '' ? column : cut(text)} ${whyNoUrl(text, base)}`);
    return text;
  };
  const [source, target] = [urlOf('from'), urlOf('to')];
  const code = cellOf('status') || '301';
  const status = Number(code);
  if (!/^\d+$/.test(code) || !leadsOn(status))
    problems.push(`the status ${cut(code)} is not 301, 302, 303, 307 or 308`);
  if (problems.length === 0 && source === target) problems.push(`${cut(source)} redirects to itself`);
  return { rule: { source, target, status, isStatusGiven: cellOf('status') !== '' }, problems };
}

function contradiction(former: RedirectRule, rule: Omit<RedirectRule, 'line'>): string[] {
  if (former.target === rule.target && former.status === rule.status) return [];
  const leads = ({ target, status }: Pick<RedirectRule, 'target' | 'status'>): string =>
    `to ${cut(target)} (${status})`;
  return [`${cut(rule.source)} redirects ${leads(rule)}, but in line ${former.line} ${leads(former)}`];
}

const cut = (text: string): string =>
  text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
