import { LEAST_SECRET, type SecretForms, secretForms } from './secret-forms.ts';
import {
  bytesBehind,
  ESCAPE_MARKS,
  joinedLines,
  joinedView,
  plainView,
  type TextView,
  unescapedView,
} from './text-views.ts';

const MASK = '[redacted]';
/** Layers of escapes that are taken off: `%252525…` is a text like any other from there on. */
const MOST_LAYERS = 4;
const secrets = new Map<string, SecretForms>();
/** By their length. */
const pieces = new Map<number, Set<string>>();

/** Registers a secret: from here on `redact` masks it. One of less than four characters would mask ordinary words. */
export function keepSecret(value: string | undefined): void {
  if (value === undefined || value.length < LEAST_SECRET || secrets.has(value)) return;
  const forms = secretForms(value);
  secrets.set(value, forms);
  for (const piece of forms.pieces) {
    const same = pieces.get(piece.length) ?? new Set();
    pieces.set(piece.length, same.add(piece));
  }
}

/** Forgets every secret, as a new process would: files of tests share one. */
export function forgetSecrets(): void {
  secrets.clear();
  pieces.clear();
}

/**
 * Masks every registered secret in a text for people: a log line, an error, a report, an alert. It finds a secret
 * unchanged, escaped (percent-encoding, JSON, HTML, in layers), in hexadecimal, wrapped over lines or fields, and by
 * long parts of it. It also finds base64 and base64url, even within a longer text, as in Basic authentication. Data are
 * never masked: rows, names and manifests stay unchanged (docs/decisions/operation.md).
 */
export function redact(text: string): string {
  if (secrets.size === 0 || text === '') return text;
  const bytes = Buffer.from(text);
  const ranges: Range[] = [];
  let view: TextView | undefined = plainView(bytes);
  let last = view;
  // A secret may hold what looks like an escape of another kind.
  for (const mark of ESCAPE_MARKS) {
    const one = unescapedView(view, mark);
    if (one) ranges.push(...found(one));
  }
  for (let layer = 0; view !== undefined && layer <= MOST_LAYERS; layer++) {
    last = view;
    ranges.push(...found(view));
    view = unescapedView(view);
  }
  for (const joined of [joinedView(last), joinedLines(last)]) if (joined) ranges.push(...foundJoined(joined));
  return ranges.length === 0 ? text : masked(bytes, ranges);
}

/**
 * Masks each text in a document; its keys and numbers stay, so that it is JSON as before. A secret that begins in
 * one text and ends in the next one masks both.
 */
export function redactTexts(document: unknown): unknown {
  if (secrets.size === 0) return document;
  const texts: { text: string }[] = [];
  const collected = mapTexts(document, (text) => {
    const one = { text: redact(text) };
    texts.push(one);
    return one;
  });
  for (const [index, one] of texts.entries()) {
    const next = texts[index + 1];
    if (next && isSplit(one.text, next.text)) {
      one.text = MASK;
      next.text = MASK;
    }
  }
  return collected();
}

type Range = readonly [start: number, end: number];

function* found(view: TextView): Generator<Range> {
  const { text } = view;
  const lower = text.toLowerCase();
  for (const { plain, base64, hex } of secrets.values()) {
    for (const form of plain) yield* occurrences(view, text, form);
    for (const form of hex) yield* occurrences(view, lower, form);
    for (const form of base64) {
      for (const at of positions(text, form)) {
        // The rest of the word is of the same text, such as the user name beside a password.
        const before = /[\w+-]*$/.exec(text.slice(Math.max(0, at - 200), at))?.[0].length ?? 0;
        const after = /^[\w+/-]{0,200}={0,2}/.exec(text.slice(at + form.length))?.[0].length ?? 0;
        yield bytesBehind(view, at - before, at + form.length + after);
      }
    }
  }
  for (const [length, same] of pieces)
    for (let at = 0; at + length <= text.length; at++)
      if (same.has(text.slice(at, at + length))) yield bytesBehind(view, at, at + length);
}

function* foundJoined(view: TextView): Generator<Range> {
  const { text } = view;
  const lower = text.toLowerCase();
  for (const { joined, base64, hex } of secrets.values()) {
    if (joined === undefined) continue;
    for (const form of [joined, ...base64]) yield* occurrences(view, text, form);
    for (const form of hex) yield* occurrences(view, lower, form);
  }
}

function* occurrences(view: TextView, text: string, form: string): Generator<Range> {
  for (const at of positions(text, form)) yield bytesBehind(view, at, at + form.length);
}

function* positions(text: string, form: string): Generator<number> {
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) yield at;
}

function masked(bytes: Buffer, ranges: Range[]): string {
  const pieces: Buffer[] = [];
  let end = 0;
  for (const [from, to] of ranges.sort(([a], [b]) => a - b)) {
    if (pieces.length === 0 || from > end) pieces.push(bytes.subarray(end, from), Buffer.from(MASK));
    end = Math.max(end, to);
  }
  return Buffer.concat([...pieces, bytes.subarray(end)]).toString();
}

/** Whether a secret begins at the end of one text and ends at the beginning of the other. */
function isSplit(one: string, other: string): boolean {
  if (one === '' || other === '') return false;
  const last = one.at(-1) ?? '';
  for (const secret of secrets.keys()) {
    for (let at = secret.indexOf(last); at >= 0 && at < secret.length - 1; at = secret.indexOf(last, at + 1))
      if (one.endsWith(secret.slice(0, at + 1)) && other.startsWith(secret.slice(at + 1))) return true;
  }
  return false;
}

/** The document with each text replaced, after all texts are known. */
function mapTexts(value: unknown, collect: (text: string) => { readonly text: string }): () => unknown {
  if (typeof value === 'string') {
    const one = collect(value);
    return () => one.text;
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => mapTexts(item, collect));
    return () => items.map((item) => item());
  }
  // Dates, and numbers that keep their spelling, are objects too, with other prototypes.
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return () => value;
  const entries = Object.entries(value).map(([key, item]) => [key, mapTexts(item, collect)] as const);
  return () => Object.fromEntries(entries.map(([key, item]) => [key, item()]));
}
