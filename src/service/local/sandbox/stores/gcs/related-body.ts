import { GcsError } from './gcs-error.ts';

const LONGEST_METADATA = 1024 * 1024;

/** The two parts of a `multipart/related` upload: JSON, then the bytes of the object, which stream. */
export interface RelatedBody {
  readonly metadata: string;
  readonly contentType: string | undefined;
  readonly media: AsyncIterable<Buffer>;
}

/** Reads the metadata of a `multipart/related` body (RFC 2387) and leaves its bytes to be read. */
export async function relatedBody(body: AsyncIterable<Buffer>, contentType: string): Promise<RelatedBody> {
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  const delimiter = Buffer.from(`--${boundary?.[1] ?? boundary?.[2] ?? ''}`);
  if (boundary === null) throw new GcsError(400, 'multipart upload without a boundary');
  const pieces = body[Symbol.asyncIterator]();
  let held = Buffer.alloc(0);
  const until = async (mark: string | Buffer): Promise<Buffer> => {
    for (;;) {
      const at = held.indexOf(mark);
      if (at >= 0) {
        const before = held.subarray(0, at);
        held = held.subarray(at + mark.length);
        return before;
      }
      if (held.length > LONGEST_METADATA) throw new GcsError(400, 'the metadata are too long');
      const { value, done } = await pieces.next();
      if (done) throw new GcsError(400, 'the multipart upload ended early');
      held = Buffer.concat([held, value]);
    }
  };
  await until(delimiter);
  await until('\r\n\r\n');
  const metadata = (await until(Buffer.concat([Buffer.from('\r\n'), delimiter]))).toString('utf8');
  const head = (await until('\r\n\r\n')).toString('latin1');
  const rest = (async function* () {
    yield held;
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
  })();
  return {
    metadata,
    contentType: /^content-type:\s*(\S+)/im.exec(head)?.[1],
    media: withoutEnd(rest, Buffer.concat([Buffer.from('\r\n'), delimiter, Buffer.from('--')])),
  };
}

/** Everything before the closing delimiter, which can only be the last bytes; some senders end it with a line break. */
async function* withoutEnd(bytes: AsyncIterable<Buffer>, end: Buffer): AsyncGenerator<Buffer> {
  const keep = end.length + 2;
  let held = Buffer.alloc(0);
  for await (const piece of bytes) {
    held = Buffer.concat([held, piece]);
    if (held.length <= keep) continue;
    yield held.subarray(0, held.length - keep);
    held = held.subarray(held.length - keep);
  }
  const at = held.lastIndexOf(end);
  if (at < 0) throw new GcsError(400, 'the multipart upload ended early');
  yield held.subarray(0, at);
}
