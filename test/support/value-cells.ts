import fc from 'fast-check';
import type { Cell, ValueField } from './cell.ts';
import {
  canonicalJson,
  type Family,
  FIELD_TYPES,
  type JsonToken,
  jsonKind,
  jsonVerdict,
  listVerdict,
  textVerdict,
  type Verdict,
} from './value-oracle.ts';
import { jsonToken, valueText } from './value-texts.ts';

const FAMILIES = Object.keys(FIELD_TYPES) as Family[];

/** A field of each family and arity. */
export const VALUE_FIELDS: readonly ValueField[] = (['one', 'many'] as const).flatMap((arity) =>
  FAMILIES.map((family) => ({ name: `${family}_${arity}`, type: FIELD_TYPES[family], arity, family })),
);

export function csvRows(rows: number): fc.Arbitrary<Cell[][]> {
  return rowsOf(rows, csvCell);
}

export function jsonRows(rows: number): fc.Arbitrary<Cell[][]> {
  return rowsOf(rows, jsonCell);
}

function rowsOf(rows: number, cell: (field: ValueField) => fc.Arbitrary<Cell>): fc.Arbitrary<Cell[][]> {
  const row = fc.tuple(...VALUE_FIELDS.map(cell));
  return fc.array(row, { minLength: rows, maxLength: rows, size: 'max' });
}

function csvCell(field: ValueField): fc.Arbitrary<Cell> {
  const { family, arity } = field;
  const text = arity === 'one' ? valueText(family) : fc.oneof(loneText(family), listText(family));
  const filled = fc.tuple(text, fc.boolean()).map(([value, quoted]) => {
    const mustQuote = value === '' || /[";]/.test(value);
    const written = quoted || mustQuote ? `"${value.replaceAll('"', '""')}"` : value;
    return {
      written,
      verdict: arity === 'one' ? textVerdict(family, value, true) : csvListVerdict(family, value),
    };
  });
  return fc.oneof({ weight: 9, arbitrary: filled }, { weight: 1, arbitrary: fc.constant(EMPTY) });
}

const EMPTY: Cell = { written: '', verdict: { load: null } };

/** A cell of a field of arity many: a JSON array, or a lone value. */
function csvListVerdict(family: Family, text: string): Verdict {
  if (family === 'json') {
    const { load } = textVerdict('json', text, false) as { load: string };
    return { load: load.startsWith('[') ? load : `[${load}]` };
  }
  const tokens = text.startsWith('[') ? arrayTokens(text) : null;
  if (tokens === null) return listVerdict([textVerdict(family, text, true)]);
  return listVerdict(tokens.map((token) => elementVerdict(family, token, false)));
}

function elementVerdict(family: Family, token: JsonToken, inJson: boolean): Verdict {
  const kind = jsonKind(token);
  if (inJson || kind === 'null' || kind === 'nested' || (family === 'text' && kind === 'number'))
    return jsonVerdict(family, token);
  return textVerdict(family, kind === 'string' ? (JSON.parse(token) as string) : token, true);
}

function jsonCell(field: ValueField): fc.Arbitrary<Cell> {
  const { family, arity } = field;
  if (arity === 'one')
    return jsonToken(family).map((written) => ({ written, verdict: jsonVerdict(family, written) }));
  return fc
    .oneof(jsonToken(family), listText(family))
    .map((written) => ({ written, verdict: jsonListVerdict(family, written) }));
}

function jsonListVerdict(family: Family, written: string): Verdict {
  const json = canonicalJson(written);
  if (json === null) return 'reject';
  if (json === 'null') return { load: null };
  if (family === 'json') return { load: json.startsWith('[') ? json : `[${json}]` };
  const tokens = json.startsWith('[') ? arrayTokens(written) : [written];
  return listVerdict((tokens ?? []).map((token) => elementVerdict(family, token, true)));
}

/** A lone value of a list; an array among them is checked against what `listText` says. */
function loneText(family: Family): fc.Arbitrary<string> {
  return valueText(family).filter((text) => family === 'json' || !/^\s*\[.*[[{]/s.test(text));
}

/** An array whose elements are no arrays or objects where that would only be their text. */
function listText(family: Family): fc.Arbitrary<string> {
  const element = jsonToken(family).filter((token) => family === 'json' || !/^[[{]/.test(token));
  return fc.array(element, { maxLength: 3 }).map((tokens) => `[${tokens.join(', ')}]`);
}

/** The elements of a JSON array as they are written; null if it is none. */
function arrayTokens(text: string): JsonToken[] | null {
  const json = canonicalJson(text);
  if (json === null || !json.startsWith('[')) return null;
  const tokens: JsonToken[] = [];
  let depth = 0;
  let token = '';
  for (const [piece] of text
    .trim()
    .slice(1, -1)
    .matchAll(/"(?:[^"\\]|\\.)*"|[\s\S]/g)) {
    if (/^[[{]$/.test(piece)) depth++;
    if (/^[\]}]$/.test(piece)) depth--;
    if (piece === ',' && depth === 0) {
      tokens.push(token.trim());
      token = '';
    } else token += piece;
  }
  if (token.trim() !== '') tokens.push(token.trim());
  return tokens;
}
