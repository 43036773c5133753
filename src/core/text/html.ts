import { visible } from './visible.ts';

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Html | string | number | null | undefined | false | readonly Piece[];

/**
 * Creates HTML from a template. All inserted text is escaped, so it is safe between tags and in quoted attributes.
 * Control characters become visible, as on a terminal. Null, undefined and false become empty text.
 */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(strings.map((text, index) => text + pieceText(pieces[index])).join(''));
}

function pieceText(piece: Piece): string {
  if (piece === null || piece === undefined || piece === false) return '';
  if (piece instanceof Html) return piece.text;
  if (Array.isArray(piece)) return piece.map(pieceText).join('');
  return escaped(String(piece));
}

function escaped(text: string): string {
  // HTML has one character for a line end; `visible` would show the other.
  return visible(text.replaceAll('\r\n', '\n'))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
