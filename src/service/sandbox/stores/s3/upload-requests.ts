import { createHash } from 'node:crypto';
import type { PartedUpload, UploadedPart } from '../object-index.ts';
import type { StoreAnswer } from '../store-server.ts';
import { keptHeaders } from './object-requests.ts';
import { receiveBody, receiveText, type S3Request } from './receive-body.ts';
import { S3Error } from './s3-error.ts';
import { elements, xmlDocument, xmlText } from './xml.ts';

const MOST_PARTS = 10_000;
/** Every part but the last has at least 5 MiB, as in S3. */
const SMALLEST_PART = 5 * 1024 * 1024;

export function createUpload({ folder, request, bucket, key }: S3Request): StoreAnswer {
  const { id } = folder.beginUpload({ bucket, key, headers: keptHeaders(request.headers) });
  const fields = { Bucket: bucket, Key: key, UploadId: id };
  return { status: 200, body: xmlDocument('InitiateMultipartUploadResult', fields) };
}

export async function uploadPart(call: S3Request): Promise<StoreAnswer> {
  const { id } = uploadOf(call);
  const number = Number(call.request.query.get('partNumber'));
  if (!(Number.isInteger(number) && number >= 1 && number <= MOST_PARTS))
    throw new S3Error('InvalidArgument', `Part number must be an integer between 1 and ${MOST_PARTS}`);
  const { checksums, ...received } = await receiveBody(call);
  const part = await call.folder.putPart(id, number, received);
  const sums = Object.entries(checksums).map(([name, value]) => [`x-amz-checksum-${name}`, value]);
  return { status: 200, headers: { etag: `"${part.md5}"`, ...Object.fromEntries(sums) } };
}

export async function completeUpload(call: S3Request): Promise<StoreAnswer> {
  const { folder, bucket, key } = call;
  const upload = uploadOf(call);
  const parts = partsOf(await receiveText(call), folder.index.parts(upload.id));
  const received = await folder.receive(folder.readParts(parts), ['md5']);
  const md5s = Buffer.concat(parts.map((part) => Buffer.from(part.md5, 'hex')));
  const etag = `${createHash('md5').update(md5s).digest('hex')}-${parts.length}`;
  const sizes = parts.map((part) => part.size);
  await folder.put(received, { bucket, key, headers: upload.headers, checksums: {}, etag, parts: sizes });
  await folder.endUpload(upload.id);
  const fields = { Location: `/${bucket}/${key}`, Bucket: bucket, Key: key, ETag: `"${etag}"` };
  return { status: 200, body: xmlDocument('CompleteMultipartUploadResult', fields) };
}

export async function abortUpload(call: S3Request): Promise<StoreAnswer> {
  await call.folder.endUpload(uploadOf(call).id);
  return { status: 204 };
}

function uploadOf({ folder, request, bucket, key }: S3Request): PartedUpload {
  const upload = folder.index.upload(request.query.get('uploadId') ?? '');
  if (upload?.bucket !== bucket || upload.key !== key)
    throw new S3Error('NoSuchUpload', 'The specified multipart upload does not exist');
  return upload;
}

/** Returns the parts that a completion names, in its order, checked against the uploaded ones. */
function partsOf(xml: string, uploaded: readonly UploadedPart[]): UploadedPart[] {
  const named = elements(xml, 'Part').map((part) => ({
    number: Number(elements(part, 'PartNumber')[0]),
    md5: xmlText(elements(part, 'ETag')[0] ?? '').replaceAll('"', ''),
  }));
  if (named.length === 0) throw new S3Error('MalformedXML', 'The XML names no part');
  if (named.some((part, index) => part.number <= (named[index - 1]?.number ?? 0)))
    throw new S3Error('InvalidPartOrder', 'The list of parts was not in ascending order');
  const parts = named.map(({ number, md5 }) => {
    const part = uploaded.find((part) => part.number === number && part.md5 === md5);
    if (part === undefined)
      throw new S3Error('InvalidPart', `The part ${number} could not be found, or its ETag does not match`);
    return part;
  });
  if (parts.slice(0, -1).some((part) => part.size < SMALLEST_PART))
    throw new S3Error('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size');
  return parts;
}
