import { padToWidth } from '../../../core/text/display-width.ts';
import { visible } from '../../../core/text/visible.ts';
import { columnWidths } from './text-table.ts';

/** Characters that Markdown or HTML reads as markup; underscores only outside of words. */
const MARKUP = /[\\`*[\]|<>~]|(?<=\])\(|&(?=#|\w+;)|(?<!\w)_|_(?!\w)/g;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['&', '&amp;'],
  ['(', '&#40;'],
]);

/** Escapes an untrusted text as one line of Markdown without links, HTML, code or table cells. */
export function markdownText(text: string): string {
  return oneLine(text).replaceAll(MARKUP, (mark) => ENTITIES.get(mark) ?? `\\${mark}`);
}

/** Returns a text of the project's own files as one line: keeps its code, without HTML and links. */
export function markdownProse(text: string): string {
  return oneLine(text)
    .split(/(`[^`]*`)/)
    .map((part, index) =>
      index % 2 === 0
        ? part.replaceAll('<', '&lt;').replaceAll('](', ']&#40;').replaceAll('|', '\\|')
        : part.replaceAll('|', '\\|'),
    )
    .join('');
}

export function markdownLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Returns a table of Markdown cells, formatted like this repository's formatter does. */
export function markdownTable(rows: readonly (readonly string[])[]): string[] {
  const widths = columnWidths(rows);
  const lines = rows.map((row) =>
    markdownLine(row.map((cell, index) => padToWidth(cell, widths[index] ?? 0))),
  );
  return lines.toSpliced(1, 0, markdownLine(widths.map((width) => '-'.repeat(width))));
}

function oneLine(text: string): string {
  return visible(text.replaceAll(/\s+/g, ' ')).trim();
}
