import { expect, test } from 'vitest';
import {
  authenticateMessage,
  md4,
  negotiateMessage,
  readChallenge,
  responses,
} from '../../../../src/site/crawler/fetch/ntlm-auth.ts';

/** RFC 1320, appendix A.5. */
test.each([
  ['', '31d6cfe0d16ae931b73c59d7e0c089c0'],
  ['a', 'bde52cb31de33e46245e05fbdbd6fb24'],
  ['abc', 'a448017aaf21d8525fc10ae87aa6729d'],
  ['message digest', 'd9130a8164549fe818874806e1c7014b'],
  ['abcdefghijklmnopqrstuvwxyz', 'd79e1c308aa5bbcdeea8ed63df412da9'],
  ['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', '043f8582f241db351ce627e153e7f0e4'],
  ['1234567890'.repeat(8), 'e33b4ddc9c38f2199c3e7b164fcc0536'],
])('MD4 of %j', (text, digest) => {
  expect(md4(Buffer.from(text)).toString('hex')).toBe(digest);
});

const USER = { username: 'User', password: 'Password', domain: 'Domain' };
const NONCE = Buffer.from('0123456789abcdef', 'hex');
const CLIENT_NONCE = Buffer.alloc(8, 0xaa);
const pair = (id: number, value: Buffer): Buffer => {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id, 0);
  head.writeUInt16LE(value.length, 2);
  return Buffer.concat([head, value]);
};
const wide = (text: string): Buffer => Buffer.from(text, 'utf16le');
const TARGET = Buffer.concat([pair(2, wide('Domain')), pair(1, wide('Server')), Buffer.alloc(4)]);

/** MS-NLMP §4.2.4. */
test('NTLMv2 responses match the specification', () => {
  const given = { clientNonce: CLIENT_NONCE, time: Buffer.alloc(8) };
  const { lm, nt } = responses({ nonce: NONCE, target: TARGET }, USER, given);
  expect(lm.toString('hex')).toBe('86c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa');
  expect(nt.subarray(0, 16).toString('hex')).toBe('68cd0ab851e51c96aabc927bebef6a1c');
});

function challengeMessage(target: Buffer): Buffer {
  const head = Buffer.alloc(56);
  Buffer.from('NTLMSSP\0').copy(head);
  head.writeUInt32LE(2, 8);
  head.writeUInt32LE(0xe28a8233, 20);
  NONCE.copy(head, 24);
  head.writeUInt16LE(target.length, 40);
  head.writeUInt16LE(target.length, 42);
  head.writeUInt32LE(56, 44);
  return Buffer.concat([head, target]);
}

test('a server time in the challenge is echoed, without an older response', () => {
  const time = Buffer.from('0102030405060708', 'hex');
  const target = Buffer.concat([pair(7, time), TARGET]);
  const challenge = readChallenge(challengeMessage(target));
  if (challenge === null) throw new Error('no challenge');
  const message = authenticateMessage(challenge, USER, { clientNonce: CLIENT_NONCE });
  const field = (index: number): Buffer => {
    const [length, at] = [message.readUInt16LE(12 + index * 8), message.readUInt32LE(16 + index * 8)];
    return message.subarray(at, at + length);
  };
  expect(field(0)).toEqual(Buffer.alloc(24));
  expect(field(1).subarray(24, 32)).toEqual(time);
  expect([2, 3].map((index) => field(index).toString('utf16le'))).toEqual(['Domain', 'User']);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['another message', negotiateMessage()],
  ['a cut one', challengeMessage(TARGET).subarray(0, 30)],
  ['other bytes', Buffer.alloc(64, 7)],
])('%s is not a challenge', (_name, message) => {
  expect(readChallenge(message)).toBeNull();
});

test('a challenge with invalid offsets is still answered', () => {
  const message = challengeMessage(Buffer.alloc(0));
  message.writeUInt16LE(60_000, 40);
  message.writeUInt32LE(0xfffffff0, 44);
  const challenge = readChallenge(message);
  expect(challenge?.target).toHaveLength(0);
  if (challenge !== null) expect(authenticateMessage(challenge, USER).length).toBeGreaterThan(64);
});
