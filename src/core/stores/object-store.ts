export interface StoredObject {
  readonly key: string;
  /** For messages: `gs://bucket/key`. */
  readonly url: string;
  /** Bytes, as stored. */
  readonly size: number;
  /** The version of these bytes under the key: a GCS generation, an S3 ETag, inode and time of a file. */
  readonly version: string;
  /** The checksums in the listing; may be empty. */
  readonly hashes: ObjectHashes;
}

export interface ObjectHashes {
  /** MD5, in hexadecimal digits. */
  readonly md5?: string;
  readonly crc32c?: number;
}

/** The check of an object's bytes after they have been read. */
export type Checksum =
  | { readonly kind: 'md5'; readonly hex: string }
  | { readonly kind: 'crc32c'; readonly value: number }
  /** S3's tag of an object uploaded in parts: the MD5 of the parts' MD5s, and the number of parts. */
  | { readonly kind: 'etag'; readonly etag: string; readonly partSizes: readonly number[] }
  | { readonly kind: 'length' };

/** A range of an object's bytes: the first one, and the first one after the range. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * A bucket, or a folder that acts as one. Every error is a `CrawlhouseError`: `store_access`, `bad_settings`,
 * `object_changed`, `store_unavailable`, `store_refused`, `connection`. Requests are retried if that may help, except
 * `read`.
 */
export interface ObjectStore extends AsyncDisposable {
  /** Yields every object whose key begins with `prefix`, in the byte order of keys. Only an error ends it early. */
  list(prefix: string, signal: AbortSignal): AsyncIterable<StoredObject>;
  /** Returns the strongest checksum that the store has for this version's content. */
  checksum(object: StoredObject, signal: AbortSignal): Promise<Checksum>;
  /**
   * Reads a range of exactly this version, in one attempt. If the object has another version or is gone, the error is
   * `object_changed`.
   */
  read(object: StoredObject, range: ByteRange, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Removes this version. Does nothing if this version no longer exists. A newer version stays. */
  remove(object: StoredObject, signal: AbortSignal): Promise<void>;
  /** Uploads a local file under a key, replacing any former object. */
  put(key: string, file: string, signal: AbortSignal): Promise<void>;
  /** The name of a key in other programs: `gs://bucket/key`. */
  url(key: string): string;
}
