import { CrawlhouseError } from '../../../../core/errors/errors.ts';

/** The bytes of a file, or of a member of an archive; each call reads them anew. */
export interface DecodedText {
  /** The file, and the member of an archive. */
  readonly place: string;
  bytes(): AsyncIterable<Uint8Array>;
}

const UTF16_SAMPLE = 64;

/** The encoding of a text by its first bytes. Spreadsheets write UTF-16. */
export function encodingOf(head: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  const sample = head.subarray(0, UTF16_SAMPLE);
  const zeros = (from: number): number => sample.filter((byte, at) => at % 2 === from && byte === 0).length;
  // Headers and numbers are Latin: every second byte is zero.
  if (zeros(1) > sample.length / 4 && zeros(0) === 0) return 'utf-16le';
  if (zeros(0) > sample.length / 4 && zeros(1) === 0) return 'utf-16be';
  return 'utf-8';
}

/**
 * The text of a content, without its byte order mark.
 *
 * @throws CrawlhouseError `usage` where the bytes are no text in UTF-8 or UTF-16
 */
export async function* decodeText({ place, bytes }: DecodedText): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let encoding = 'utf-8';
  let head: Uint8Array = new Uint8Array();
  const begin = (): InstanceType<typeof TextDecoder> => {
    encoding = encodingOf(head);
    return new TextDecoder(encoding, { fatal: true });
  };
  try {
    for await (const chunk of bytes()) {
      if (decoder !== undefined) yield decoder.decode(chunk, { stream: true });
      else {
        head = Buffer.concat([head, chunk]);
        if (head.length < UTF16_SAMPLE) continue;
        decoder = begin();
        yield decoder.decode(head, { stream: true });
      }
    }
    if (decoder === undefined) yield begin().decode(head);
    else yield decoder.decode();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new CrawlhouseError('usage', `${place} is no text in ${encoding.toUpperCase()}`, {
      cause,
      hint: 'save it as UTF-8',
    });
  }
}
