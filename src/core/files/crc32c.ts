const POLYNOMIAL = 0x82f63b78;
const SLICES = 8;

/** For each of eight bytes that are processed together, the contribution of each of its 256 values. */
const TABLE = makeTable();

/**
 * CRC-32C (Castagnoli, RFC 3720 B.4), used by Google's and Amazon's object stores and missing in `node:zlib`. It
 * processes eight bytes per step. `previous` is the value so far, for data in chunks.
 */
export function crc32c(bytes: Uint8Array, previous = 0): number {
  let crc = ~previous;
  let at = 0;
  const whole = bytes.length - (bytes.length % SLICES);
  for (; at < whole; at += SLICES) {
    const low = crc ^ word(bytes, at);
    const high = word(bytes, at + 4);
    crc =
      value(7, low) ^
      value(6, low >>> 8) ^
      value(5, low >>> 16) ^
      value(4, low >>> 24) ^
      value(3, high) ^
      value(2, high >>> 8) ^
      value(1, high >>> 16) ^
      value(0, high >>> 24);
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ value(0, crc ^ (bytes[at] as number));
  return ~crc >>> 0;
}

/** Reads four bytes, little endian. */
function word(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

function value(slice: number, index: number): number {
  return TABLE[(slice << 8) | (index & 0xff)] as number;
}

function makeTable(): Uint32Array {
  const table = new Uint32Array(SLICES * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    table[byte] = crc;
  }
  // The contribution of a byte followed by one more byte.
  for (let at = 256; at < table.length; at++) {
    const crc = table[at - 256] as number;
    table[at] = (crc >>> 8) ^ (table[crc & 0xff] as number);
  }
  return table;
}
