import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signWebhook, verifyWebhookSignature } from '../../src/client/webhook-signature.ts';

const SECRET = 'a secret of the test';

/** RFC 4231, test case 2. */
test('the signature is the lowercase hexadecimal HMAC-SHA256 of the raw bytes', () => {
  expect(signWebhook('what do ya want for nothing?', 'Jefe')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});

test('a signed body verifies, as text or as bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.string({ minLength: 8, maxLength: 100 }), (body, secret) => {
      expect(verifyWebhookSignature(body, signWebhook(body, secret), secret)).toBe(true);
    }),
  );
  expect(verifyWebhookSignature('{"é":1}', signWebhook(Buffer.from('{"é":1}'), SECRET), SECRET)).toBe(true);
});

test('one flipped bit of body, signature or secret fails the verification', () => {
  const flipped = (bytes: Uint8Array, bit: number): Uint8Array => {
    const copy = Uint8Array.from(bytes);
    const at = Math.floor(bit / 8) % copy.length;
    copy[at] = (copy[at] ?? 0) ^ (1 << (bit % 8));
    return copy;
  };
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), (body, bit) => {
      const signature = signWebhook(body, SECRET);
      const other = Buffer.from(flipped(Buffer.from(signature), bit)).toString('latin1');
      const secret = Buffer.from(flipped(Buffer.from(SECRET), bit - (bit % 8))).toString('latin1');
      expect(verifyWebhookSignature(flipped(body, bit), signature, SECRET)).toBe(false);
      expect(verifyWebhookSignature(body, other, SECRET)).toBe(false);
      expect(verifyWebhookSignature(body, signature, secret)).toBe(false);
    }),
  );
});

test('only 64 lowercase hex digits are accepted', () => {
  const signature = signWebhook('body', SECRET);
  for (const header of [
    undefined,
    '',
    signature.toUpperCase(),
    `sha256=${signature}`,
    ` ${signature}`,
    `${signature}\n`,
    signature.slice(1),
    `${signature}0`,
    [signature],
  ]) {
    expect(verifyWebhookSignature('body', header, SECRET), JSON.stringify(header)).toBe(false);
  }
  expect(verifyWebhookSignature('body', signWebhook('body', ''), '')).toBe(false);
});
