import { isIP } from 'node:net';
import { hasAddress, isAddressChain } from '../client-address.ts';
import type { LogFormat, LogLine, RejectReason } from '../log-line.ts';
import type { LogTime } from '../log-time.ts';
import { isStatus } from '../request-parts.ts';
import { isSiteHost, takeFurtherFields } from './further-fields.ts';

/** A text in quotation marks, brackets or parentheses, or one without spaces. */
const TOKEN = /"((?:[^"\\]|\\.)*)"(?=[\s,;]|$)|\[([^\]]*)\]|\([^)]*\)|([^\s"]+(?:"[^"]*")?)/g;
/** The first line of a request, or the text that was sent instead. */
const REQUEST = /^(?:[A-Z_-]{3,20} +\S.*|.*\\x[\da-f]{2}.*|-|)$/i;
const MOST_TOKENS = 64;
/** The shape of a referrer; also a host alone. */
const REFERER = /^(?:-|)$|^[a-z][a-z0-9+.-]*:\/\/|^\//i;

interface Token {
  readonly text: string;
  readonly kind: 'quoted' | 'bracket' | 'bare';
  readonly end: number;
}

/**
 * Returns lines that have the fields of the common format in its order (client, time, request, status), with other
 * fields before, between or after. A host may precede the client or directly follow the size. Any field may have
 * quotation marks. Rack, Jetty, GlassFish, and hosting companies such as Gandi and IONOS write such lines.
 */
export function looseFormat(name: string, time: LogTime): LogFormat {
  return {
    name,
    read(whole, from, end, line) {
      const text = whole.slice(from, end);
      const tokens = tokensOf(text);
      const at = tokens.findIndex(
        ({ kind, text: one }, index) =>
          kind === 'quoted' && REQUEST.test(one) && /^\d{3}$/.test(tokens[index + 1]?.text ?? ''),
      );
      const request = tokens[at];
      if (request === undefined) return 'not_the_format';
      // The program is unknown: `\t` may be a backslash and a letter.
      line.escapes = 'hex';
      line.request = request.text;
      line.status = tokens[at + 1]?.text ?? '';
      if (!isStatus(line.status)) return 'not_the_format';
      const found = takeHead(tokens.slice(0, at), line, time);
      if (found !== 'event') return found;
      const size = tokens[at + 2]?.text ?? '';
      const hasSize = /^(?:-|\d+)$/.test(size);
      if (hasSize && size !== '-') line.bytes = size;
      const last = takeTail(tokens.slice(at + (hasSize ? 3 : 2)), line);
      if (last < text.length) takeFurtherFields(text.slice(last), line, line.host !== '');
      return 'event';
    },
  };
}

/** Splits a text into tokens. Returns undefined for a truncated text, or one with clients' own quotation marks. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const found of text.matchAll(TOKEN)) {
    const [whole, quoted, bracket, bare] = found;
    if (/[^\s,;]/.test(text.slice(end, found.index))) return [];
    end = found.index + whole.length;
    if (quoted !== undefined) tokens.push({ text: quoted, kind: 'quoted', end });
    else if (bracket !== undefined) tokens.push({ text: bracket, kind: 'bracket', end });
    else if (bare !== undefined) tokens.push({ text: bare, kind: 'bare', end });
    if (tokens.length === MOST_TOKENS) return tokens;
  }
  return /[^\s,;]/.test(text.slice(end)) ? [] : tokens;
}

/** Takes time, client and host from the text before the request. */
function takeHead(tokens: readonly Token[], line: LogLine, time: LogTime): 'event' | RejectReason {
  const times = tokens.filter(
    ({ text, kind }) => kind !== 'bare' && /^\d+\/[^/]+\/\d+|^\d{4}-\d\d-\d\d/.test(text),
  );
  const when = times[0] ?? tokens.find(({ text }) => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text));
  if (when === undefined) return 'not_the_format';
  line.second = time.clf(when.text.replace(/ {2,}/, ' '));
  if (Number.isNaN(line.second)) return 'bad_time';
  const first = tokens.findIndex((token) => token !== when && isAddress(token.text));
  if (first < 0) return 'not_the_format';
  // A host may be an address, with a port.
  const before = tokens.slice(0, first).find((token) => token !== when && isSiteHost(token.text));
  line.host = before?.text ?? '';
  for (const { text } of tokens.slice(first))
    if (isAddress(text)) {
      if (line.address === '' || line.address.endsWith(',')) line.address += text;
      else if (line.forwarded === '' || line.forwarded.endsWith(',')) line.forwarded += text;
    }
  return 'event';
}

/** Takes host, referrer and user agent from the text after the size; returns the position after them. */
function takeTail(tokens: readonly Token[], line: LogLine): number {
  const [first] = tokens;
  if (first === undefined) return Number.POSITIVE_INFINITY;
  const hasHost = first.kind === 'bare' && isSiteHost(first.text);
  if (hasHost && line.host === '') line.host = first.text;
  if (!tokens.some(({ kind }) => kind === 'quoted')) return 0;
  // Traefik writes `-` without quotation marks.
  const last = hasHost ? 2 : 1;
  let texts = tokens.filter(
    ({ kind, text }, index) =>
      (kind === 'quoted' && !(hasAddress(text) && isAddressChain(text))) || (text === '-' && index <= last),
  );
  const [one, two] = texts;
  if (texts.length > 2 && isSiteHost(one?.text ?? '') && REFERER.test(two?.text ?? '')) {
    if (line.host === '') line.host = one?.text ?? '';
    texts = texts.slice(1);
  }
  const [referer, second] = texts;
  if (referer === undefined) return 0;
  const isAlone = second === undefined || (/^[\d.]*$/.test(second.text) && !REFERER.test(referer.text));
  const agent = isAlone ? referer : second;
  line.tellsAgent = !isAlone || !REFERER.test(agent.text);
  line.tellsReferer = !isAlone;
  if (!isAlone && referer.text !== '-') line.referer = referer.text;
  if (line.tellsAgent && agent.text !== '-') line.agent = agent.text;
  return agent.end;
}

function isAddress(text: string): boolean {
  const hops = text
    .split(',')
    .map((one) => one.trim().replace(/^\[|\](?::\d+)?$|(?<=^\d+\.\d+\.\d+\.\d+):\d+$/g, ''));
  return (
    hops.some((hop) => isIP(hop) !== 0) &&
    hops.every((hop) => hop === '' || hop === 'unknown' || isIP(hop) !== 0)
  );
}
