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
  /** S3's tag of an object that came in parts: the MD5 of the parts' MD5s, and how many parts there were. */
  | { readonly kind: 'etag'; readonly etag: string; readonly partSizes: readonly number[] }
  | { readonly kind: 'length' };

/** Bytes of an object: the first, and the first that no longer belongs. */
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
  /** Every object whose key begins with `prefix`, in the order of their keys' bytes. Ends early only by an error. */
  list(prefix: string, signal: AbortSignal): AsyncIterable<StoredObject>;
  /** The strongest checksum that the store has of this version's content. */
  checksum(object: StoredObject, signal: AbortSignal): Promise<Checksum>;
  /**
   * A range of exactly this version, tried once. If the object has another version or is gone, the error is
   * `object_changed`.
   */
  read(object: StoredObject, range: ByteRange, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Removes this version. It is no error if it is gone already, and a newer version stays. */
  remove(object: StoredObject, signal: AbortSignal): Promise<void>;
  /** Uploads a local file under a key, in place of what was there. */
  put(key: string, file: string, signal: AbortSignal): Promise<void>;
  /** As other programs name a key: `gs://bucket/key`. */
  url(key: string): string;
}
