import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { openDecoder, type TextPieces, utf16Of } from '../../../core/text/encodings.ts';

/** The bytes of a file, or of a member of an archive; each call reads them again. */
export interface DecodedText {
  /** The file, and the member of an archive. */
  readonly place: string;
  bytes(): AsyncIterable<Uint8Array>;
}

/** First bytes that show the encoding. */
const SAMPLE = 64;

/**
 * Yields the text of a file without its byte order mark.
 *
 * @throws CrawlhouseError `usage` if the bytes are not a text in UTF-8 or UTF-16
 */
export async function* decodeText({ place, bytes }: DecodedText): AsyncGenerator<string> {
  let decoder: TextPieces | undefined;
  let encoding = 'utf-8';
  let head: Uint8Array = new Uint8Array();
  const begin = (): TextPieces => {
    // Spreadsheets write UTF-16.
    encoding = utf16Of(head) ?? 'utf-8';
    return openDecoder(encoding, true);
  };
  try {
    for await (const chunk of bytes()) {
      if (decoder !== undefined) yield decoder.decode(chunk, { stream: true });
      else {
        head = Buffer.concat([head, chunk]);
        if (head.length < SAMPLE) continue;
        decoder = begin();
        yield decoder.decode(head, { stream: true });
      }
    }
    if (decoder === undefined) yield begin().decode(head);
    else yield decoder.decode();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new CrawlhouseError('usage', `${place} is not text in ${encoding.toUpperCase()}`, {
      cause,
      hint: 'save it as UTF-8',
    });
  }
}
