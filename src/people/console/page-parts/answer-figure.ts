import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { askQuestion } from '../../../answers/report/crawl-answers.ts';
import { timeText } from '../../../answers/report/marks.ts';
import { type TableColumn, table } from '../../../answers/report/table.ts';
import { toCrawlhouseError } from '../../../core/errors/errors.ts';
import { countText, figureText, signedText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import { explainEmpty, type Needs } from '../../../pipeline/transform/questions/question-needs.ts';
import { questionNamed } from '../../../pipeline/transform/questions/questions.ts';
import { columnName } from '../../../project/model/shown/value-text.ts';
import { type Readers, UNTIL_READ, type WarehouseRow } from '../desk/desk.ts';

/** A figure that is not read by then is left for the next look at its page. */
const PATIENCE_MS = 400;

/** What a saved question, or a statement of ours, answers for a figure. */
export const FigureAnswer = z.strictObject({
  /** Null: a statement of ours. */
  question: z.string().nullable(),
  /** As its file has it. */
  sql: z.string(),
  /** Shows the whole answer in a terminal. */
  command: z.string(),
  address: z.string(),
  /** What was chosen and the question does not take: it answers for all. */
  ignored: z.array(z.string()),
  state: z.enum(['read', 'pending', 'failed']),
  rows: z.array(z.record(z.string(), z.unknown())),
  /** What the question lacks in the warehouse, where it has no rows for want of it. */
  why: z.string().nullable(),
  error: z.string().nullable(),
});
export type FigureAnswer = z.infer<typeof FigureAnswer>;

interface FigureRequest {
  readonly question: string;
  readonly given: Readonly<Record<string, string>>;
  readonly select: (answer: string) => string;
  /** More values that the statement names. */
  readonly more?: Readonly<Record<string, string | null>>;
  /** It reads every page: one such read at a time. */
  readonly isSlow?: boolean;
  /** Wait for it, however long it takes. */
  readonly isPatient: boolean;
}

/**
 * What a saved question answers, once a publication. One that takes long goes on, and its figure is pending meanwhile.
 *
 * @throws CrawlhouseError `nothing_published`
 */
export async function readFigure(desk: Readers, request: FigureRequest): Promise<FigureAnswer> {
  const { question: name, given, select, more = {}, isSlow = false, isPatient } = request;
  const questions = await desk.questions();
  const question = questionNamed(questions, name);
  const takes = new Set(question.parameters.map((one) => one.name));
  const values = new Map(Object.entries(given).filter(([parameter]) => takes.has(parameter)));
  const head = {
    ...{ question: name, sql: question.sql },
    ...waysTo({ question: name }, `--question ${name}`, values),
    ignored: Object.keys(given).filter((parameter) => !takes.has(parameter)),
  };
  const asked = {
    key: JSON.stringify([name, [...values], select(''), more]),
    read: () =>
      askQuestion(
        (sql, parameters) => desk.rows(sql, UNTIL_READ, new Map([...parameters, ...Object.entries(more)])),
        questions,
        name,
        { given: values, select },
      ),
    ...{ needs: question.needs, values, isSlow, isPatient },
  };
  return settled(desk, head, asked);
}

/**
 * What a statement of ours answers for a figure; `needs` say what it lacks where it has no rows.
 *
 * @throws CrawlhouseError `nothing_published`
 */
export function readStatement(
  desk: Readers,
  sql: string,
  asked: Pick<FigureRequest, 'given' | 'isSlow' | 'isPatient'> & { readonly needs: Needs },
): Promise<FigureAnswer> {
  const values = new Map(Object.entries(asked.given));
  const ways = waysTo({ run: '1', sql }, shellWord(sql.replaceAll(/\s+/g, ' ')), values);
  const head = { question: null, sql, ...ways, ignored: [] };
  const key = JSON.stringify([sql, ...values]);
  return settled(desk, head, { ...asked, key, values, read: () => desk.rows(sql, UNTIL_READ, values) });
}

/** The whole answer in the console, and in a terminal. */
function waysTo(named: Record<string, string>, words: string, values: ReadonlyMap<string, string>) {
  const query = new URLSearchParams(named);
  for (const [name, value] of values) query.set(`param.${name}`, value);
  const flags = [...values].map(([name, value]) => ` -p ${shellWord(`${name}=${value}`)}`);
  return {
    command: `crawlhouse query ${words}${flags.join('')}`,
    address: `/ask?${query}`,
  };
}

interface Asked extends Pick<FigureRequest, 'isSlow' | 'isPatient'> {
  /** Of what is kept for the publication. */
  readonly key: string;
  readonly read: () => Promise<readonly object[]>;
  readonly needs: Needs;
  readonly values: ReadonlyMap<string, string>;
}

/** Null where nothing lacks, and nothing fits. */
async function whyEmpty(
  desk: Readers,
  needs: Needs,
  parameters: ReadonlyMap<string, string>,
): Promise<string | null> {
  const why = await desk.warehouse.use((warehouse) =>
    explainEmpty({ needs, parameters }, warehouse, UNTIL_READ),
  );
  return why?.startsWith('Nothing fits') ? null : why;
}

async function settled(
  desk: Readers,
  head: Omit<FigureAnswer, 'state' | 'rows' | 'why' | 'error'>,
  { key, read, needs, values, isSlow, isPatient }: Asked,
): Promise<FigureAnswer> {
  const ask = async () => {
    const rows = await read();
    return { rows, why: rows.length > 0 ? null : await whyEmpty(desk, needs, values) };
  };
  try {
    const answer = desk.once(key, () => (isSlow ? desk.lanes.slowPages.run(ask) : ask()));
    const found = await inTime(answer, isPatient);
    if (found === null) return { ...head, state: 'pending', rows: [], why: null, error: null };
    return { ...head, state: 'read', rows: found.rows as WarehouseRow[], why: found.why, error: null };
  } catch (thrown) {
    const { code, message } = toCrawlhouseError(thrown);
    if (code === 'nothing_published') throw thrown;
    return { ...head, state: 'failed', rows: [], why: null, error: message };
  }
}

/** Null for what takes longer, and goes on. */
export function inTime<T>(read: Promise<T>, isPatient: boolean): Promise<T | null> {
  return isPatient ? read : Promise.race([read, sleep(PATIENCE_MS, null, { ref: false })]);
}

/** Says that figures are still being read; the script reads the page again. */
export function drawPending(answers: readonly FigureAnswer[]): Html | null {
  const pending = answers.filter(({ state }) => state === 'pending').length;
  if (pending === 0) return null;
  return html`<p class="waiting" role="status" data-pending>${pending === 1 ? 'One figure is' : `${pending} figures are`} still being read.
<noscript>Reload the page to see more.</noscript></p>`;
}

/** How an answer is drawn. */
interface Drawing {
  readonly chart?: Html | null;
  /** The table, where it is not the rows as they are. */
  readonly rows?: Html;
  readonly empty?: string;
}

/** A figure: its drawing, its table, and its question with SQL and command. */
export function answerFigure(title: string, answer: FigureAnswer, drawing: Drawing = {}): Html {
  const { ignored } = answer;
  return html`<figure><figcaption>${title}</figcaption>
${ignored.length === 0 ? null : html`<p class="facts">This figure does not follow the choice of ${ignored.join(' and ')}: it is of all.</p>`}
${drawAnswer(title, answer, drawing)}
<details class="quiet">${quietSummary('‹›', answer.question === null ? 'The SQL' : 'The question')}
<p><a href="${answer.address}">Ask it</a>, or in a terminal: <code>${answer.command}</code></p>
<pre tabindex="0" role="region" aria-label="SQL of ${title}">${answer.sql}</pre></details></figure>
`;
}

function drawAnswer(
  title: string,
  { state, rows, why, error }: FigureAnswer,
  { chart = null, rows: table, empty = 'There are no figures.' }: Drawing,
): Html {
  if (state === 'pending')
    return html`<p class="empty">It is being read. This takes a while on many pages.</p>`;
  if (state === 'failed') return html`<p class="notice">It could not be read: ${error}</p>`;
  if (rows.length === 0) return html`<p class="empty">${why ?? empty}</p>`;
  const figures = table ?? answerRows(title, rows);
  if (chart === null) return figures;
  return html`${chart}<details class="quiet figures">${quietSummary('▦', 'The figures')}${figures}</details>`;
}

/** A sign at the head of a figure that opens what is behind it. */
function quietSummary(sign: string, name: string): Html {
  return html`<summary title="${name}"><span aria-hidden="true">${sign}</span><span class="unseen">${name}</span></summary>`;
}

/** The rows with the names of their columns; identifiers of crawls are left out. */
function answerRows(title: string, rows: readonly WarehouseRow[]): Html {
  const names = Object.keys(rows[0] ?? {}).filter((name) => name !== 'crawl_id');
  const columns = names.map((name): TableColumn<WarehouseRow> => {
    const isNumber = rows.every((row) => isNumeric(row[name]));
    return {
      name: columnName(name),
      isNumber,
      cell: (row) =>
        name === 'ended_at'
          ? timeText(row[name] as string | null)
          : name === 'status_code'
            ? (row[name] ?? null) && String(row[name])
            : shownValue(row[name]),
    };
  });
  return table(title, columns, rows, '');
}

function isNumeric(value: unknown): boolean {
  return value === null || typeof value === 'number' || typeof value === 'bigint';
}

/** A value of an answer; null stays null. */
export function shownValue(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint' || Number.isInteger(value)) return countText(value as number | bigint);
  return typeof value === 'number' ? figureText(value, 3) : String(value);
}

/** `+12`, `−3`, `0`; null stays null. */
export function signedValue(value: unknown): string | null {
  return typeof value === 'number' || typeof value === 'bigint' ? signedText(value) : shownValue(value);
}
