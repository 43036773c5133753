import { visibleLine } from '../../../core/text/visible.ts';
import {
  type Block,
  type Cell,
  isFigure,
  isSentence,
  type Kind,
  type Problems,
  shownIn,
  shownValue,
  type Table,
  type Words,
} from './blocks.ts';
import { cutColumns, liftedTable } from './cut-columns.ts';
import { alignColumns, fittedRows } from './text-table.ts';
import { valueText } from './value-text.ts';

/** Further details are only counted, so that a status fits one screen. */
const DETAILS_SHOWN = 2;

interface Place {
  /** Columns of the terminal; null if there is none. */
  readonly width?: number | null | undefined;
  /** Spaces before the content of a section. */
  readonly indent?: number;
}

/** Prints blocks as text for a terminal. */
export function printBlocks(blocks: readonly Block[], place: Place = {}): string {
  return linesOf(blocks, { width: place.width ?? null, indent: place.indent ?? 0 })
    .map((line) => `${line}\n`)
    .join('');
}

/** Returns whether a line needs attention first. */
export function isAlarm(line: string): boolean {
  return /^ {2}since |^ {2}\S.* (failed|refused|partial|killed)( {2}|$)/.test(line);
}

type Fitting = Required<Place> & { readonly width: number | null };

function linesOf(blocks: readonly Block[], place: Fitting): string[] {
  const shown = blocks
    .map((block) => ({ is: block.is, lines: blockLines(block, place) }))
    .filter(({ lines }) => lines.length > 0);
  return shown.flatMap(({ is, lines }, index) => {
    const before = shown[index - 1]?.is;
    const isApart = before === 'section' || is === 'section' || (before === 'table' && is === 'table');
    return before !== undefined && isApart ? ['', ...lines] : lines;
  });
}

function blockLines(block: Block, place: Fitting): string[] {
  switch (block.is) {
    case 'section': {
      const { title, blocks } = block;
      if (title === null) return linesOf(blocks, place);
      const width = place.width === null ? null : place.width - place.indent;
      const inner = linesOf(blocks, { ...place, width });
      return [
        visibleLine(title),
        ...inner.map((line) => (line === '' ? '' : ' '.repeat(place.indent) + line)),
      ];
    }
    case 'line':
      return [wordsText(block.words)];
    case 'facts': {
      const facts = block.facts.map(([name, value]) => [visibleLine(name), cellText(value) ?? 'unknown']);
      if (block.title === null) return [...alignColumns(facts, []).lines];
      return [`${visibleLine(block.title)}: ${facts.map((fact) => fact.join(' ')).join(', ')}`];
    }
    case 'table':
      return tableLines(block, place.width);
    case 'problems':
      return block.problems.flatMap(problemLines);
    case 'chosen':
      return [];
    case 'next':
      return [`Next: crawlhouse ${visibleLine(block.command)}`];
    case 'chart':
      return block.table.rows.length === 0 ? [] : [`${block.table.label}: ${visibleLine(block.command)}`];
    case 'folded':
      return [`${block.title}: ${visibleLine(block.command)}`];
    case 'preview':
      return [block.address, cellText(block.title), cellText(block.text)].map(
        (one) => `  ${visibleLine(one ?? '')}`,
      );
  }
}

function tableLines(whole: Table, width: number | null): string[] {
  const table = shownIn(whole, 'terminal');
  const { columns, empty, rest, isCut } = table;
  const rows = table.rows.slice(0, rest?.first);
  if (rows.length === 0) return empty.length === 0 ? [] : [wordsText(empty)];
  const cells = rows.map(({ cells: own, isHead }) =>
    columns.map(({ kind }, index) => {
      const indent = index === 0 && isHead === false ? '  ' : '';
      return indent + (cellText(own[index] ?? null, kind) ?? '-');
    }),
  );
  const names = columns.map(({ name }) => visibleLine(name));
  const isRight = columns.map((_column, index) => isFigure(table, index));
  const more =
    rest === null || rest.total <= rows.length
      ? []
      : [`the first ${rows.length}; more: ${visibleLine(rest.command)}`];
  if (isCut === 'lifted' && width !== null) return [...liftedTable(names, cells, isRight, width), ...more];
  const all = [names, ...cells];
  const [head = [], ...lines] = fittedRows(
    isCut && width !== null ? cutRows(all, isRight, { columns, width }) : all,
    isRight,
    { width, below: columns.filter(({ isBelow }) => isBelow).map(({ name }) => name) },
  );
  return [
    ...head,
    ...lines.flatMap((own, index) => {
      const cause = rows[index]?.cause ?? null;
      return cause === null ? own : [...own, `    ${wordsText(cause)}`];
    }),
    ...more,
  ];
}

/** Returns rows that fit after the cells of some columns moved below them. */
function cutRows(
  rows: readonly (readonly string[])[],
  isRight: readonly boolean[],
  { columns, width }: Pick<Table, 'columns'> & { readonly width: number },
): string[][] {
  const stays = <T>(cells: readonly T[]): T[] =>
    cells.filter((_cell, index) => columns[index]?.isBelow === false);
  const cut = cutColumns(rows.map(stays), stays(isRight), width);
  return rows.map((row, place) => {
    const left = [...(cut[place] ?? [])];
    return row.map((cell, index) => (columns[index]?.isBelow === false ? (left.shift() ?? '') : cell));
  });
}

function problemLines({ title, began, details, todo }: Problems['problems'][number]): string[] {
  const since =
    began === undefined
      ? ''
      : `since ${began === null ? 'an unknown time' : `${valueText(began, 'time')} UTC`}  `;
  const more = details.length > DETAILS_SHOWN ? [`and ${details.length - DETAILS_SHOWN} more`] : [];
  return [
    `${since}${visibleLine(title)}`,
    ...[...details.slice(0, DETAILS_SHOWN), ...more].map((detail) => `  ${wordsText(detail)}`),
    ...(todo === null ? [] : [`  to do: ${wordsText(todo)}`]),
  ];
}

function wordsText(words: Words): string {
  if (typeof words === 'string') return visibleLine(words);
  return words
    .map((word) => (typeof word === 'string' ? visibleLine(word) : (cellText(word) ?? 'unknown')))
    .join('');
}

/** Returns null for an unknown value. */
function cellText(cell: Cell, columnKind?: Kind): string | null {
  if (isSentence(cell)) return wordsText(cell);
  const { value, kind } = shownValue(cell, columnKind);
  return value === null ? null : visibleLine(valueText(value, kind));
}
