/** A word, a constant or a sign of some SQL. */
export interface Token {
  readonly kind: 'text' | 'number' | 'word' | 'sign';
  /** As the file has it; a word in capitals. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const TOKEN =
  /--.*|\/\*[\s\S]*?\*\/|(?<text>'(?:[^']|'')*')|(?<name>"(?:[^"]|"")*"|\$\w+)|(?<number>\d+(?:\.\d+)?)|(?<word>[\p{L}_][\p{L}\p{N}_]*)|(?<sign>::|:=|=>|->>|->|<>|!=|<=|>=|\|\||[^\s])/gu;

/** The tokens of some SQL, less its comments. A quoted name and a parameter are signs: no rule fits them. */
export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = [];
  for (const { 0: all, index, groups = {} } of sql.matchAll(TOKEN)) {
    const [name] = Object.entries(groups).find(([, value]) => value !== undefined) ?? [];
    if (name === undefined) continue;
    const kind = name === 'name' ? 'sign' : (name as Token['kind']);
    tokens.push({
      kind,
      value: kind === 'word' ? all.toUpperCase() : all,
      start: index,
      end: index + all.length,
    });
  }
  return tokens;
}

/** Tokens at one depth: those of one pair of brackets, or of one CASE … END; inner pairs stand as lists. */
export type Level = readonly (Token | Level)[];

const OPENS = ['(', '[', '{', 'CASE'];
const CLOSES = [')', ']', '}', 'END'];

/** Nests tokens. A list begins and ends with its brackets. */
export function levelsOf(tokens: readonly Token[]): Level {
  const root: (Token | Level)[] = [];
  const open: (Token | Level)[][] = [root];
  for (const token of tokens) {
    if (OPENS.includes(token.value)) open.push([token]);
    else open.at(-1)?.push(token);
    if (CLOSES.includes(token.value) && open.length > 1) {
      const closed = open.pop() ?? [];
      open.at(-1)?.push(closed);
    }
  }
  return root;
}

export const isToken = (item: Token | Level | undefined): item is Token =>
  item !== undefined && !Array.isArray(item);

export const startOf = (item: Token | Level): number =>
  isToken(item) ? item.start : startOf(item[0] as Token);
export const endOf = (item: Token | Level): number =>
  isToken(item) ? item.end : endOf(item.at(-1) as Token);
