import { createHmac, randomBytes } from 'node:crypto';
import { Semaphore } from '../../../core/queue/semaphore.ts';
import { headerValues } from '../parse/headers.ts';
import type { Fetched } from '../records/records.ts';

/** The semaphore of each connection. */
const turns = new WeakMap<object, Semaphore>();

/**
 * Requests a URL on a connection that may need NTLM authentication. The server authenticates each connection once.
 * Meanwhile, no other request uses the connection.
 *
 * @param ask sends the request on the connection
 */
export function askByNtlm<A extends Pick<Fetched, 'statusCode' | 'headers'>>(
  connection: object,
  credentials: NtlmCredentials,
  ask: (headers: Readonly<Record<string, string>>) => Promise<A>,
): Promise<A> {
  const turn = turns.get(connection) ?? new Semaphore(1);
  turns.set(connection, turn);
  return turn.run(async () => {
    const first = await ask({});
    if (first.statusCode !== 401 || challengeOf(first) === null) return first;
    const asked = await ask(authorization(negotiateMessage()));
    const challenge = readChallenge(Buffer.from(challengeOf(asked) ?? '', 'base64'));
    if (asked.statusCode !== 401 || challenge === null) return asked;
    return ask(authorization(authenticateMessage(challenge, credentials)));
  });
}

function authorization(message: Buffer): Record<string, string> {
  return { authorization: `NTLM ${message.toString('base64')}` };
}

/** Returns the text after `NTLM` in a challenge, initially empty; null if the server does not offer NTLM. */
function challengeOf({ headers }: Pick<Fetched, 'headers'>): string | null {
  const offers = headerValues(headers, 'www-authenticate').map((value) =>
    /(?:^|,)\s*NTLM(?:\s+([A-Za-z0-9+/=]+))?\s*(?:,|$)/i.exec(value),
  );
  const offer = offers.find((offer) => offer !== null);
  return offer === undefined ? null : (offer[1] ?? '');
}

type State = readonly [number, number, number, number];

interface Round {
  readonly mix: (x: number, y: number, z: number) => number;
  readonly add: number;
  readonly order: readonly number[];
  readonly shifts: readonly number[];
}

const ROUNDS: readonly Round[] = [
  {
    mix: (x, y, z) => (x & y) | (~x & z),
    add: 0,
    order: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    shifts: [3, 7, 11, 19],
  },
  {
    mix: (x, y, z) => (x & y) | (x & z) | (y & z),
    add: 0x5a827999,
    order: [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
    shifts: [3, 5, 9, 13],
  },
  {
    mix: (x, y, z) => x ^ y ^ z,
    add: 0x6ed9eba1,
    order: [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
    shifts: [3, 9, 11, 15],
  },
];

/**
 * The messages by which NTLMv2 signs in (MS-NLMP §2.2.1, §3.3.2). NTLM is no longer secure against eavesdropping, and
 * is only for servers without an alternative.
 */

export interface NtlmCredentials {
  readonly username: string;
  readonly password: string;
  readonly domain: string;
}

type NtlmChallenge = NonNullable<ReturnType<typeof readChallenge>>;

const SIGNATURE = Buffer.from('NTLMSSP\0', 'latin1');
const [UNICODE, REQUEST_TARGET, NTLM, ALWAYS_SIGN, EXTENDED, TARGET_INFO] = [
  0x1, 0x4, 0x200, 0x8000, 0x80000, 0x800000,
];
const FLAGS = UNICODE | REQUEST_TARGET | NTLM | ALWAYS_SIGN | EXTENDED | TARGET_INFO;
const TIMESTAMP = 7;
/** Milliseconds between 1601 and 1970. */
const SINCE_1601 = 11_644_473_600_000n;
const AUTHENTICATE_HEAD = 64;

export function negotiateMessage(): Buffer {
  const message = Buffer.alloc(32);
  SIGNATURE.copy(message);
  message.writeUInt32LE(1, 8);
  message.writeUInt32LE(FLAGS, 12);
  return message;
}

/** Returns null if it is not a challenge. */
export function readChallenge(message: Buffer) {
  const isOne =
    message.length >= 32 && message.subarray(0, 8).equals(SIGNATURE) && message.readUInt32LE(8) === 2;
  if (!isOne) return null;
  const hasTarget = message.length >= 48;
  const [length, at] = hasTarget ? [message.readUInt16LE(40), message.readUInt32LE(44)] : [0, 0];
  return {
    nonce: message.subarray(24, 32),
    /** Pairs of attributes of the server, as received. */
    target: message.subarray(at, at + length),
    flags: message.readUInt32LE(20),
  };
}

export function authenticateMessage(
  challenge: NtlmChallenge,
  credentials: NtlmCredentials,
  {
    clientNonce = randomBytes(8),
    now = new Date(),
  }: { readonly clientNonce?: Buffer; readonly now?: Date } = {},
): Buffer {
  const sent = timestampOf(challenge.target);
  const time = sent ?? fileTime(now);
  const { lm, nt } = responses(challenge, credentials, { clientNonce, time });
  const { domain, username } = credentials;
  // Servers that send their time get no response of the older kind (§3.1.5.1.2).
  const parts = [
    sent === null ? lm : Buffer.alloc(24),
    nt,
    wide(domain),
    wide(username),
    wide(''),
    Buffer.alloc(0),
  ];
  const head = Buffer.alloc(AUTHENTICATE_HEAD);
  SIGNATURE.copy(head);
  head.writeUInt32LE(3, 8);
  let at = AUTHENTICATE_HEAD;
  for (const [index, part] of parts.entries()) {
    head.writeUInt16LE(part.length, 12 + index * 8);
    head.writeUInt16LE(part.length, 14 + index * 8);
    head.writeUInt32LE(at, 16 + index * 8);
    at += part.length;
  }
  head.writeUInt32LE(challenge.flags & FLAGS, 60);
  return Buffer.concat([head, ...parts]);
}

/** Returns the responses to a challenge (§3.3.2, `ComputeResponse`). */
export function responses(
  { nonce, target }: Pick<NtlmChallenge, 'nonce' | 'target'>,
  { username, password, domain }: NtlmCredentials,
  { clientNonce, time }: { readonly clientNonce: Buffer; readonly time: Buffer },
): { readonly lm: Buffer; readonly nt: Buffer } {
  const key = hmac(md4(wide(password)), wide(username.toUpperCase() + domain));
  const begin = Buffer.from([1, 1, 0, 0, 0, 0, 0, 0]);
  const blob = Buffer.concat([begin, time, clientNonce, Buffer.alloc(4), target, Buffer.alloc(4)]);
  const proof = hmac(key, Buffer.concat([nonce, blob]));
  const lm = Buffer.concat([hmac(key, Buffer.concat([nonce, clientNonce])), clientNonce]);
  return { lm, nt: Buffer.concat([proof, blob]) };
}

/** Returns the time among a server's attributes; null if there is none. */
function timestampOf(target: Buffer): Buffer | null {
  for (let at = 0; at + 4 <= target.length; ) {
    const [id, length] = [target.readUInt16LE(at), target.readUInt16LE(at + 2)];
    if (id === 0) break;
    if (id === TIMESTAMP && length === 8 && at + 12 <= target.length) return target.subarray(at + 4, at + 12);
    at += 4 + length;
  }
  return null;
}

function fileTime(date: Date): Buffer {
  const time = Buffer.alloc(8);
  time.writeBigUInt64LE((BigInt(date.getTime()) + SINCE_1601) * 10_000n);
  return time;
}

function wide(text: string): Buffer {
  return Buffer.from(text, 'utf16le');
}

function hmac(key: Buffer, data: Buffer): Buffer {
  return createHmac('md5', key).update(data).digest();
}

/** MD4 (RFC 1320), which NTLM needs and OpenSSL 3 has only in a provider that Node does not load. */
export function md4(data: Buffer): Buffer {
  const padded = Buffer.alloc(((data.length + 8) >> 6) * 64 + 64);
  data.copy(padded);
  padded[data.length] = 0x80;
  padded.writeBigUInt64LE(BigInt(data.length) * 8n, padded.length - 8);
  let state: State = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let at = 0; at < padded.length; at += 64) state = addBlock(state, padded.subarray(at, at + 64));
  const digest = Buffer.alloc(16);
  for (const [index, word] of state.entries()) digest.writeInt32LE(word | 0, index * 4);
  return digest;
}

function addBlock(state: State, block: Buffer): State {
  let [a, b, c, d] = state;
  for (const { mix, add, order, shifts } of ROUNDS)
    for (const [step, word] of order.entries()) {
      const sum = (a + mix(b, c, d) + block.readInt32LE(word * 4) + add) | 0;
      const shift = shifts[step % 4] ?? 0;
      [a, b, c, d] = [d, (sum << shift) | (sum >>> (32 - shift)), b, c];
    }
  return [(state[0] + a) | 0, (state[1] + b) | 0, (state[2] + c) | 0, (state[3] + d) | 0];
}
