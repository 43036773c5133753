import { Transform } from 'node:stream';
import { parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { stringifyJson } from '../../core/text/json.ts';

/** The maximum size of a message. A statement has a few thousand bytes. */
export const MOST_BYTES = 4_000_000;

/** An error of JSON-RPC 2.0, as JSON. */
interface Refusal {
  readonly answer: string;
  /** A notification is never answered. */
  readonly isSilent: boolean;
}

/**
 * Returns the answer to bytes that are not a valid message of the protocol; undefined for a valid one. An identifier
 * that is unknown, or would be returned changed, is null.
 */
export function refuseMessage(bytes: Uint8Array): Refusal | undefined {
  let message: unknown;
  try {
    message = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    // The parser's message would repeat the text.
    return refusal(-32700, 'Parse error: this is not JSON in UTF-8');
  }
  if (Array.isArray(message))
    return refusal(-32600, 'Invalid Request: send one message at a time, not a batch');
  try {
    parseJSONRPCMessage(message);
    return undefined;
  } catch {
    // The schema lists the errors of all kinds of messages; this is the one that helps.
    const { id, method, jsonrpc, params } = Object(message) as Readonly<Record<string, unknown>>;
    const isKnown = typeof id === 'string' || Number.isSafeInteger(id);
    const isCall = jsonrpc === '2.0' && typeof method === 'string' && (isKnown || id === undefined);
    const isObject = typeof params === 'object' && params !== null && !Array.isArray(params);
    const isSilent = isCall && !isKnown;
    if (isCall && params !== undefined && !isObject)
      return { ...refusal(-32602, 'Invalid params: params is an object', id), isSilent };
    const what =
      'Invalid Request: a message is an object with jsonrpc "2.0", a method, and as id a text or a whole number up to 2^53 - 1';
    return { ...refusal(-32600, what, isKnown ? id : null), isSilent };
  }
}

export function refuseSize(): Refusal {
  return refusal(-32600, `Invalid Request: a message has at most ${MOST_BYTES} bytes`);
}

function refusal(code: number, message: string, id: unknown = null): Refusal {
  return { answer: stringifyJson({ jsonrpc: '2.0', id, error: { code, message } }), isSilent: false };
}

/** Passes on lines with valid messages. Other lines are answered with `refuse`; blank ones are ignored. */
export function soundMessages(refuse: (answer: string) => void): Transform {
  let pieces: Buffer[] = [];
  let size = 0;
  const take = (piece: Buffer): void => {
    size += piece.length;
    // The rest of an overlong line is discarded.
    if (size > MOST_BYTES) pieces = [];
    else pieces.push(piece);
  };
  const endLine = (): Buffer | undefined => {
    const [line, isTooLong] = [Buffer.concat(pieces), size > MOST_BYTES];
    [pieces, size] = [[], 0];
    if (!isTooLong && line.every((byte) => byte === 0x20 || byte === 0x0d)) return undefined;
    const refused = isTooLong ? refuseSize() : refuseMessage(line);
    if (refused === undefined) return Buffer.concat([line, Buffer.from('\n')]);
    if (!refused.isSilent) refuse(`${refused.answer}\n`);
    return undefined;
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let from = 0;
      for (let at = chunk.indexOf(10); at >= 0; from = at + 1, at = chunk.indexOf(10, from)) {
        take(chunk.subarray(from, at));
        const line = endLine();
        if (line !== undefined) this.push(line);
      }
      take(chunk.subarray(from));
      done();
    },
    flush(done) {
      const line = endLine();
      done(null, line);
    },
  });
}
