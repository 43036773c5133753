import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { toCrawlhouseError } from '../../../core/errors/errors.ts';
import { countText, figureText, signedText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import type { Needs } from '../../../etl/project/sql/questions/question-needs.ts';
import { questionNamed } from '../../../etl/project/sql/questions/questions.ts';
import { rowsTable } from '../../answers/presentation/html-table.ts';
import { timeText } from '../../answers/presentation/marks.ts';
import { explainEmpty, NO_MATCH } from '../../answers/questions/explain-empty.ts';
import { askQuestion } from '../../answers/report/crawl-answers.ts';
import type { Readers, WarehouseRow } from '../readers/readers.ts';

/** A figure that takes longer than this is pending until its page is loaded again. */
const PATIENCE_MS = 400;

/** The answer of a saved question, or of a built-in statement, for a figure. */
export const FigureAnswer = z.strictObject({
  /** Null for a built-in statement. */
  question: z.string().nullable(),
  /** As in its file. */
  sql: z.string(),
  /** Shows the whole answer in a terminal. */
  command: z.string(),
  address: z.string(),
  /** Choices that the question does not support: its answer covers all. */
  ignored: z.array(z.string()),
  state: z.enum(['read', 'pending', 'failed']),
  rows: z.array(z.record(z.string(), z.unknown())),
  /** The data that the warehouse lacks, if the question has no rows because of it. */
  why: z.string().nullable(),
  error: z.string().nullable(),
});
export type FigureAnswer = Typed<typeof FigureAnswer>;

interface FigureRequest {
  readonly question: string;
  readonly given: Readonly<Record<string, string>>;
  readonly select: (answer: string) => string;
  /** More values for the statement. */
  readonly more?: Readonly<Record<string, string | null>>;
  /** Whether it reads every page: only one such read runs at a time. */
  readonly isSlow?: boolean;
  /** Whether to wait for the figure, however long it takes. */
  readonly isPatient: boolean;
}

/**
 * Reads the answer of a saved question, once per publication. A slow read continues in the background, and its figure
 * is pending meanwhile.
 *
 * @throws CrawlhouseError `nothing_published`
 */
export async function readFigure(readers: Readers, request: FigureRequest): Promise<FigureAnswer> {
  const { question: name, given, select, more = {}, isSlow = false, isPatient } = request;
  const questions = await readers.questions();
  const question = questionNamed(questions, name);
  const takes = new Set(question.parameters.map((parameter) => parameter.name));
  const values = new Map(Object.entries(given).filter(([parameter]) => takes.has(parameter)));
  const head = {
    question: name,
    sql: question.sql,
    ...waysTo({ question: name }, `--question ${name}`, values),
    ignored: Object.keys(given).filter((parameter) => !takes.has(parameter)),
  };
  const asked = {
    key: JSON.stringify([question, [...values], select(''), more]),
    read: () =>
      askQuestion(
        (sql, parameters) =>
          readers.rows(sql, readers.closing, new Map([...parameters, ...Object.entries(more)])),
        questions,
        name,
        { given: values, select },
      ),
    needs: question.needs,
    values,
    isSlow,
    isPatient,
  };
  return settled(readers, head, asked);
}

/**
 * Reads the result of a built-in statement for a figure. `needs` explains why a result has no rows.
 *
 * @throws CrawlhouseError `nothing_published`
 */
export function readStatement(
  readers: Readers,
  sql: string,
  asked: Pick<FigureRequest, 'given' | 'isSlow' | 'isPatient'> & { readonly needs: Needs },
): Promise<FigureAnswer> {
  const values = new Map(Object.entries(asked.given));
  const ways = waysTo({ run: '1', sql }, shellWord(sql.replaceAll(/\s+/g, ' ')), values);
  const head = { question: null, sql, ...ways, ignored: [] };
  const key = JSON.stringify([sql, ...values]);
  return settled(readers, head, {
    ...asked,
    key,
    values,
    read: () => readers.rows(sql, readers.closing, values),
  });
}

function waysTo(named: Record<string, string>, words: string, values: ReadonlyMap<string, string>) {
  const query = new URLSearchParams(named);
  for (const [name, value] of values) query.set(`param.${name}`, value);
  const flags = [...values].map(([name, value]) => ` -p ${shellWord(`${name}=${value}`)}`);
  return { command: `crawlhouse query ${words}${flags.join('')}`, address: `/ask?${query}` };
}

interface Asked extends Pick<FigureRequest, 'isSlow' | 'isPatient'> {
  /** The key of the answers that are kept for the publication. */
  readonly key: string;
  readonly read: () => Promise<readonly object[]>;
  readonly needs: Needs;
  readonly values: ReadonlyMap<string, string>;
}

/** Returns null if nothing is missing and nothing matches. */
async function whyEmpty(
  readers: Readers,
  needs: Needs,
  parameters: ReadonlyMap<string, string>,
): Promise<string | null> {
  const why = await readers.warehouse.use((warehouse) =>
    explainEmpty({ needs, parameters }, warehouse, readers.closing),
  );
  return why?.startsWith(NO_MATCH) ? null : why;
}

async function settled(
  readers: Readers,
  head: Omit<FigureAnswer, 'state' | 'rows' | 'why' | 'error'>,
  { key, read, needs, values, isSlow, isPatient }: Asked,
): Promise<FigureAnswer> {
  const ask = async () => {
    const rows = await read();
    return { rows, why: rows.length > 0 ? null : await whyEmpty(readers, needs, values) };
  };
  try {
    const answer = readers.once(key, () => (isSlow ? readers.lanes.slowPages.run(ask) : ask()));
    const found = await inTime(answer, isPatient);
    if (found === null) return { ...head, state: 'pending', rows: [], why: null, error: null };
    return { ...head, state: 'read', rows: found.rows as WarehouseRow[], why: found.why, error: null };
  } catch (thrown) {
    const { code, message } = toCrawlhouseError(thrown);
    if (code === 'nothing_published') throw thrown;
    return { ...head, state: 'failed', rows: [], why: null, error: message };
  }
}

/** Returns null for a read that takes longer; it continues in the background. */
export function inTime<T>(read: Promise<T>, isPatient: boolean): Promise<T | null> {
  return isPatient ? read : Promise.race([read, sleep(PATIENCE_MS, null, { ref: false })]);
}

/** Returns a notice that figures are still being read; the script loads the page again. */
export function drawPending(answers: readonly FigureAnswer[]): Html | null {
  const pending = answers.filter(({ state }) => state === 'pending').length;
  if (pending === 0) return null;
  return html`<p class="waiting" role="status" data-pending>${pending === 1 ? 'One figure is' : `${pending} figures are`} still being read.
<noscript>Reload the page to see more.</noscript></p>`;
}

interface Drawing {
  /** For links to the figure. */
  readonly id?: string;
  readonly chart?: Html | null;
  /** The table, if it differs from the plain rows. */
  readonly rows?: Html;
  readonly empty?: string;
}

/** Returns a figure: its drawing, its table, and its question with SQL and command. */
export function answerFigure(title: string, answer: FigureAnswer, drawing: Drawing = {}): Html {
  const { ignored } = answer;
  return html`<figure${drawing.id && html` id="${drawing.id}"`}><figcaption>${title}</figcaption>
${ignored.length === 0 ? null : html`<p class="facts">This figure ignores the selected ${ignored.join(' and ')} and covers everything.</p>`}
${drawAnswer(title, answer, drawing)}
<details class="quiet">${quietSummary('‹›', answer.question === null ? 'The SQL' : 'The question')}
<p>${
    answer.question === null
      ? html`Analysts can <a href="${answer.address}">open it in Ask</a>. In`
      : html`<a href="${answer.address}">Open in Ask</a>, or in`
  } a terminal: <code>${answer.command}</code></p>
<pre tabindex="0" role="region" aria-label="SQL of ${title}">${answer.sql}</pre></details></figure>
`;
}

function drawAnswer(
  title: string,
  { state, rows, why, error }: FigureAnswer,
  { chart = null, rows: table, empty = 'There are no figures.' }: Drawing,
): Html {
  if (state === 'pending') return html`<p class="empty">Loading. This takes a while for many pages.</p>`;
  if (state === 'failed') return html`<p class="notice">It could not be read: ${error}</p>`;
  if (rows.length === 0) return html`<p class="empty">${why ?? empty}</p>`;
  const figures = table ?? rowsTable(title, rows, shownCell, '');
  if (chart === null) return figures;
  return html`${chart}<details class="quiet figures">${quietSummary('▦', 'The figures')}${figures}</details>`;
}

/** Returns a sign at the head of a figure that opens its details. */
function quietSummary(sign: string, name: string): Html {
  return html`<summary title="${name}"><span aria-hidden="true">${sign}</span><span class="unseen">${name}</span></summary>`;
}

function shownCell(name: string, value: unknown): Html | string | null {
  if (name === 'ended_at') return timeText(value as string | null);
  if (name === 'status_code') return value == null ? null : String(value);
  return shownValue(value);
}

/** Returns a value of an answer as text; null stays null. */
export function shownValue(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint' || Number.isInteger(value)) return countText(value as number | bigint);
  return typeof value === 'number' ? figureText(value, 3) : String(value);
}

/** `+12`, `−3`, `0`; null stays null. */
export function signedValue(value: unknown): string | null {
  return typeof value === 'number' || typeof value === 'bigint' ? signedText(value) : shownValue(value);
}
