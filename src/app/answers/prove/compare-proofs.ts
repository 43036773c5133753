import { counted } from '../../../core/text/amounts.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import { visibleLine } from '../../../core/text/visible.ts';
import type { ProvenLoad } from '../../../etl/state/catalog/read-provenance.ts';
import type { Proof, ProvenDays } from './proof.ts';
import { rowText } from './row-text.ts';

/** What differs: of a load, table, row or day, null means that it is only on the other side. */
export interface ProofDifference {
  readonly what:
    | 'answer'
    | 'columns'
    | 'value'
    | 'row'
    | 'load'
    | 'definition'
    | 'days'
    | 'sql'
    | 'crawlhouse';
  /** The column, unit, table, crawl or figure. */
  readonly name: string;
  readonly proven: unknown;
  readonly here: unknown;
}

export interface CheckedProof {
  /** Whether the answer and its loads are equal, and the SQL of an issue or a card. Other differences are only listed. */
  readonly equal: boolean;
  readonly differences: readonly ProofDifference[];
}

/** Maximum rows on each side that are listed. */
const MOST_LISTED = 10;

/**
 * Compares a proof with the one of this machine. Lists of a workspace and added loads count only if the answer differs:
 * they grow every day.
 *
 * @param sqlHere the SQL of the figure on this machine; null if the project does not have it
 */
export function compareProofs(proven: Proof, here: Proof, sqlHere: string | null): CheckedProof {
  const answer = answerDifferences(proven.answer, here.answer);
  const isEqual = answer.length === 0;
  const loads = loadDifferences(proven.loads, here.loads).filter(({ isGrowing }) => !isGrowing || !isEqual);
  const definition = (proof: Proof): ReadonlyMap<string, string | null> =>
    new Map(proof.tables.map((table) => [table.name, table.definition]));
  const days = (proof: Proof): ReadonlyMap<string, string> =>
    new Map(proof.days.map((one) => [`${one.crawl_id ?? one.project_id} (${one.dataset})`, daysText(one)]));
  const isSame = proven.sql === sqlHere;
  const isFixed = /^(?:issue|card):/.test(proven.figure);
  return {
    equal: isEqual && loads.length === 0 && (isSame || !isFixed),
    differences: [
      ...answer,
      ...loads.map(({ difference }) => difference),
      ...mapDifferences('days', days(proven), days(here)),
      ...mapDifferences('definition', definition(proven), definition(here)),
      ...(isSame ? [] : [{ what: 'sql' as const, name: proven.figure, proven: proven.sql, here: sqlHere }]),
      ...(proven.crawlhouse === here.crawlhouse
        ? []
        : [
            {
              what: 'crawlhouse' as const,
              name: 'version',
              proven: proven.crawlhouse,
              here: here.crawlhouse,
            },
          ]),
    ],
  };
}

/** Totals of a period are one row, which does not say how many days have data. */
const daysText = ({ dataset, from_date, to_date, days }: ProvenDays): string =>
  `${from_date} to ${to_date}${dataset === 'ranking_periods' ? '' : `, ${days} with data`}`;

function mapDifferences(
  what: 'days' | 'definition',
  proven: ReadonlyMap<string, string | null>,
  here: ReadonlyMap<string, string | null>,
): ProofDifference[] {
  return [...new Set([...proven.keys(), ...here.keys()])].flatMap((name) => {
    const [before, after] = [proven.get(name), here.get(name)];
    return before === after ? [] : [{ what, name, proven: before ?? null, here: after ?? null }];
  });
}

type Answer = Proof['answer'];

function answerDifferences(proven: Answer, here: Answer): ProofDifference[] {
  if (proven.sha256 === here.sha256) return [];
  const total = ({ total: rows, sha256 }: Answer): object => ({ rows, sha256 });
  const answer = { what: 'answer', name: 'rows', proven: total(proven), here: total(here) } as const;
  const columns = ({ columns: all }: Answer): string =>
    all.map(({ name, type }) => `${name} ${type}`).join(', ');
  if (columns(proven) !== columns(here))
    return [answer, { what: 'columns', name: 'columns', proven: columns(proven), here: columns(here) }];
  const [before, after] = [proven.rows[0], here.rows[0]];
  if (proven.total === 1 && here.total === 1 && before && after)
    return [answer, ...valueDifferences(proven, before, after)];
  if (proven.rows.length < proven.total || here.rows.length < here.total) return [answer];
  return [
    answer,
    ...rowsOnlyIn(proven, here).map((row) => ({
      what: 'row' as const,
      name: 'row',
      proven: row,
      here: null,
    })),
    ...rowsOnlyIn(here, proven).map((row) => ({
      what: 'row' as const,
      name: 'row',
      proven: null,
      here: row,
    })),
  ];
}

function valueDifferences(
  { columns }: Answer,
  proven: readonly unknown[],
  here: readonly unknown[],
): ProofDifference[] {
  return columns.flatMap((column, place) => {
    const [before, after] = [proven[place], here[place]];
    if (rowText([before], [column]) === rowText([after], [column])) return [];
    return [{ what: 'value', name: column.name, proven: before, here: after }];
  });
}

/** Returns the first rows of an answer that another does not have, or has less often. */
function rowsOnlyIn(one: Answer, other: Answer): readonly (readonly unknown[])[] {
  const counts = new Map<string, number>();
  for (const row of other.rows) {
    const text = rowText(row, other.columns);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const only = one.rows.filter((row) => {
    const text = rowText(row, one.columns);
    const left = counts.get(text) ?? 0;
    counts.set(text, left - 1);
    return left <= 0;
  });
  return only.slice(0, MOST_LISTED);
}

interface LoadDifference {
  readonly difference: ProofDifference;
  /** Whether it is a list of a workspace, or new here. */
  readonly isGrowing: boolean;
}

function loadDifferences(proven: readonly ProvenLoad[], here: readonly ProvenLoad[]): LoadDifference[] {
  const own = new Map(here.map((load) => [load.unit, load]));
  const named = new Map(proven.map((load) => [load.unit, load]));
  return [...new Set([...named.keys(), ...own.keys()])].flatMap((name) => {
    const [before, after] = [named.get(name), own.get(name)];
    if (before && after && isSameLoad(before, after)) return [];
    const difference = { what: 'load', name, proven: loadOf(before), here: loadOf(after) } as const;
    return [{ difference, isGrowing: before === undefined || before.source_kind === 'resource' }];
  });
}

const COUNTED = ['loaded', 'rejected'] as const;

function isSameLoad(proven: ProvenLoad, here: ProvenLoad): boolean {
  const isSameCount = COUNTED.every((name) => String(proven[name]) === String(here[name]));
  if (!isSameCount) return false;
  if (proven.fingerprint !== null && proven.fingerprint === here.fingerprint) return true;
  if (proven.content_sha256 !== null && here.content_sha256 !== null)
    return proven.content_sha256 === here.content_sha256;
  return proven.fingerprint === null || here.fingerprint === null;
}

const loadOf = (load: ProvenLoad | undefined): object | null =>
  load === undefined
    ? null
    : {
        loaded: load.loaded,
        rejected: load.rejected,
        fingerprint: load.fingerprint,
        content_sha256: load.content_sha256,
      };

/** Returns a line for each difference, and for the first loads. */
export function differenceLines(differences: readonly ProofDifference[]): readonly string[] {
  const loads = differences.filter(({ what }) => what === 'load');
  const lines = differences
    .filter((difference) => difference.what !== 'load' || loads.indexOf(difference) < MOST_LISTED)
    .map((difference) => visibleLine(differenceText(difference)));
  const more = loads.length - MOST_LISTED;
  return more > 0 ? [...lines, `… and ${counted(more, 'more load')}`] : lines;
}

function differenceText({ what, name, proven, here }: ProofDifference): string {
  if (what === 'definition' && proven !== null && here !== null)
    return `definition of ${name}: its SQL, that of a model it reads, or a type of a column differs`;
  if (what === 'sql')
    return here === null ? `sql: this project has no ${name}` : `sql: ${name} has other SQL in this project`;
  if (what === 'row')
    return here === null ? `row missing here: ${json(proven)}` : `row only here: ${json(here)}`;
  const isOneSided = what === 'load' || what === 'days' || what === 'definition';
  if (isOneSided && here === null) return `${what} ${name}: missing here`;
  if (isOneSided && proven === null) return `${what} ${name}: only here`;
  const text = (value: unknown): string =>
    what !== 'value' && typeof value === 'string' ? value : json(value);
  return `${what === name ? what : `${what} ${name}`}: ${text(proven)}; here ${text(here)}`;
}

const json = (value: unknown): string => (value === null ? 'NULL' : stringifyJson(value));
