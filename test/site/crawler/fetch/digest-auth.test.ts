import { expect, test } from 'vitest';
import { digestAuthorization, readChallenge } from '../../../../src/site/crawler/fetch/digest-auth.ts';

const MUFASA = { username: 'Mufasa', password: 'Circle of Life' };
const NONCE = '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v';
const CLIENT_NONCE = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ';

/** The example of RFC 7616 §3.9.1. */
test.each([
  ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
  ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
])('the response to a challenge of %s matches RFC 7616', (algorithm, response) => {
  const challenge = readChallenge(
    `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="${NONCE}", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`,
  );
  if (challenge === null) throw new Error('no challenge');
  const request = { method: 'GET', uri: '/dir/index.html', count: 1, clientNonce: CLIENT_NONCE };
  const header = digestAuthorization(challenge, MUFASA, request);
  expect(header).toContain(`response="${response}"`);
  expect(header).toContain('nc=00000001');
});

/** The example of RFC 2069 §2.4, as its errata 749 corrects it. */
test('a challenge without qop is answered in the older form', () => {
  const challenge = readChallenge(
    'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"',
  );
  if (challenge === null) throw new Error('no challenge');
  const request = { method: 'GET', uri: '/dir/index.html', count: 1 };
  const header = digestAuthorization(challenge, { username: 'Mufasa', password: 'CircleOfLife' }, request);
  expect(header).toContain('response="1949323746fe6a43ef61f9606e7febea"');
  expect(header).not.toContain('cnonce');
});

test('the first supported challenge is used', () => {
  const header =
    'Basic realm="a", Digest realm="b", nonce="1", algorithm=UNKNOWN, Digest realm="c", nonce="2", qop="auth"';
  expect(readChallenge(header)).toMatchObject({ realm: 'c', nonce: '2', hasQop: true });
  expect(readChallenge('Digest realm="x", nonce="1", qop="auth-int"')).toBeNull();
  expect(readChallenge('Basic realm="a"')).toBeNull();
});
