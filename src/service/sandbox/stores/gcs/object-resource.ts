import type { IndexedObject } from '../object-index.ts';

/** Returns the JSON API's resource of an object; `base` is the address of the store. */
export function objectResource(object: IndexedObject, base: string): Record<string, unknown> {
  const { bucket, key, generation, headers, checksums } = object;
  const path = `b/${encodeURIComponent(bucket)}/o/${encodeURIComponent(key)}`;
  const time = new Date(object.updatedAt).toISOString();
  const metadata = Object.entries(headers)
    .filter(([name]) => name.startsWith(METADATA))
    .map(([name, value]) => [name.slice(METADATA.length), value]);
  return {
    kind: 'storage#object',
    id: `${bucket}/${key}/${generation}`,
    selfLink: `${base}/storage/v1/${path}`,
    mediaLink: `${base}/download/storage/v1/${path}?generation=${generation}&alt=media`,
    name: key,
    bucket,
    generation,
    metageneration: '1',
    contentType: headers['content-type'],
    ...(headers['content-encoding'] === undefined ? {} : { contentEncoding: headers['content-encoding'] }),
    ...(metadata.length === 0 ? {} : { metadata: Object.fromEntries(metadata) }),
    storageClass: 'STANDARD',
    size: String(object.size),
    md5Hash: checksums.md5,
    crc32c: checksums.crc32c,
    etag: object.etag,
    timeCreated: time,
    updated: time,
  };
}

const METADATA = 'x-goog-meta-';

/** The stored fields of an object's resource, from its uploader. */
export interface UploadMetadata {
  readonly name?: string;
  readonly contentType?: string;
  readonly contentEncoding?: string;
  readonly md5Hash?: string;
  readonly crc32c?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export function headersOf(metadata: UploadMetadata, contentType: string | undefined): Record<string, string> {
  const own = Object.entries(metadata.metadata ?? {}).map(([name, value]) => [
    METADATA + name,
    String(value),
  ]);
  return {
    ...Object.fromEntries(own),
    'content-type': metadata.contentType ?? contentType ?? 'application/octet-stream',
    ...(metadata.contentEncoding === undefined ? {} : { 'content-encoding': metadata.contentEncoding }),
  };
}
