import { expect, test } from 'vitest';
import { checkSignature, type Signable } from '../../../../../src/service/sandbox/stores/s3/signature.ts';

/** The example of Amazon's documentation of Signature Version 4 for S3. */
const KEY = 'AKIAIOSFODNN7EXAMPLE';
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const AT = Date.parse('2013-05-24T00:00:00Z');
const NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const SCOPE = '20130524/us-east-1/s3/aws4_request';
const LIFECYCLE = 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543';
const RULES = { region: 'us-east-1', secretOf: (key: string) => (key === KEY ? SECRET : undefined), now: AT };

interface Header {
  readonly scope?: string;
  readonly key?: string;
  readonly names?: string;
  readonly signature?: string;
}
const authorized = ({ scope = SCOPE, key = KEY, names, signature = LIFECYCLE }: Header = {}): string =>
  `AWS4-HMAC-SHA256 Credential=${key}/${scope}, SignedHeaders=${names ?? 'host;x-amz-content-sha256;x-amz-date'}, Signature=${signature}`;
const headers = (more: Readonly<Record<string, string>> = {}) => ({
  host: 'examplebucket.s3.amazonaws.com',
  'x-amz-content-sha256': NOTHING,
  'x-amz-date': '20130524T000000Z',
  authorization: authorized(),
  ...more,
});
const request = (more: Partial<Signable> = {}): Signable => ({
  ...{ method: 'GET', path: '/', rawQuery: 'lifecycle', headers: headers() },
  ...more,
});
const PRESIGNED = [
  'X-Amz-Algorithm=AWS4-HMAC-SHA256',
  `X-Amz-Credential=${encodeURIComponent(`${KEY}/${SCOPE}`)}`,
  'X-Amz-Date=20130524T000000Z',
  'X-Amz-Expires=86400',
  'X-Amz-SignedHeaders=host',
];
const OF_LINK = 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404';
const link = (more: readonly string[] = PRESIGNED): Signable => ({
  method: 'GET',
  path: '/test.txt',
  rawQuery: [...more, `X-Amz-Signature=${OF_LINK}`].join('&'),
  headers: { host: 'examplebucket.s3.amazonaws.com' },
});
const changed = (name: string, value: string): Signable =>
  link(PRESIGNED.map((pair) => (pair.startsWith(`${name}=`) ? `${name}=${value}` : pair)));

test('the requests of the documentation have the signatures of the documentation', () => {
  expect(checkSignature(request(), RULES)).toBe(NOTHING);
  const names = 'host;range;x-amz-content-sha256;x-amz-date';
  const signature = 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41';
  const ranged = headers({ range: 'bytes=0-9', authorization: authorized({ names, signature }) });
  expect(checkSignature(request({ path: '/test.txt', rawQuery: '', headers: ranged }), RULES)).toBe(NOTHING);
  const list = '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7';
  for (const rawQuery of ['max-keys=2&prefix=J', 'prefix=J&max-keys=2&'])
    checkSignature(
      request({ rawQuery, headers: headers({ authorization: authorized({ signature: list }) }) }),
      RULES,
    );
  const payload = '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072';
  const put = headers({
    date: 'Fri, 24 May 2013 00:00:00 GMT',
    'x-amz-content-sha256': payload,
    'x-amz-storage-class': '  REDUCED_REDUNDANCY ',
    authorization: authorized({
      names: 'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
      signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    }),
  });
  const path = '/test%24file.text';
  expect(checkSignature(request({ method: 'PUT', path, rawQuery: '', headers: put }), RULES)).toBe(payload);
  expect(checkSignature(link(), RULES)).toBe('UNSIGNED-PAYLOAD');
});

test.each<[string, Signable]>([
  ['InvalidAccessKeyId', request({ headers: headers({ authorization: authorized({ key: 'OTHER' }) }) })],
  ['SignatureDoesNotMatch', request({ rawQuery: '' })],
  ['SignatureDoesNotMatch', request({ rawQuery: 'lifecycle=1' })],
  ['SignatureDoesNotMatch', request({ method: 'PUT' })],
  [
    'SignatureDoesNotMatch',
    request({ headers: headers({ authorization: authorized({ signature: 'ab' }) }) }),
  ],
  ['SignatureDoesNotMatch', request({ path: '/%zz' })],
  ['AccessDenied', request({ headers: headers({ 'x-amz-acl': 'public-read' }) })],
  [
    'AccessDenied',
    request({
      headers: headers({ authorization: authorized({ names: 'x-amz-content-sha256;x-amz-date' }) }),
    }),
  ],
  ['AccessDenied', request({ headers: { host: 'a' } })],
  ['AccessDenied', request({ headers: headers({ 'x-amz-date': '24 o’clock' }) })],
  ['InvalidRequest', request({ headers: { host: 'a', authorization: authorized() } })],
  ['AuthorizationHeaderMalformed', request({ headers: headers({ authorization: 'Basic x' }) })],
  [
    'AuthorizationHeaderMalformed',
    request({ headers: headers({ authorization: authorized({ scope: '20130524/eu-1/s3/aws4_request' }) }) }),
  ],
  [
    'AuthorizationHeaderMalformed',
    request({
      headers: headers({ authorization: authorized({ scope: '20130524/us-east-1/ec2/aws4_request' }) }),
    }),
  ],
  [
    'AuthorizationHeaderMalformed',
    request({ headers: headers({ authorization: authorized({ scope: '20130524/us-east-1/s3/aws4' }) }) }),
  ],
  [
    'AuthorizationHeaderMalformed',
    request({
      headers: headers({ authorization: authorized({ scope: '20130525/us-east-1/s3/aws4_request' }) }),
    }),
  ],
  ['AuthorizationQueryParametersError', changed('X-Amz-Algorithm', 'AWS4')],
  ['AuthorizationQueryParametersError', changed('X-Amz-Expires', '0')],
  ['AuthorizationQueryParametersError', changed('X-Amz-Expires', '604801')],
  ['SignatureDoesNotMatch', changed('X-Amz-Expires', '604800')],
  ['SignatureDoesNotMatch', changed('X-Amz-Expires', '1')],
  ['AuthorizationQueryParametersError', changed('X-Amz-Credential', `${KEY}/20130524/eu-1/s3/aws4_request`)],
])('%s refuses request %#', (code, refused) => {
  expect(() => checkSignature(refused, RULES)).toThrow(expect.objectContaining({ code }));
});

test('a request may be 15 minutes off, and a link from 15 minutes before its time to its end', () => {
  const quarter = 15 * 60_000;
  const check = (signed: Signable, after: number): unknown => {
    try {
      return checkSignature(signed, { ...RULES, now: AT + after });
    } catch (error) {
      return `${(error as { code: string }).code}: ${(error as Error).message}`;
    }
  };
  for (const after of [quarter, -quarter]) expect(check(request(), after)).toBe(NOTHING);
  for (const after of [quarter + 1, -quarter - 1])
    expect(check(request(), after)).toMatch(/^RequestTimeTooSkewed: /);
  for (const after of [-quarter, 86_400_000]) expect(check(link(), after)).toBe('UNSIGNED-PAYLOAD');
  expect(check(link(), 86_400_001)).toBe('AccessDenied: Request has expired');
  expect(check(link(), -quarter - 1)).toBe('AccessDenied: Request is not valid yet');
});
