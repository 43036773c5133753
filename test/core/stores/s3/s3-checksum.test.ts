import { expect, test } from 'vitest';
import { checksumOf, type HeadFacts, tellsParts } from '../../../../src/core/stores/s3/s3-store.ts';

const MD5 = '5d41402abc4b2a76b9719d911017c592';
const WHOLE = { ETag: `"${MD5}"`, ContentLength: 10 } satisfies HeadFacts;
const PARTS = { ETag: `"${MD5}-3"`, ContentLength: 10 } satisfies HeadFacts;
const CRC = { ChecksumCRC32C: 'mnG7TA==', ChecksumType: 'FULL_OBJECT' } as const;
const COMPOSITE = { ChecksumCRC32C: 'mnG7TA==-3', ChecksumType: 'COMPOSITE' } as const;
const LENGTH = { kind: 'length' };

test.for([
  ['an ETag of 32 digits', WHOLE, [], { kind: 'md5', hex: MD5 }],
  ['one in capitals, without quotes', { ...WHOLE, ETag: MD5.toUpperCase() }, [], { kind: 'md5', hex: MD5 }],
  ['an ETag beside a CRC-32C', { ...WHOLE, ...CRC }, [], { kind: 'md5', hex: MD5 }],
  ['a managed key of S3 itself', { ...WHOLE, ServerSideEncryption: 'AES256' }, [], { kind: 'md5', hex: MD5 }],
  ['a key of KMS', { ...WHOLE, ServerSideEncryption: 'aws:kms' }, [], LENGTH],
  ['two keys of KMS', { ...WHOLE, ServerSideEncryption: 'aws:kms:dsse' }, [], LENGTH],
  ["a customer's key", { ...WHOLE, SSECustomerAlgorithm: 'AES256' }, [], LENGTH],
  [
    'KMS with a CRC-32C',
    { ...WHOLE, ...CRC, ServerSideEncryption: 'aws:kms' },
    [],
    { kind: 'crc32c', value: 0x9a71bb4c },
  ],
  ['another kind of ETag', { ...WHOLE, ETag: '"opaque"' }, [], LENGTH],
  ['no ETag', { ContentLength: 10 }, [], LENGTH],
  ['parts with a CRC-32C of the whole', { ...PARTS, ...CRC }, [], { kind: 'crc32c', value: 0x9a71bb4c }],
  ['parts of known sizes', PARTS, [4, 4, 2], { kind: 'etag', etag: `${MD5}-3`, partSizes: [4, 4, 2] }],
  [
    'parts with a CRC-32C of each',
    { ...PARTS, ...COMPOSITE },
    [4, 4, 2],
    { kind: 'etag', etag: `${MD5}-3`, partSizes: [4, 4, 2] },
  ],
  ['a composite CRC-32C of one part', { ...PARTS, ...CRC, ChecksumType: 'COMPOSITE' }, [], LENGTH],
  ['a composite CRC-32C without its type', { ...PARTS, ChecksumCRC32C: 'mnG7TA==-3' }, [], LENGTH],
  ['parts of unknown sizes', PARTS, [], LENGTH],
  ['too few parts', PARTS, [5, 5], LENGTH],
  ['parts that do not add up', PARTS, [4, 4, 4], LENGTH],
] as const)('the metadata of S3 decides which checksum is verified: %s', ([, head, sizes, checksum]) => {
  expect(checksumOf(head as HeadFacts, sizes)).toEqual(checksum);
});

test('parts are requested only if there is no other checksum', () => {
  expect(tellsParts(PARTS)).toBe(true);
  expect(tellsParts({ ...PARTS, ...COMPOSITE })).toBe(true);
  for (const head of [
    WHOLE,
    { ...PARTS, ...CRC },
    { ...PARTS, ServerSideEncryption: 'aws:kms' as const },
    { ...PARTS, ETag: `"${MD5}-10001"` },
    { ...PARTS, ETag: '"opaque-3"' },
  ]) {
    expect(tellsParts(head)).toBe(false);
  }
});
