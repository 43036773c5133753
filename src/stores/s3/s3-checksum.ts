import type { HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import type { Checksum } from '../object-store.ts';

/** S3's own limit. */
const MOST_PARTS = 10_000;

/** The parts of `HeadObject` that show how to check the content. */
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

/** Whether the check of the ETag needs the sizes of the parts. */
export function tellsParts(head: HeadFacts): boolean {
  const { parts } = tagOf(head);
  return parts > 0 && parts <= MOST_PARTS && madeOfMd5(head) && wholeCrc32c(head) === undefined;
}

/**
 * The check of an object's bytes. In this order: the ETag if it is an MD5, a CRC-32C of the whole, the ETag of parts of
 * known sizes, or the length.
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

/** Under a KMS key or a customer's key, an ETag is not an MD5 of the content. */
function madeOfMd5({ ServerSideEncryption, SSECustomerAlgorithm }: HeadFacts): boolean {
  return SSECustomerAlgorithm === undefined && !ServerSideEncryption?.startsWith('aws:kms');
}

/** A checksum of type COMPOSITE is one of the parts' checksums and reads `value-N`. */
function wholeCrc32c({ ChecksumCRC32C, ChecksumType }: HeadFacts): number | undefined {
  if (ChecksumCRC32C === undefined || ChecksumType === 'COMPOSITE') return undefined;
  const bytes = Buffer.from(ChecksumCRC32C, 'base64');
  return bytes.length === 4 && !ChecksumCRC32C.includes('-') ? bytes.readUInt32BE() : undefined;
}
