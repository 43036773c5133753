/** MD4 (RFC 1320), which NTLM needs and OpenSSL 3 has only in a provider that Node does not load. */
export function md4(data: Buffer): Buffer {
  const padded = Buffer.alloc(((data.length + 8) >> 6) * 64 + 64);
  data.copy(padded);
  padded[data.length] = 0x80;
  padded.writeBigUInt64LE(BigInt(data.length) * 8n, padded.length - 8);
  let state: State = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let at = 0; at < padded.length; at += 64) state = addBlock(state, padded.subarray(at, at + 64));
  const digest = Buffer.alloc(16);
  for (const [index, word] of state.entries()) digest.writeInt32LE(word | 0, index * 4);
  return digest;
}

type State = readonly [number, number, number, number];

interface Round {
  readonly mix: (x: number, y: number, z: number) => number;
  readonly add: number;
  readonly order: readonly number[];
  readonly shifts: readonly number[];
}

const ROUNDS: readonly Round[] = [
  {
    mix: (x, y, z) => (x & y) | (~x & z),
    add: 0,
    order: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    shifts: [3, 7, 11, 19],
  },
  {
    mix: (x, y, z) => (x & y) | (x & z) | (y & z),
    add: 0x5a827999,
    order: [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
    shifts: [3, 5, 9, 13],
  },
  {
    mix: (x, y, z) => x ^ y ^ z,
    add: 0x6ed9eba1,
    order: [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
    shifts: [3, 9, 11, 15],
  },
];

function addBlock(state: State, block: Buffer): State {
  let [a, b, c, d] = state;
  for (const { mix, add, order, shifts } of ROUNDS)
    for (const [step, word] of order.entries()) {
      const sum = (a + mix(b, c, d) + block.readInt32LE(word * 4) + add) | 0;
      const shift = shifts[step % 4] ?? 0;
      [a, b, c, d] = [d, (sum << shift) | (sum >>> (32 - shift)), b, c];
    }
  return [state[0] + a, state[1] + b, state[2] + c, state[3] + d].map((word) => word | 0) as unknown as State;
}
