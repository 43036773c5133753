import { DuckDBTypeId } from '@duckdb/node-api';
import { bindParameters } from '../../src/app/answers/query/parameters.ts';
import type { Connection } from '../../src/core/duckdb/duckdb.ts';
import { bindQuestion } from '../../src/etl/project/sql/questions/bind-question.ts';
import type { Question } from '../../src/etl/project/sql/questions/questions.ts';
import { ANSWERS, type Answer } from './answers/answers.ts';
import type { Asked, Facts } from './answers/facts.ts';
import { byBytes } from './answers/values.ts';
import type { Row } from './sites/sites.ts';

type Given = Readonly<Record<string, string>>;

/** Where the warehouse and the second answer differ. */
export interface Difference {
  readonly given: Given;
  /** Rows of the second answer that the warehouse does not have. */
  readonly missing: readonly Row[];
  /** Rows of the warehouse that the second answer does not have. */
  readonly surplus: readonly Row[];
  /** What is wrong with the order or the number of rows. */
  readonly order: readonly string[];
}

/**
 * Holds a question on a built warehouse against its second answer, once for each of some parameters. Gives where they
 * differ; nothing where they agree.
 */
export async function compareQuestion(
  connection: Connection,
  question: Question,
  facts: Facts,
  cases: readonly Given[],
): Promise<Difference[]> {
  const answer = ANSWERS[question.name];
  if (answer === undefined) throw new Error(`${question.name} has no second answer`);
  const differences: Difference[] = [];
  for (const given of cases) {
    const found = await ask(connection, question, given);
    differences.push(...differenceOf(answer, question, facts, given, found));
  }
  return differences;
}

function differenceOf(
  answer: Answer,
  question: Question,
  facts: Facts,
  given: Given,
  found: readonly Row[],
): Difference[] {
  const known = found.map((row) => without(row, answer.untold ?? []));
  const expected = answer.rows(facts, askedOf(question, given)).map(plain);
  const limit = given.limit ?? question.parameters.find(({ name }) => name === 'limit')?.default ?? null;
  const surplus = rowsWithout(known, expected);
  const lacking = rowsWithout(expected, known);
  const [left, right] = [byProject(known, facts), byProject(expected, facts)];
  const missing =
    limit === null
      ? lacking
      : lacking.filter((row) => isTooEarly(row, left.get(projectOf(row, facts)), answer, facts));
  const order = [...right].flatMap(([project, rows]) => {
    const shown = left.get(project) ?? [];
    const most = Math.min(rows.length, Number(limit ?? rows.length));
    return shown.length === most ? [] : [`${project}: ${shown.length} rows, not ${most}`];
  });
  const late = known.find((row, n) => compareBy(answer, facts, known[n - 1] ?? row, row) > 0);
  if (late) order.push(`${JSON.stringify(late)} comes too late`);
  return surplus.length + missing.length + order.length === 0 ? [] : [{ given, missing, surplus, order }];
}

/** Rows that others do not have, or not as often. */
function rowsWithout(rows: readonly Row[], others: readonly Row[]): Row[] {
  const left = Map.groupBy(others, keyOf);
  return rows.filter((row) => left.get(keyOf(row))?.pop() === undefined);
}

/** Whether a row that a limited answer lacks comes before one that it has. */
const isTooEarly = (row: Row, shown: readonly Row[] | undefined, answer: Answer, facts: Facts): boolean =>
  shown?.some((other) => compareBy(answer, facts, row, other) < 0) ?? true;

const byProject = (rows: readonly Row[], facts: Facts): Map<string, Row[]> =>
  Map.groupBy(rows, (row) => projectOf(row, facts));

/** Two projects may have one name, so the crawl tells the project where the row does not. */
function projectOf({ project_id, crawl_id, first_crawl_id, project_name }: Row, { crawls }: Facts): string {
  const crawl = crawls.find(({ id }) => id === (crawl_id ?? first_crawl_id));
  return String(project_id ?? crawl?.projectId ?? project_name);
}

/** By the columns that an answer is ordered by; what is not known comes last. */
function compareBy({ order }: Answer, facts: Facts, a: Row, b: Row): number {
  for (const key of ['project_name', ...order]) {
    const isDown = typeof key === 'string' && key.startsWith('-');
    const keyOfRow = (row: Row) => {
      if (key === 'project_id') return projectOf(row, facts);
      return (typeof key === 'string' ? row[key.replace(/^-/, '')] : key(row)) ?? null;
    };
    const [left, right] = [keyOfRow(a), keyOfRow(b)];
    if (left === right) continue;
    if (left === null || right === null) return left === null ? 1 : -1;
    const less = typeof left === 'number' ? left - Number(right) : byBytes(String(left), String(right));
    if (less !== 0) return isDown ? -less : less;
  }
  return 0;
}

function askedOf({ parameters }: Question, given: Given): Asked {
  const named = ['project', 'crawl', 'segmentation', 'segment', 'from', 'to', 'urls', 'url', 'folder'];
  const values = parameters.map(({ name, default: value }) => [name, given[name] ?? value] as const);
  const texts = values.filter(([name, value]) => named.includes(name) && value !== null);
  const numbers = values.filter(([name, value]) => !named.includes(name) && value !== null);
  return {
    ...Object.fromEntries(texts),
    numbers: Object.fromEntries(numbers.map(([name, value]) => [name, Number(value)])),
  };
}

/** The rows of a question with whole numbers as numbers and times as ISO 8601. */
async function ask(connection: Connection, question: Question, given: Given): Promise<Row[]> {
  const { sql, parameters } = bindQuestion(question, new Map(Object.entries(given)));
  const values = await bindParameters(connection.inner, sql, parameters);
  const result = await connection.inner.runAndReadAll(sql, { ...values });
  const names = result.columnNames();
  const types = result.columnTypes().map(({ typeId }) => typeId);
  return result
    .getRowsJson()
    .map((row) => Object.fromEntries(row.map((value, n) => [names[n] ?? '', readable(value, types[n])])));
}

const WHOLE: readonly (DuckDBTypeId | undefined)[] = [
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.DECIMAL,
];

function readable(value: unknown, type: DuckDBTypeId | undefined): unknown {
  if (value === null) return null;
  if (WHOLE.includes(type)) return Number(value);
  return type === DuckDBTypeId.TIMESTAMP_TZ ? new Date(String(value)).toISOString() : value;
}

const without = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

/** Undefined is null. */
const plain = (row: Row): Row => Object.fromEntries(Object.entries(row).map(([k, v]) => [k, v ?? null]));

const keyOf = (row: Row): string => JSON.stringify(Object.entries(row).toSorted(([a], [b]) => byBytes(a, b)));

/** Values of parameters to ask a question with: each by itself, and some together. */
export interface Cases {
  readonly single: Readonly<Record<string, readonly string[]>>;
  readonly together: readonly Given[];
}

/** Parameters to ask a question with: none, and those that it takes. */
export function casesOf({ parameters }: Question, { single, together }: Cases): Given[] {
  const names = parameters.map(({ name }) => name);
  return [
    {},
    ...names.flatMap((name) => (single[name] ?? []).map((value) => ({ [name]: value }))),
    ...together.filter((given) => Object.keys(given).every((name) => names.includes(name))),
  ];
}
