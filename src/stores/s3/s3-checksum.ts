import type { HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import type { Checksum } from '../object-store.ts';

/** S3's own limit. */
const MOST_PARTS = 10_000;

/** What of `HeadObject` tells how the content can be checked. */
export type HeadFacts = Pick<
  HeadObjectCommandOutput,
  | 'ETag'
  | 'ContentLength'
  | 'ServerSideEncryption'
  | 'SSECustomerAlgorithm'
  | 'ChecksumCRC32C'
  | 'ChecksumType'
>;

/** An ETag's hexadecimal digits and its number of parts: 0 for an object that came in one piece. */
export function tagOf({ ETag }: HeadFacts): { readonly tag: string; readonly parts: number } {
  const [, tag = '', parts = '0'] = /^"?([0-9a-f]{32})(?:-(\d+))?"?$/i.exec(ETag ?? '') ?? [];
  return { tag: tag.toLowerCase(), parts: Number(parts) };
}

/** Whether only the parts' sizes can tell what the ETag was made of. */
export function tellsParts(head: HeadFacts): boolean {
  const { parts } = tagOf(head);
  return parts > 0 && parts <= MOST_PARTS && madeOfMd5(head) && wholeCrc32c(head) === undefined;
}

/**
 * How the bytes of an object can be held to what S3 says: the ETag where it is an MD5, else a CRC-32C of the whole, else
 * the ETag of the parts whose sizes are known, else their number.
 */
export function checksumOf(head: HeadFacts, partSizes: readonly number[]): Checksum {
  const { tag, parts } = tagOf(head);
  if (tag !== '' && parts === 0 && madeOfMd5(head)) return { kind: 'md5', hex: tag };
  const crc32c = wholeCrc32c(head);
  if (crc32c !== undefined) return { kind: 'crc32c', value: crc32c };
  const sum = partSizes.reduce((total, size) => total + size, 0);
  if (partSizes.length === 0 || partSizes.length !== parts || sum !== head.ContentLength) {
    return { kind: 'length' };
  }
  return { kind: 'etag', etag: `${tag}-${parts}`, partSizes };
}

/** Under a key of its own (KMS, or one that the customer brings) an ETag is no MD5 of the content. */
function madeOfMd5({ ServerSideEncryption, SSECustomerAlgorithm }: HeadFacts): boolean {
  return SSECustomerAlgorithm === undefined && !ServerSideEncryption?.startsWith('aws:kms');
}

/** A checksum of type COMPOSITE is one of the parts' checksums and reads `value-N`. */
function wholeCrc32c({ ChecksumCRC32C, ChecksumType }: HeadFacts): number | undefined {
  if (ChecksumCRC32C === undefined || ChecksumType === 'COMPOSITE') return undefined;
  const bytes = Buffer.from(ChecksumCRC32C, 'base64');
  return bytes.length === 4 && !ChecksumCRC32C.includes('-') ? bytes.readUInt32BE() : undefined;
}
