import { bytesOf, joinedView, plainView } from './text-views.ts';

/** The forms of a secret in a text. Every form consists of the characters of its bytes. */
export interface SecretForms {
  readonly secret: string;
  /** Itself, with `+` for a space too. */
  readonly plain: readonly string[];
  /** Base64 and base64url of any text that holds it. */
  readonly base64: readonly string[];
  /** Lower case. */
  readonly hex: readonly string[];
  /** Itself without white space, where it is long enough to be sought across gaps. */
  readonly joined: string | undefined;
  /** Its half at each place, of at most `PIECE` characters; none of a short one. */
  readonly pieces: ReadonlySet<string>;
}

/** Shorter ones would mask ordinary words. */
export const LEAST_SECRET = 4;
const LEAST_BASE64 = 6;
const LEAST_JOINED = 8;
/** A piece of a secret gives away too much from this length on, or from half of it on. */
const PIECE = 12;
const LEAST_FOR_PIECES = 12;

export function secretForms(value: string): SecretForms {
  const secret = bytesOf(value);
  const bytes = Buffer.from(value);
  const plain = [...new Set([secret, secret.replaceAll(' ', '+')])];
  const joined = (joinedView(plainView(bytes)) ?? plainView(bytes)).text;
  return {
    secret,
    plain,
    base64: base64Forms(bytes),
    hex: bytes.length >= LEAST_SECRET ? [bytes.toString('hex')] : [],
    joined: joined.length >= LEAST_JOINED ? joined : undefined,
    pieces: new Set(isOneWord(value) ? piecesOf(secret) : []),
  };
}

/**
 * An address or a path is no secret in each of its pieces. A key may begin with a slash too, as base64 has it; such a key
 * has digits, and a path of words has none.
 */
function isOneWord(value: string): boolean {
  if (value.length < LEAST_FOR_PIECES || /\s|:\/\/|^\.{0,2}\/[^/]+\//.test(value)) return false;
  return !/^\.{0,2}\//.test(value) || (/\d/.test(value) && !/\.[a-z]+$/.test(value));
}

function piecesOf(secret: string): string[] {
  const length = Math.min(PIECE, Math.ceil(secret.length / 2));
  return Array.from({ length: secret.length - length + 1 }, (_one, at) => secret.slice(at, at + length));
}

/** The characters in the base64 of a longer text that depend only on this part, for each offset of the part. */
function base64Forms(bytes: Buffer): string[] {
  const whole = [bytes.toString('base64'), bytes.toString('base64').replace(/=+$/, '')];
  const within = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    return text.slice(Math.ceil((before * 8) / 6), end);
  });
  const standard = [...whole, ...within].filter((form) => form.length >= LEAST_BASE64);
  const url = standard.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([...standard, ...url])];
}
