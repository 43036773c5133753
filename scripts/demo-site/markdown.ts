/** What a text of the page becomes on its way into HTML: a translation, and the pages that its links lead to. */
export interface Rendering {
  readonly translate: (text: string) => string;
  /** The path of a link's target on the site; null for one that the site does not have. */
  readonly pathOf: (target: string) => string | null;
}

/** HTML of the Markdown that the documentation is written in: paragraphs, headings, lists, tables and code. */
export function renderMarkdown(text: string, rendering: Rendering): string {
  return blocksOf(text)
    .map((block) => renderBlock(block, rendering))
    .join('\n');
}

/** Blocks are divided by empty lines, but for code. */
function blocksOf(text: string): string[] {
  return [...text.matchAll(/^```[^\n]*\n[\s\S]*?^```$|(?:^(?!```).*\S.*(?:\n|$))+/gm)].map(([block]) =>
    block.trimEnd(),
  );
}

function renderBlock(block: string, rendering: Rendering): string {
  const inline = (text: string): string => renderInline(text, rendering);
  const [, marks, heading] = /^(#+) (.*)/.exec(block) ?? [];
  if (marks !== undefined) return `<h${marks.length}>${inline(heading ?? '')}</h${marks.length}>`;
  if (block.startsWith('```')) return `<pre>${escaped(block.replaceAll(/^```.*$/gm, ''), rendering)}</pre>`;
  if (block.startsWith('|')) {
    const rows = block.split('\n').filter((line) => !/^[|\s:-]+$/.test(line));
    const cells = rows.map((row) =>
      row
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => `<td>${inline(cell.trim())}</td>`)
        .join(''),
    );
    return `<table>${cells.map((row) => `<tr>${row}</tr>`).join('\n')}</table>`;
  }
  const items = block.split(/^(?:-|\d+\.) /m);
  if (items.length === 1) return `<p>${inline(block)}</p>`;
  return `<ul>${items
    .filter((item) => item !== '')
    .map((item) => `<li>${inline(item.trim())}</li>`)
    .join('\n')}</ul>`;
}

/** Links, code and emphasis; pictures are left out. */
function renderInline(text: string, rendering: Rendering): string {
  return text
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .split(/(`[^`]+`|\[[^\]]+\]\([^)\s]+\))/)
    .map((piece, index) => {
      if (index % 2 === 0) return escaped(piece.replaceAll('**', ''), rendering);
      if (piece.startsWith('`')) return `<code>${escaped(piece.slice(1, -1), rendering)}</code>`;
      const [, label = '', target = ''] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(piece) ?? [];
      const path = rendering.pathOf(target);
      const shown = renderInline(label, rendering);
      return path === null ? shown : `<a href="${path}">${shown}</a>`;
    })
    .join('');
}

function escaped(text: string, { translate }: Rendering): string {
  return escapeHtml(translate(text));
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
