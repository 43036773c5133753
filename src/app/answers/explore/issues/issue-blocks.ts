import { counted, countText, sumOfKnown } from '../../../../core/text/amounts.ts';
import { lookUp } from '../../../../core/text/look-up.ts';
import {
  type Block,
  type Cell,
  type Kind,
  line,
  moment,
  section,
  type Table,
  type TableRow,
  tableOf,
  type Words,
} from '../../presentation/blocks.ts';
import { daysWords } from '../../presentation/days-words.ts';
import { columnName } from '../../presentation/value-text.ts';
import { segmentParts, segmentWords } from '../page-segments.ts';
import { CHANGES_OF_BEFORE, CHANGES_OF_ISSUE, type ChangeOfIssue } from '../pages/page-filter.ts';
import { scopeLines } from '../scope-lines.ts';
import type { FoundIssue } from './found-issue.ts';
import type { IssueList, ListedIssue } from './issue-list.ts';

/** Names for people of subjects that are not plain words. */
const SUBJECTS: Readonly<Record<string, string>> = { urls: 'URLs', demand: 'Clicks and visits' };

/** Returns the name of `titles_and_headings` for people. */
export function subjectName(category: string): string {
  const words = category.replaceAll('_', ' ');
  return lookUp(SUBJECTS, category) ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * Renders the issues of a crawl: the crawl, the counts, the list by subject, and an explanation of the figures.
 *
 * @param opened the issue whose panel is open
 */
export function issueBlocks(list: IssueList, opened: string | null = null) {
  const issues = list.issues.filter((issue) => issue.pages > 0 && !isIgnored(issue));
  const [ignored, former] = [list.issues.filter(isIgnored).length, withoutPages(list.issues)];
  const count = (severity: string): string =>
    `${issues.filter((issue) => issue.severity === severity).length} ${severity}`;
  const sum: Words = [
    `${counted(issues.length, 'issue')}: `,
    { value: count('high'), tone: 'bad' },
    ', ',
    { value: count('medium'), tone: 'warn' },
    `, ${count('low')}`,
    ...(ignored === 0 ? [] : [`; and ${counted(ignored, 'issue')} only on ignored pages`]),
    ...(former === 0 ? [] : [`; and ${counted(former, 'issue')} with only fixed or missing pages`]),
  ];
  return {
    scope: scopeLines(list.scope_note),
    caption: line(caption(list)),
    sum: line(sum),
    table: issueTable(list, opened),
    notes: notes(list),
  };
}

const hasTrend = ({ trend }: ListedIssue): boolean => trend.filter((pages) => pages !== null).length > 1;

/** Issues without pages are listed for their fixed and missing pages, but not counted. */
const withoutPages = (issues: readonly ListedIssue[]): number =>
  issues.filter(({ pages }) => pages === 0).length;

/** Returns whether all pages of an issue are ignored. */
const isIgnored = ({ pages, ignored = 0 }: ListedIssue): boolean => pages > 0 && ignored === pages;

function caption(crawl: IssueList): Words {
  const { project, crawl_id, ended_at, previous_ended_at: previous } = crawl;
  return [
    `${project}, crawl of `,
    ...(ended_at === null ? ['an unknown day'] : moment(ended_at)),
    ' (',
    { value: crawl_id, link: { to: 'crawl', crawl_id, ended_at } },
    `)${segmentWords(crawl)}, compared with `,
    ...(previous === null ? ['none'] : moment(previous)),
  ];
}

const COLUMNS: readonly (readonly [name: string, kind: Kind])[] = [
  ['issue', 'text'],
  ['severity', 'severity'],
  ['name', 'code'],
  ['trend', 'text'],
  ...['pages', 'ignored', 'to_fix', 'new', 'fixed', 'missing', 'clicks', 'bot_hits'].map(
    (name) => [name, 'count'] as const,
  ),
  ['tickets', 'text'],
];

type Row = Pick<TableRow, 'isHead' | 'panel'> & { readonly cells: Readonly<Record<string, Cell>> };

function issueTable(list: IssueList, opened: string | null): Table {
  const isKnown = (name: 'clicks' | 'search_bot_hits'): boolean =>
    list.issues.some((issue) => issue[name] !== null);
  const hasIgnored = list.issues.some(({ ignored }) => Number(ignored) > 0);
  const crawls = Math.max(...list.issues.map(({ trend }) => trend.length));
  const columns = COLUMNS.filter(
    ([name]) =>
      (name !== 'clicks' || isKnown('clicks')) &&
      (name !== 'bot_hits' || isKnown('search_bot_hits')) &&
      (name !== 'trend' || list.issues.some(hasTrend)) &&
      (name !== 'missing' || hasMissing(list.issues)) &&
      (!['ignored', 'to_fix'].includes(name) || hasIgnored) &&
      (name !== 'tickets' || list.issues.some(({ tickets = [] }) => tickets.length > 0)),
  );
  const rows = [...Map.groupBy(list.issues, ({ category }) => category)].flatMap(([category, issues]) => [
    headRow(list, category, issues),
    ...issues.map((issue) => issueRow(list, issue, opened)),
  ]);
  return tableOf<Row>(
    'Issues',
    columns.map(([name, kind]) => ({
      name: name === 'trend' ? `Last ${crawls} crawls` : columnName(name),
      kind,
      only: name === 'name' ? 'terminal' : name === 'trend' ? 'browser' : null,
      of: ({ cells }) => cells[name] ?? null,
    })),
    rows,
    {
      empty:
        list.categories.length === 0 ? 'No issue was found on any page.' : 'No issue matches the filter.',
      isCut: true,
      beside: ({ isHead, panel }) => ({ isHead: isHead ?? false, panel: panel ?? null }),
    },
  );
}

function headRow({ subjects }: IssueList, category: string, issues: readonly ListedIssue[]): Row {
  const former = withoutPages(issues);
  const rest = former === 0 ? '' : `, ${former} without pages`;
  const issue = `${subjectName(category)} · ${counted(issues.length - former, 'issue')}${rest}`;
  const sums = subjects?.find((subject) => subject.category === category);
  const { pages, clicks, search_bot_hits } = sums ?? { pages: '', clicks: '', search_bot_hits: '' };
  const changes = ofChanges((change) => sumOf(issues, change));
  const cells = { issue, severity: '', name: '', trend: '', pages, ...changes, clicks };
  return { isHead: true, cells: { ...cells, bot_hits: search_bot_hits } };
}

/** Returns whether any page is missing. A column of zeros would only take space from the names. */
const hasMissing = (issues: readonly FoundIssue[]): boolean =>
  issues.some(({ missing }) => Number(missing) > 0);

function ofChanges<T>(of: (change: ChangeOfIssue) => T) {
  return { new: of('new'), fixed: of('fixed'), missing: of('missing') };
}

/** Returns null if no issue is compared. */
function sumOf(issues: readonly ListedIssue[], name: ChangeOfIssue): number | null {
  return sumOfKnown(issues.map((issue) => issue[name]));
}

function issueRow(list: IssueList, one: ListedIssue, opened: string | null): Row {
  const { issue: name, title: issue, severity, clicks, search_bot_hits } = one;
  const trend = hasTrend(one) && { label: `Pages with ${issue} in the last crawls`, values: one.trend };
  const pages = linkedCount(list, one, 'pages');
  const changes = ofChanges((change) => linkedCount(list, one, change));
  const cells = {
    ...{
      issue,
      severity,
      name,
      trend: { value: '', ...(trend && { trend }) },
      pages,
      ignored: ignoredCount(list, one),
      to_fix: countToFix(list, one),
    },
    ...{ ...changes, clicks, bot_hits: search_bot_hits, tickets: ticketsText(one) },
  };
  return { cells, panel: { blocks: about(list, one), isOpen: name === opened } };
}

export function foundIssues(of: JudgedPages, issues: readonly FoundIssue[], hasOthers: boolean): Table {
  const count = (name: ChangeOfIssue | 'pages') => {
    return {
      name: columnName(name),
      kind: 'count' as const,
      of: (one: FoundIssue) => linkedCount(of, one, name),
    };
  };
  return tableOf(
    'What is wrong',
    [
      { name: 'Issue', of: ({ title }) => title },
      { name: 'Severity', kind: 'severity', of: ({ severity }) => severity },
      count('new'),
      count('fixed'),
      ...(hasMissing(issues) ? [count('missing')] : []),
      count('pages'),
    ],
    issues,
    { empty: hasOthers ? 'No issue is new, and none was fixed.' : 'No page has an issue.' },
  );
}

type JudgedPages = Pick<IssueList, 'project_id' | 'crawl_id' | 'segmentation' | 'segment'>;

/** Returns the state and the owner of each ticket. */
function ticketsText({ tickets = [] }: ListedIssue): string {
  return tickets
    .map(({ state, effective_state, owner }) => {
      const words = (effective_state ?? state).replaceAll('_', ' ');
      return owner === null ? words : `${words}: ${owner}`;
    })
    .join('; ');
}

/** Returns the pages of ignored tickets, among all pages with the issue. */
const ignoredCount = (list: IssueList, one: ListedIssue) =>
  countOf(list, one, { value: one.ignored ?? 0, is_ignored: 'is:true' });

/** Returns the pages with the issue that no ticket ignores. */
const countToFix = (list: IssueList, one: ListedIssue) =>
  countOf(list, one, { value: one.pages - (one.ignored ?? 0), is_ignored: 'is:false' });

function countOf(
  { project_id, crawl_id: crawl, ...of }: IssueList,
  { issue }: ListedIssue,
  { value, is_ignored }: { readonly value: number; readonly is_ignored: string },
) {
  const parts = { crawl, issue, is_ignored, ...segmentParts(of) };
  const link = { to: 'pages', project_id, parts } as const;
  return { value, kind: 'count' as const, ...(value > 0 && { link }) };
}

function linkedCount(of: JudgedPages, one: FoundIssue, name: ChangeOfIssue | 'pages') {
  const value = one[name];
  const { project_id, crawl_id: crawl } = of;
  const parts = {
    crawl,
    issue: one.issue,
    change: name === 'pages' ? null : name,
    ...segmentParts(of),
    sort: CHANGES_OF_BEFORE.includes(name) ? null : 'priority desc',
  };
  const link = { to: 'pages', project_id, parts } as const;
  return { value, kind: 'count' as const, ...(Number(value) > 0 && { link }) };
}

function about(list: IssueList, one: ListedIssue): readonly Block[] {
  const { project_id, crawl_id } = list;
  const { example: url, priority, source } = one;
  const counts = (['pages', ...CHANGES_OF_ISSUE] as const).filter(
    (name) => one[name] !== null && (name !== 'unseen' || one[name] > 0),
  );
  const facts: readonly (readonly [string, Cell])[] = [
    ...counts.map((name) => [name, linkedCount(list, one, name)] as const),
    ...(Number(one.ignored) > 0 ? [['ignored pages', ignoredCount(list, one)] as const] : []),
    ['priority', priority === null ? 'none: no page has this issue anymore' : `${priority} of 100`],
    ...(url === null
      ? []
      : [['example', { value: url, link: { to: 'url', project_id, url, crawl_id } }] as const]),
    ['condition', one.definition],
    ['source', { value: new URL(source).hostname, link: { to: 'web', address: source } }],
  ];
  return [
    section(one.title, line(one.why_it_matters)),
    section('To do', line(`${one.fix}. Owner: ${one.owner}.`)),
    { is: 'facts', title: null, facts },
  ];
}

function notes({ none, unknown, issues, ...list }: IssueList): readonly Block[] {
  const lacking =
    unknown === 0
      ? ''
      : `, ${counted(unknown, 'issue')} unknown: their fields, hits or search results are not loaded`;
  const first = line(`${counted(none, 'issue')} on no page${lacking}.`);
  const [days] = issues;
  const { new: added, fixed, missing } = ofChanges((change) => sumOf(issues, change));
  if (days === undefined) return [first];
  const words = [
    list.previous_ended_at !== null &&
      (added === null || fixed === null
        ? 'New and fixed findings are unknown: no issue can be compared with the previous crawl.'
        : `${countText(added)} new findings, ${countText(fixed)} fixed; a page counts as a finding for each of its issues.`),
    list.previous_ended_at !== null &&
      Number(missing) > 0 &&
      `${counted(missing ?? 0, 'earlier finding')} missing: the crawl did not read these pages again, so whether they are fixed is unknown.`,
    list.subjects !== null &&
      `Each subject counts a page once, and every new or fixed finding${unknown === 0 ? '' : ' of the known issues'}.`,
    daysWords(days, issues),
    list.is_in_trends === false &&
      'The trend lines omit this crawl, because it ended early or is newer than the latest crawl.',
  ];
  return [first, ...words.filter((word) => word !== false).map((word) => line(word))];
}
