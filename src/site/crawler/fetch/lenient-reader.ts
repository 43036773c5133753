import { isUtf8 } from 'node:buffer';

/** Bytes of the headers of a response, as in Chromium. */
export const MOST_HEADERS = 262_144;
const LONGEST_CHUNK_LINE = 4_096;
/** Bytes before the status line that are ignored, such as the end of the previous answer. */
const MOST_JUNK = 4;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export type AnswerHead = ReturnType<typeof readHead>;

interface Handler {
  head(head: AnswerHead): void;
  data(piece: Buffer): void;
}

/** The error code of a refused answer; the message gives the reason. */
export const NOT_HTTP = 'ERR_CRAWL_NOT_HTTP';

/**
 * Reads an HTTP/1 response like browsers, which are more lenient than RFC 9112. Lines may end without CR, a header may
 * be folded or have no colon, a length may be repeated, and a length next to `chunked` is ignored. Refuses ambiguous
 * responses.
 */
export class LenientReader {
  readonly #handler: Handler;
  #rest: Buffer = Buffer.alloc(0);
  #state: 'head' | 'body' | 'line' | 'chunk' | 'trailer' | 'done' = 'head';
  /** Bytes of the body, or of the chunk, that are still missing. */
  #left = Number.POSITIVE_INFINITY;

  constructor(handler: Handler) {
    this.#handler = handler;
  }

  get isDone(): boolean {
    return this.#state === 'done';
  }

  /** @throws an error with the code `NOT_HTTP` */
  push(piece: Buffer): void {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    while (this.#rest.length > 0 && this.#step());
  }

  /**
   * Ends the response when the connection is closed.
   *
   * @throws an error with the code `NOT_HTTP` if the response is incomplete
   */
  end(): void {
    if (this.#state === 'done') return;
    if (this.#state === 'head') throw refusal('the connection ended within the headers');
    const isWhole = this.#state === 'trailer' || this.#left === Number.POSITIVE_INFINITY;
    if (!isWhole) throw refusal('the connection ended within the body');
    this.#state = 'done';
  }

  /** Reads the next part. Returns false if more bytes are needed. */
  #step(): boolean {
    switch (this.#state) {
      case 'head':
        return this.#readHead();
      case 'body':
      case 'chunk':
        return this.#readData();
      case 'line':
      case 'trailer':
        return this.#readLine();
      case 'done':
        return false;
    }
  }

  #readHead(): boolean {
    const begin = this.#rest
      .subarray(0, MOST_JUNK + 5)
      .toString('latin1')
      .toUpperCase()
      .indexOf('HTTP');
    if (begin < 0 && this.#rest.length >= MOST_JUNK + 5) throw refusal('there is no status line of HTTP');
    if (begin < 0) return false;
    this.#rest = this.#rest.subarray(begin);
    const end = endOfHead(this.#rest);
    if ((end ?? this.#rest.length) > MOST_HEADERS)
      throw refusal(`the headers have more than ${MOST_HEADERS} bytes`);
    if (end === null) return false;
    const head = readHead(this.#rest.toString('latin1', 0, end));
    this.#rest = this.#rest.subarray(end);
    // Informational: the response follows.
    if (head.statusCode >= 100 && head.statusCode < 200) return true;
    this.#begin(head);
    this.#handler.head(head);
    return true;
  }

  #begin({ statusCode, version, headers }: AnswerHead): void {
    const isChunked =
      !hasNoBody(statusCode) &&
      version !== '1.0' &&
      valuesOf(headers, 'transfer-encoding').some((value) => value.toLowerCase() === 'chunked');
    const lengths = new Set(valuesOf(headers, 'content-length'));
    if (!isChunked && lengths.size > 1) throw refusal('it has several lengths that differ');
    if (new Set(headers.filter(([name]) => name === 'location').map(([, value]) => value)).size > 1)
      throw refusal('it has several locations that differ');
    const [length = ''] = lengths;
    if (hasNoBody(statusCode)) this.#left = 0;
    else if (!isChunked && /^\d+$/.test(length)) this.#left = Number(length);
    if (isChunked) this.#left = 0;
    this.#state = isChunked ? 'line' : this.#left === 0 ? 'done' : 'body';
  }

  #readData(): boolean {
    const data = this.#rest.subarray(0, this.#left);
    this.#rest = this.#rest.subarray(data.length);
    this.#left -= data.length;
    this.#handler.data(data);
    if (this.#left === 0) this.#state = this.#state === 'chunk' ? 'line' : 'done';
    return true;
  }

  /** The line before a chunk, including the line end of the previous chunk; or one after the last chunk. */
  #readLine(): boolean {
    const end = this.#rest.indexOf('\n');
    if (end < 0 && this.#rest.length > LONGEST_CHUNK_LINE) throw refusal('a chunk has no size');
    if (end < 0) return false;
    const line = this.#rest.toString('latin1', 0, end).trim();
    this.#rest = this.#rest.subarray(end + 1);
    if (this.#state === 'trailer') {
      if (line === '') this.#state = 'done';
    } else if (line !== '') this.#beginChunk(line);
    return true;
  }

  #beginChunk(line: string): void {
    const [, size] = /^([0-9a-f]{1,12})\s*(?:;.*)?$/i.exec(line) ?? [];
    if (size === undefined) throw refusal('a chunk has no size');
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? 'trailer' : 'chunk';
  }
}

/** Returns whether a response ends with its headers, even if they announce a body (RFC 9112 §6.3). */
export function hasNoBody(statusCode: number): boolean {
  return statusCode === 204 || statusCode === 304;
}

/** Returns the position after the empty line; null if there is none yet. */
function endOfHead(bytes: Buffer): number | null {
  for (let at = bytes.indexOf('\n'); at >= 0; at = bytes.indexOf('\n', at + 1)) {
    if (bytes[at + 1] === 0x0a) return at + 2;
    if (bytes[at + 1] === 0x0d && bytes[at + 2] === 0x0a) return at + 3;
  }
  return null;
}

function readHead(text: string) {
  if (text.includes('\0')) throw refusal('the headers have a NUL character');
  const [first = '', ...lines] = text.replaceAll(/[\r\n]+[ \t]+(?=[^\r\n])/g, ' ').split(/[\r\n]+/);
  const [, version = '1.0', status] = /^HTTP(?:\/(\d+\.\d+))?\s*(\d{3})?/i.exec(first) ?? [];
  // As in browsers, a status line without a status means 200. A version is such as `1.1`.
  return { statusCode: Number(status ?? 200), version, headers: lines.flatMap(headerOf) };
}

/** Parses a header. Ignores a line without a colon or with an invalid name. */
function headerOf(line: string): [name: string, value: string][] {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
  if (!TOKEN.test(name)) return [];
  const value = Buffer.from(line.slice(colon + 1), 'latin1');
  return [[name, headerText(value, name).trim()]];
}

function valuesOf(headers: AnswerHead['headers'], name: string): string[] {
  return headers
    .filter(([one]) => one === name)
    .flatMap(([, value]) => value.split(',').map((one) => one.trim()));
}

/**
 * Servers send UTF-8 in headers, despite the standard. In a location that is not UTF-8, each octet is kept, as in
 * browsers.
 */
export function headerText(value: Buffer | string, name = ''): string {
  if (typeof value === 'string') return value;
  if (isUtf8(value)) return value.toString();
  const text = value.toString('latin1');
  return name === 'location' ? text.replaceAll(/[\x80-\xff]/g, escape) : text;
}

function refusal(why: string): Error {
  return Object.assign(new Error(why), { code: NOT_HTTP });
}
