import { text } from 'node:stream/consumers';
import { CHECKSUMS, type ChecksumName } from '../digests.ts';
import type { ObjectFolder, Received } from '../object-folder.ts';
import type { StoreRequest } from '../store-server.ts';
import { S3Error } from './s3-error.ts';
import { UNSIGNED_PAYLOAD } from './signature.ts';

/** A request with a valid signature, for one bucket or object. */
export interface S3Request {
  readonly folder: ObjectFolder;
  readonly request: StoreRequest;
  readonly bucket: string;
  /** Empty for the bucket itself. */
  readonly key: string;
  /** The hash of the body, or its form (`x-amz-content-sha256`). */
  readonly payloadHash: string;
}

const LONGEST_LINE = 16 * 1024;

const CHUNKED = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
const PREFIX = 'x-amz-checksum-';

/** Received bytes and the checksum that was sent with them, by name, in base64. */
export interface CheckedBody extends Received {
  readonly checksums: Readonly<Record<string, string>>;
}

/**
 * Writes the body of an upload to a file. Checks the hash, the length and the checksums in headers or trailers.
 *
 * @throws S3Error, after dropping the body
 */
export async function receiveBody({ folder, request, payloadHash }: S3Request): Promise<CheckedBody> {
  const { headers } = request;
  if (payloadHash.startsWith('STREAMING-') && payloadHash !== CHUNKED)
    throw new S3Error('NotImplemented', `a body of ${payloadHash} is not read here`);
  const chunked = payloadHash === CHUNKED;
  if (!chunked && headers['content-length'] === undefined && headers['transfer-encoding'] === undefined)
    throw new S3Error('MissingContentLength', 'You must provide the Content-Length HTTP header');
  const trailers = new Map<string, string>();
  const body = chunked ? awsChunked(request.body, trailers) : request.body;
  const announced = announcedChecksums(headers);
  const received = await folder.receive(body, ['md5', 'sha256', ...announced]);
  try {
    const claimed = new Map([...Object.entries(headers), ...trailers]);
    check(received, claimed, payloadHash, chunked);
    const checksums = announced.map((name) => [name, received.digests.value(name).toString('base64')]);
    return { ...received, checksums: Object.fromEntries(checksums) };
  } catch (error) {
    await folder.drop(received);
    throw error;
  }
}

/** Checksums in a header, or announced for a trailer. */
function announcedChecksums(headers: StoreRequest['headers']): ChecksumName[] {
  const names = [...Object.keys(headers), ...(headers['x-amz-trailer'] ?? '').split(/\s*,\s*/)]
    .map((name) => name.toLowerCase())
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length))
    .filter((name) => name !== 'algorithm' && name !== 'type' && name !== 'mode');
  return [...new Set(names)].map((name) => {
    const known = CHECKSUMS.find((checksum) => checksum === name);
    if (known === undefined) throw new S3Error('NotImplemented', `the checksum ${name} is not computed here`);
    return known;
  });
}

function check(
  { digests }: Received,
  claimed: ReadonlyMap<string, string>,
  payloadHash: string,
  chunked: boolean,
): void {
  const length = claimed.get(chunked ? 'x-amz-decoded-content-length' : 'content-length');
  if (length !== undefined && Number(length) !== digests.size)
    throw new S3Error('IncompleteBody', `The body has ${digests.size} bytes, not ${length}`);
  if (!chunked && payloadHash !== UNSIGNED_PAYLOAD && digests.value('sha256').toString('hex') !== payloadHash)
    throw new S3Error(
      'XAmzContentSHA256Mismatch',
      'The provided x-amz-content-sha256 does not match the body',
    );
  const md5 = claimed.get('content-md5');
  if (md5 !== undefined && md5 !== digests.value('md5').toString('base64'))
    throw new S3Error('BadDigest', 'The Content-MD5 you specified did not match what we received');
  for (const name of CHECKSUMS) {
    const value = claimed.get(`${PREFIX}${name}`);
    if (value !== undefined && value !== digests.value(name).toString('base64'))
      throw new S3Error('BadDigest', `The ${name} you specified did not match what we received`);
  }
}

/** Returns a small body as text, with the same checks. */
export async function receiveText(call: S3Request): Promise<string> {
  const received = await receiveBody(call);
  try {
    if (received.digests.size > 4 * 1024 * 1024) throw new S3Error('MalformedXML', 'The XML is too long');
    return await text(await call.folder.read(received, undefined));
  } finally {
    await call.folder.drop(received);
  }
}

/**
 * Returns the bytes in a body of content encoding `aws-chunked`: chunks, each under a line with its size in
 * hexadecimal, then trailers, which are put into `trailers` by their lowercase names once all bytes have been read.
 */
async function* awsChunked(
  body: AsyncIterable<Buffer>,
  trailers: Map<string, string>,
): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  let left: number | undefined;
  let ended = false;
  for await (const piece of body) {
    held = held.length === 0 ? piece : Buffer.concat([held, piece]);
    for (;;) {
      if (left !== undefined && left > 0) {
        if (held.length === 0) break;
        const bytes = held.subarray(0, left);
        left -= bytes.length;
        held = held.subarray(bytes.length);
        yield bytes;
        continue;
      }
      const end = held.indexOf('\r\n');
      if (end < 0) {
        if (held.length > LONGEST_LINE) throw broken('a line is too long');
        break;
      }
      const line = held.subarray(0, end).toString('latin1');
      held = held.subarray(end + 2);
      if (ended) {
        const at = line.indexOf(':');
        if (at > 0) trailers.set(line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim());
      } else if (left === 0) {
        if (line !== '') throw broken('a chunk is longer than its size');
        left = undefined;
      } else {
        left = sizeOf(line);
        ended = left === 0;
      }
    }
  }
  if (!ended) throw broken('the last chunk is missing');
}

function sizeOf(line: string): number {
  const size = /^([0-9a-f]{1,10})(;.*)?$/i.exec(line)?.[1];
  if (size === undefined) throw broken(`${JSON.stringify(line.slice(0, 40))} is not the size of a chunk`);
  return Number.parseInt(size, 16);
}

function broken(why: string): S3Error {
  return new S3Error('IncompleteBody', `The body is not aws-chunked: ${why}`);
}
