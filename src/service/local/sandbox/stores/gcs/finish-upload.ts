import type { Received } from '../object-folder.ts';
import type { IndexedObject } from '../object-index.ts';
import { GcsError } from './gcs-error.ts';
import { checkConditions, type GcsRequest } from './gcs-request.ts';
import { headersOf, type UploadMetadata } from './object-resource.ts';

export interface Upload {
  readonly key: string;
  readonly metadata: UploadMetadata;
  readonly contentType: string | undefined;
}

/**
 * Makes an object of what arrived, once the checksums that the uploader named and its conditions hold.
 *
 * @throws GcsError; then what arrived is dropped
 */
export async function finishUpload(
  { folder, request, bucket }: GcsRequest,
  { key, metadata, contentType }: Upload,
  received: Received,
): Promise<IndexedObject> {
  const md5 = received.digests.value('md5').toString('base64');
  const crc32c = received.digests.value('crc32c').toString('base64');
  try {
    checkConditions(request, folder.index.object(bucket, key));
    const claimed = [...hashHeader(request.headers['x-goog-hash']), metadata.md5Hash, metadata.crc32c];
    const wrong = claimed.find((sum) => sum !== undefined && sum !== md5 && sum !== crc32c);
    if (wrong !== undefined)
      throw new GcsError(400, `Provided checksum ${wrong} doesn't match what was received.`);
  } catch (error) {
    await folder.drop(received);
    throw error;
  }
  const headers = headersOf(metadata, contentType);
  return folder.put(received, { bucket, key, headers, checksums: { md5, crc32c } });
}

function hashHeader(header: string | undefined): string[] {
  return (header ?? '')
    .split(/\s*,\s*/)
    .filter((part) => part !== '')
    .map((part) => part.replace(/^\w+=/, ''));
}

/** @throws GcsError for metadata that are no JSON object */
export function parseMetadata(text: string): UploadMetadata {
  if (text.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch {
    // Not JSON: refused below.
  }
  throw new GcsError(400, 'Parse Error: the metadata are not a JSON object');
}
