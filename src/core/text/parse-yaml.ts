import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, isMap, isNode, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';

/** Maximum nested brackets: the YAML parser takes seconds for thousands. */
const MOST = 1000;

/** Maximum aliases of a file, and maximum values that they add to it. */
const MOST_ALIASES = 100;
const MOST_ADDED = 5_000;
const WRITE_OUT = 'write the values instead of aliases';

/** A text that is not YAML, or exceeds our limits. */
export class YamlFault extends Error {
  readonly line: number;
  readonly hint: string | undefined;

  constructor(message: string, line: number, hint?: string) {
    super(message);
    this.line = line;
    this.hint = hint;
  }
}

export interface ParsedYaml {
  readonly document: Document.Parsed;
  readonly value: unknown;
  /** The line (from 1) of the first value. */
  readonly firstLine: number;
  /** The line of the key at `path`, or of the nearest parent in the text. */
  lineOf(path: readonly PropertyKey[]): number;
}

export interface YamlOptions {
  /** Which integers are `bigint`; `large`: those that a JavaScript number would round. */
  readonly bigints?: 'large' | 'all';
}

/**
 * Parses hand-written YAML. Keys must be unique, and anchors are resolved.
 *
 * @throws YamlFault
 */
export function parseYaml(text: string, options: YamlOptions = {}): ParsedYaml {
  const compiled = options.bigints === 'all' ? undefined : compiledYaml(text);
  if (compiled === undefined) return readYaml(text, options);
  let read: ParsedYaml | undefined;
  // Only for an error, or a change.
  const whole = (): ParsedYaml => (read ??= readYaml(text, options));
  return {
    value: compiled.value,
    get document() {
      return whole().document;
    },
    get firstLine() {
      return whole().firstLine;
    },
    lineOf: (path) => whole().lineOf(path),
  };
}

function readYaml(text: string, { bigints }: YamlOptions): ParsedYaml {
  const deep = deepBrackets(text);
  if (deep !== -1)
    throw new YamlFault('more than a thousand brackets are open', text.slice(0, deep).split('\n').length);
  const lines = new LineCounter();
  const line = (offset: number): number => lines.linePos(offset).line;
  const document = parseDocument(text, {
    lineCounter: lines,
    logLevel: 'error',
    intAsBigInt: bigints === 'all',
  });
  const problem = document.errors[0];
  if (problem) {
    const message = problem.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '');
    throw new YamlFault(String(message), line(problem.pos[0]));
  }
  refuseMuchFromLittle(document, line);
  refusePrototype(document, line);
  if (bigints === 'large') keepDigits(document);
  const firstLine = line(document.contents?.range?.[0] ?? 0);
  return {
    document,
    value: resolved(document, firstLine),
    firstLine,
    lineOf: (path) => line(offsetOf(document.contents, path)),
  };
}

/** Parses a document for a change: each value is separate, so that one can be removed. */
export function documentToChange(text: string): Document.Parsed {
  const { document } = parseYaml(text);
  visit(document, { Alias: (_key, alias) => alias.resolve(document)?.clone() as Node | undefined });
  visit(document, {
    Node(_key, node) {
      if ('anchor' in node) delete node.anchor;
      // Printed from its number, an integer beyond 2^53 would change.
      if (!isScalar(node) || typeof node.value !== 'number' || Number.isSafeInteger(node.value)) return;
      const { source = '' } = node;
      if (/^[-+]?\d+$/.test(source)) node.value = BigInt(source);
    },
  });
  return document;
}

/** @throws YamlFault for more aliases, or more values from them, than people write; also for a value within itself */
function refuseMuchFromLittle(document: Document.Parsed, line: (offset: number) => number): void {
  const within = new Map<Node, number>();
  let open: { readonly node: Node; readonly offset: number } | undefined;
  let count = 0;
  let added = 0;
  visit(document, {
    Alias(_key, alias, path) {
      const offset = alias.range?.[0] ?? 0;
      const source = alias.resolve(document);
      if (source !== undefined && path.includes(source)) open = { node: source, offset };
      const values = source === undefined ? 0 : valuesOf(source, document, within);
      count++;
      added += values;
      if (open === undefined && count <= MOST_ALIASES && added <= MOST_ADDED) return undefined;
      open ??= { node: alias, offset };
      return visit.BREAK;
    },
  });
  if (open !== undefined)
    throw new YamlFault(
      'its aliases cannot be resolved: they expand to too much',
      line(open.offset),
      WRITE_OUT,
    );
}

/** Our schemas would silently ignore this key, because it has another meaning in JavaScript. */
function refusePrototype(document: Document.Parsed, line: (offset: number) => number): void {
  visit(document, {
    Pair(_key, { key }) {
      if (isScalar(key) && key.value === '__proto__')
        throw new YamlFault('unknown key __proto__', line(key.range?.[0] ?? 0), 'nothing has this name');
    },
  });
}

/** Counts the values of a node, including those of its aliases. */
function valuesOf(node: Node, document: Document.Parsed, known: Map<Node, number>): number {
  const before = known.get(node);
  if (before !== undefined) return before;
  // A value within itself is refused at its alias.
  known.set(node, 0);
  let values = 0;
  visit(node, {
    Node() {
      values++;
    },
    Alias(_key, alias) {
      const source = alias.resolve(document);
      values += source === undefined ? 1 : valuesOf(source, document, known);
    },
  });
  known.set(node, values);
  return values;
}

function keepDigits(document: Document): void {
  visit(document, {
    Scalar(_, node) {
      const { value, source = '' } = node;
      if (typeof value !== 'number' || Number.isSafeInteger(value)) return;
      if (/^(?:[-+]?\d+|0x[\da-f]+|0o[0-7]+)$/i.test(source)) node.value = BigInt(source);
    },
  });
}

/** @throws YamlFault for an alias without an anchor */
function resolved(document: Document.Parsed, firstLine: number): unknown {
  try {
    return document.toJS({ maxAliasCount: -1 });
  } catch (cause) {
    throw new YamlFault(`its aliases cannot be resolved: ${(cause as Error).message}`, firstLine, WRITE_OUT);
  }
}

function offsetOf(root: Node | null, path: readonly PropertyKey[]): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const key of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => String((item.key as { value?: unknown }).value) === String(key));
      if (!pair) break;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value;
    } else {
      node = (node as { get?(key: unknown, keep: true): unknown } | null)?.get?.(key, true);
      if (isNode(node)) offset = node.range?.[0] ?? offset;
    }
  }
  return offset;
}

/** Returns the index where a text has more than a thousand open brackets; -1 if there is none. */
function deepBrackets(text: string): number {
  let open = 0;
  for (const { 0: bracket, index } of text.matchAll(/[[\]{}]/g)) {
    open += bracket === '[' || bracket === '{' ? 1 : -1;
    if (open > MOST) return index;
  }
  return -1;
}

/** The build's values of the shipped YAML files. Sources that run without a build have none. */
const COMPILED = join(import.meta.dirname, '..', '..', 'yaml.json');

let compiledTexts: ReadonlyMap<string, string> | undefined;

/**
 * Returns the value of a shipped YAML text that was parsed at build time, because parsing it here would take fifty
 * times as long.
 */
function compiledYaml(text: string): { readonly value: unknown } | undefined {
  compiledTexts ??= new Map<string, string>(
    Object.entries(existsSync(COMPILED) ? JSON.parse(readFileSync(COMPILED, 'utf8')) : {}),
  );
  const json = compiledTexts.size === 0 ? undefined : compiledTexts.get(keyOf(text));
  return json === undefined ? undefined : { value: JSON.parse(json) };
}

/** Returns the contents of that file for some texts with their values; it omits values that JSON cannot represent. */
export function compileYaml(values: ReadonlyMap<string, unknown>): string {
  const entries = [...values].flatMap(([text, value]) =>
    isJson(value) ? [[keyOf(text), JSON.stringify(value)]] : [],
  );
  return JSON.stringify(Object.fromEntries(entries));
}

function isJson(value: unknown): boolean {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) || (Number.isFinite(value) && value % 1 !== 0);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  return typeof value === 'object' && Object.values(value).every(isJson);
}

function keyOf(text: string): string {
  return hash('sha256', text, 'base64');
}
