import { padToWidth } from './display-width.ts';
import { columnWidths } from './text-table.ts';
import { visible } from './visible.ts';

/** What Markdown or HTML would read as markup; underscores only where a word does not go on around them. */
const MARKUP = /[\\`*[\]|<>~]|(?<=\])\(|&(?=#|\w+;)|(?<!\w)_|_(?!\w)/g;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['&', '&amp;'],
  ['(', '&#40;'],
]);

/** A foreign text as one line of Markdown that shows it, with no link, HTML, code or cell of its own. */
export function markdownText(text: string): string {
  return oneLine(text).replaceAll(MARKUP, (mark) => ENTITIES.get(mark) ?? `\\${mark}`);
}

/** A text of the project's own files as one line: its code stays code, and it has neither HTML nor links. */
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

/** A table whose cells are Markdown, as the formatter of this repository writes it. */
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
