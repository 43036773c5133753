const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
/** First bytes of files that are no text, which people upload all the same. */
const SIGNATURES: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['a zip archive', Buffer.from('PK\x03\x04', 'latin1')],
  ['a gzip file', Buffer.from([0x1f, 0x8b])],
  ['UTF-16 text', Buffer.from([0xff, 0xfe])],
  ['UTF-16 text', Buffer.from([0xfe, 0xff])],
];

/** A file that can't be read at all; its message becomes `error_message`. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** The bytes of a text in UTF-8, without a byte order mark, and how many characters have passed. */
export class CheckedBytes {
  readonly #source: AsyncIterable<Buffer>;
  characters = 0;

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source;
  }

  /** @throws UnreadableFile if the text is not UTF-8 */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let first = true;
    for await (const piece of this.#source) {
      const bytes = first ? opened(piece) : piece;
      first = false;
      if (bytes.includes(0)) throw new UnreadableFile('the file is no text: it holds NUL bytes');
      decode(decoder, bytes);
      this.characters += charactersOf(bytes);
      yield bytes;
    }
    decode(decoder, undefined);
    if (this.characters === 0) throw new UnreadableFile('the file is empty');
  }
}

function opened(piece: Buffer): Buffer {
  const known = SIGNATURES.find(([, bytes]) => piece.subarray(0, bytes.length).equals(bytes));
  if (known !== undefined) throw new UnreadableFile(`the file is ${known[0]}, not text in UTF-8`);
  return piece.subarray(0, BOM.length).equals(BOM) ? piece.subarray(BOM.length) : piece;
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer | undefined): void {
  try {
    if (bytes === undefined) decoder.decode();
    else decoder.decode(bytes, { stream: true });
  } catch {
    throw new UnreadableFile('the file is not text in UTF-8');
  }
}

/** Every byte but the continuations of UTF-8 begins a character. */
function charactersOf(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if ((byte & 0xc0) !== 0x80) count += 1;
  return count;
}
