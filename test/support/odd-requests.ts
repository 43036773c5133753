import { once } from 'node:events';
import { connect } from 'node:net';

/** Names that every object has without being given them. */
export const INHERITED_NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

const METHODS = 'GET GET GET POST POST POST PUT PATCH DELETE HEAD OPTIONS TRACE PROPFIND'.split(' ');
const TEXTS = [
  '',
  '1',
  '-1',
  '1e999',
  'null',
  '%',
  '%00',
  '%ff',
  '..%2f',
  "' OR 1 --",
  '[',
  '"',
  'é',
  '\u{1f4a5}',
  '((((',
];
const LONG = 'a'.repeat(5000);
const TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  `multipart/form-data; boundary=${LONG}`,
  'multipart/form-data; boundary=""',
  'multipart/form-data; boundary=b',
  'multipart/form-data; boundary=b; boundary=__proto__',
  'multipart/related; boundary=b',
  'text/plain',
  ';',
  '__proto__/constructor',
];

/** A request as its bytes say it. */
export interface OddRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** What the requests to a server are made of. */
export interface Door {
  readonly url: string;
  /** With names in braces. */
  readonly paths: readonly string[];
  /** Of queries, forms and JSON. */
  readonly names: readonly string[];
  /** What is there, by the name of its place in a path. */
  readonly ids?: ReadonlyMap<string, string>;
  readonly values: readonly string[];
  /** Those of whoever may ask, with the token of a form. */
  readonly known: { readonly headers: OddRequest['headers']; readonly form: string };
}

/** Draws the requests of a seed. */
export class OddRequests {
  readonly #random: () => number;
  readonly #door: Door;

  constructor(door: Door, random: () => number) {
    this.#door = door;
    this.#random = random;
  }

  next(): OddRequest {
    const { paths, known, ids } = this.#door;
    const isKnown = this.#random() < 0.8;
    const path = this.#one(paths).replace(/\{\w+\}|:\w+|\*$/g, (place) => {
      const id = ids?.get(place.replaceAll(/\W/g, ''));
      return id !== undefined && this.#random() < 0.8 ? id : encode(this.#value(), this.#random());
    });
    const pairs = this.#pairs();
    const query = pairs.length === 0 ? '' : `?${this.#form(pairs)}`;
    const type = this.#one(TYPES);
    const method = this.#one(METHODS);
    const hasBody = method !== 'GET' && method !== 'HEAD' && this.#random() < 0.8;
    const body = hasBody ? this.#body(type, isKnown ? known.form : '') : '';
    const headers: [string, string][] = [['Host', new URL(this.#door.url).host]];
    if (isKnown) headers.push(...(known.headers as [string, string][]));
    if (hasBody || this.#random() < 0.2) headers.push(['Content-Type', type]);
    if (hasBody || this.#random() < 0.5) headers.push(['Content-Length', String(Buffer.byteLength(body))]);
    if (this.#random() < 0.3)
      headers.push([this.#one([...INHERITED_NAMES, 'Cookie', 'Accept', 'Range', 'Origin']), this.#header()]);
    return { method, path: `${path}${query}`, headers: [...headers, ['Connection', 'close']], body };
  }

  #one<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)] as T;
  }

  #name(): string {
    const { names } = this.#door;
    return this.#random() < 0.5 ? this.#one(INHERITED_NAMES) : this.#one([...names, ...names, LONG, '', 'é']);
  }

  #value(): string {
    const which = this.#random();
    if (which < 0.35) return this.#one(INHERITED_NAMES);
    return which < 0.75 ? this.#one(this.#door.values) : this.#one([...TEXTS, LONG.slice(0, 900)]);
  }

  #header(): string {
    return this.#value().replaceAll(/[^\x20-\x7e]/g, '') || 'constructor=__proto__; toString';
  }

  #pairs(): [string, string][] {
    return Array.from({ length: Math.floor(this.#random() * 4) }, () => {
      const name = this.#name();
      return [this.#random() < 0.3 ? `param.${name}` : name, this.#value()];
    });
  }

  #form(pairs: readonly [string, string][]): string {
    return pairs.map((pair) => pair.map((text) => encode(text, this.#random())).join('=')).join('&');
  }

  #body(type: string, form: string): string {
    if (this.#random() < 0.1) return this.#one(['', '[', '\0', LONG, '[]', 'null', '0']);
    if (type.startsWith('multipart'))
      return `--b\r\nContent-Disposition: form-data; name="${this.#name()}"; filename="${this.#value()}"\r\n\r\nx\r\n${this.#one(['--b--\r\n', '', '--b\r\n'])}`;
    if (type.includes('form')) return [form, this.#form(this.#pairs())].filter(Boolean).join('&');
    return this.#json(3);
  }

  /** As a text: `JSON.stringify` would not write a key `__proto__`. */
  #json(depth: number): string {
    const which = this.#random();
    if (depth === 0 || which < 0.25)
      return this.#one(['null', 'true', '-1', '1e400', '9007199254740993', JSON.stringify(this.#value())]);
    const items = Array.from({ length: Math.floor(this.#random() * 4) }, () => this.#json(depth - 1));
    if (which < 0.5) return `[${items}]`;
    return `{${items.map((item) => `${JSON.stringify(this.#name())}:${item}`)}}`;
  }
}

/** Encoded as it must be, or as it comes where a request line can have it. */
function encode(text: string, chance: number): string {
  return chance < 0.2 ? text.replaceAll(/[^\x21-\x7e]|[#?&]/g, '') : encodeURIComponent(text);
}

/** The status of the answer; null where the connection was closed without one. An answer that streams is left. */
export async function statusOf(
  url: string,
  { method, path, headers, body }: OddRequest,
): Promise<number | null> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {}); // The answer may come before the body is read.
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines}\r\n${body}`);
  let text = '';
  socket.on('data', (piece: Buffer) => {
    text += piece.toString('latin1');
    if (text.includes('\r\n')) socket.destroy();
  });
  await once(socket, 'close');
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(text) ?? [];
  return status === undefined ? null : Number(status);
}
