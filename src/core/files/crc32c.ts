const POLYNOMIAL = 0x82f63b78;
const SLICES = 8;

const TABLES: readonly Uint32Array[] = makeTables();

/**
 * CRC-32C (Castagnoli, RFC 3720 B.4), used by Google's and Amazon's object stores and missing in `node:zlib`. It takes
 * eight bytes a step. `previous` is the value so far, for data in chunks.
 */
export function crc32c(bytes: Uint8Array, previous = 0): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = TABLES as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  let crc = ~previous;
  let at = 0;
  const whole = bytes.length - (bytes.length % SLICES);
  for (; at < whole; at += SLICES) {
    const low = crc ^ word(bytes, at);
    const high = word(bytes, at + 4);
    crc =
      value(t7, low) ^
      value(t6, low >>> 8) ^
      value(t5, low >>> 16) ^
      value(t4, low >>> 24) ^
      value(t3, high) ^
      value(t2, high >>> 8) ^
      value(t1, high >>> 16) ^
      value(t0, high >>> 24);
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ value(t0, crc ^ (bytes[at] as number));
  return ~crc >>> 0;
}

/** Four bytes, little endian. */
function word(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

function value(table: Uint32Array, index: number): number {
  return table[index & 0xff] as number;
}

function makeTables(): Uint32Array[] {
  const first = Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    return crc;
  });
  const tables = [first];
  for (let slice = 1; slice < SLICES; slice++) {
    const before = tables[slice - 1] as Uint32Array;
    tables.push(Uint32Array.from(before, (crc) => (crc >>> 8) ^ value(first, crc)));
  }
  return tables;
}
