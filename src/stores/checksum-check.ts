import { createHash, type Hash } from 'node:crypto';
import { crc32c } from '../core/files/crc32c.ts';
import type { Checksum } from './object-store.ts';

/** Takes the bytes of an object in order and says at the end whether they are what the store has. */
export interface ChecksumCheck {
  update(bytes: Uint8Array): void;
  holds(): boolean;
}

export function checksumCheck(checksum: Checksum): ChecksumCheck {
  switch (checksum.kind) {
    case 'md5': {
      const hash = createHash('md5');
      return {
        update: (bytes) => void hash.update(bytes),
        holds: () => hash.digest('hex') === checksum.hex,
      };
    }
    case 'crc32c': {
      let value = 0;
      return {
        update: (bytes) => {
          value = crc32c(bytes, value);
        },
        holds: () => value === checksum.value,
      };
    }
    case 'etag': {
      const parts = new PartHashes(checksum.partSizes);
      return { update: (bytes) => parts.update(bytes), holds: () => parts.etag() === checksum.etag };
    }
    case 'length':
      // The reader counts the length. There is no other check.
      return { update: () => {}, holds: () => true };
  }
}

/** The MD5 of each part, and of them all: how S3 makes the ETag of an object that was uploaded in parts. */
class PartHashes {
  readonly #sizes: readonly number[];
  readonly #whole: Hash = createHash('md5');
  #part: Hash = createHash('md5');
  #index = 0;
  #inPart = 0;

  constructor(sizes: readonly number[]) {
    this.#sizes = sizes;
  }

  update(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const size = this.#sizes[this.#index] ?? Number.POSITIVE_INFINITY;
      const piece = bytes.subarray(at, at + size - this.#inPart);
      this.#part.update(piece);
      this.#inPart += piece.length;
      at += piece.length;
      if (this.#inPart === size) this.#finishPart();
    }
  }

  etag(): string {
    // Bytes beyond the last part belong to none.
    return this.#inPart > 0 ? '' : `${this.#whole.digest('hex')}-${this.#index}`;
  }

  #finishPart(): void {
    this.#whole.update(this.#part.digest());
    this.#part = createHash('md5');
    this.#index++;
    this.#inPart = 0;
  }
}
