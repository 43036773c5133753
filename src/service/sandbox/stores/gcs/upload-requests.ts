import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Digests } from '../digests.ts';
import type { ObjectFolder, Received } from '../object-folder.ts';
import type { IndexedObject } from '../object-index.ts';
import type { StoreAnswer } from '../store-server.ts';
import { checkConditions, GcsError, type GcsRequest, jsonAnswer } from './gcs-request.ts';
import { headersOf, objectResource, type UploadMetadata } from './object-resource.ts';

const LONGEST_NAME = 1024;
const RESUME_INCOMPLETE = 308;
/** The response to the cancellation of a resumable upload. */
const CANCELLED = 499;

/**
 * Uploads through the JSON API: `media`, `multipart` and `resumable`. Uploads in progress are lost when the sandbox
 * stops.
 */
export class UploadRequests {
  readonly #resumable = new Map<string, ResumableUpload>();

  async answer(call: GcsRequest): Promise<StoreAnswer> {
    const { query, method } = call.request;
    const type = query.get('uploadType');
    const id = query.get('upload_id');
    if (id !== null) return this.#resume(call, id);
    if (method !== 'POST') throw new GcsError(405, 'Method Not Allowed');
    if (type === 'media') return media(call);
    if (type === 'multipart') return multipart(call);
    if (type === 'resumable') return this.#begin(call);
    throw new GcsError(400, `Invalid upload type ${type}`);
  }

  async #begin(call: GcsRequest): Promise<StoreAnswer> {
    const { folder, request, bucket, base } = call;
    const metadata = parseMetadata(await text(request.body));
    const key = nameOf(call, metadata.name);
    checkConditions(request, folder.index.object(bucket, key));
    const contentType = request.headers['x-upload-content-type'];
    const id = randomBytes(24).toString('base64url');
    this.#resumable.set(id, new ResumableUpload(folder, bucket, { key, metadata, contentType }));
    const query = new URLSearchParams(request.query);
    query.set('upload_id', id);
    const path = `/upload/storage/v1/b/${encodeURIComponent(bucket)}/o`;
    return { status: 200, headers: { location: `${base}${path}?${query}` } };
  }

  async #resume(call: GcsRequest, id: string): Promise<StoreAnswer> {
    const { request, bucket, base } = call;
    const upload = this.#resumable.get(id);
    if (upload?.bucket !== bucket) throw new GcsError(410, 'The requested upload no longer exists');
    if (request.method === 'DELETE') {
      this.#resumable.delete(id);
      await upload.cancel();
      return { status: CANCELLED };
    }
    if (request.method !== 'PUT') throw new GcsError(405, 'Method Not Allowed');
    const received = await upload.take(request.body, request.headers['content-range']);
    if (received === undefined) {
      const range = upload.size === 0 ? {} : { range: `bytes=0-${upload.size - 1}` };
      return { status: RESUME_INCOMPLETE, headers: range };
    }
    this.#resumable.delete(id);
    return jsonAnswer(objectResource(await finishUpload(call, upload.upload, received), base));
  }
}

async function media(call: GcsRequest): Promise<StoreAnswer> {
  const { folder, request, base } = call;
  const key = nameOf(call, undefined);
  const received = await folder.receive(request.body, ['md5', 'crc32c']);
  const upload = { key, metadata: {}, contentType: request.headers['content-type'] };
  return jsonAnswer(objectResource(await finishUpload(call, upload, received), base));
}

async function multipart(call: GcsRequest): Promise<StoreAnswer> {
  const { folder, request, base } = call;
  const body = await relatedBody(request.body, request.headers['content-type'] ?? '');
  const metadata = parseMetadata(body.metadata);
  const key = nameOf(call, metadata.name);
  const received = await folder.receive(body.media, ['md5', 'crc32c']);
  const upload = { key, metadata, contentType: body.contentType };
  return jsonAnswer(objectResource(await finishUpload(call, upload, received), base));
}

function nameOf({ request }: GcsRequest, inBody: string | undefined): string {
  const name = request.query.get('name') ?? inBody ?? '';
  if (name === '') throw new GcsError(400, 'Required parameter: name');
  if (Buffer.byteLength(name) > LONGEST_NAME || /[\r\n]/.test(name))
    throw new GcsError(400, 'The name of the object is too long or contains a line break');
  return name;
}

const LONGEST_METADATA = 1024 * 1024;

/** Reads the metadata of a `multipart/related` body (RFC 2387) and leaves its bytes to be read. */
async function relatedBody(body: AsyncIterable<Buffer>, contentType: string) {
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

/**
 * Yields everything before the closing delimiter, which can only be the last bytes. Some senders add a line break after
 * it.
 */
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

/** A resumable upload: bytes arrive in any number of requests, and a client can ask where to continue. */
export class ResumableUpload {
  readonly upload: Upload;
  readonly bucket: string;
  readonly #folder: ObjectFolder;
  readonly #incoming: { readonly file: string; readonly path: string };
  readonly #digests = new Digests(['md5', 'crc32c']);
  /** Requests of one upload wait for each other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(folder: ObjectFolder, bucket: string, upload: Upload) {
    this.upload = upload;
    this.bucket = bucket;
    this.#folder = folder;
    this.#incoming = folder.newIncoming();
  }

  /** Received bytes. */
  get size(): number {
    return this.#digests.size;
  }

  /**
   * Takes the bytes of a request according to its Content-Range; returns the received bytes once they are complete.
   *
   * @throws GcsError for a range that does not continue the last one
   */
  take(body: AsyncIterable<Buffer>, contentRange: string | undefined): Promise<Received | undefined> {
    const taken = this.#turn.then(() => this.#take(body, contentRange));
    // The sender of these bytes gets the error.
    this.#turn = taken.catch(() => {});
    return taken;
  }

  async #take(body: AsyncIterable<Buffer>, contentRange: string | undefined): Promise<Received | undefined> {
    const range = parseRange(contentRange);
    if (range.first !== undefined) await this.#append(body, range.first);
    const total = contentRange === undefined || range.open ? this.size : range.total;
    if (total === undefined || this.size < total) return undefined;
    if (this.size > total) throw new GcsError(400, `${this.size} bytes have arrived, more than ${total}`);
    if (this.size === 0) await this.#append([], 0);
    return this.#folder.keep(this.#incoming.file, this.#digests);
  }

  async #append(body: AsyncIterable<Buffer> | Iterable<Buffer>, first: number): Promise<void> {
    if (first > this.size) throw new GcsError(503, `bytes from ${this.size} on are missing`);
    let known = this.size - first;
    const handle: FileHandle = await open(this.#incoming.path, 'a');
    try {
      for await (const piece of body) {
        const fresh = piece.subarray(known);
        known = Math.max(0, known - piece.length);
        await handle.writeFile(fresh);
        this.#digests.update(fresh);
      }
    } finally {
      await handle.close();
    }
  }

  async cancel(): Promise<void> {
    await rm(this.#incoming.path, { force: true });
  }
}

interface ContentRange {
  /** Absent in a query for the number of received bytes. */
  readonly first: number | undefined;
  /** Absent while the sender does not know it. */
  readonly total: number | undefined;
  /** `bytes 0-*\/*`: the end of this request is the end of the object. */
  readonly open: boolean;
}

function parseRange(header: string | undefined): ContentRange {
  if (header === undefined) return { first: 0, total: undefined, open: true };
  const [all, bytes = '', first = '', last = '', total = ''] =
    /^bytes ((?:(\d+)-(\d+|\*))|\*)\/(\d+|\*)$/.exec(header) ?? [];
  if (all === undefined) throw new GcsError(400, `Content-Range ${JSON.stringify(header)} is not understood`);
  return {
    first: bytes === '*' ? undefined : Number(first),
    total: total === '*' ? undefined : Number(total),
    open: last === '*',
  };
}

export interface Upload {
  readonly key: string;
  readonly metadata: UploadMetadata;
  readonly contentType: string | undefined;
}

/**
 * Creates an object from the received bytes if the uploader's checksums and conditions match.
 *
 * @throws GcsError, after dropping the received bytes
 */
async function finishUpload(
  { folder, request, bucket }: GcsRequest,
  { key, metadata, contentType }: Upload,
  received: Received,
): Promise<IndexedObject> {
  const md5 = received.digests.value('md5').toString('base64');
  const crc32c = received.digests.value('crc32c').toString('base64');
  try {
    checkConditions(request, folder.index.object(bucket, key));
    const claimed = [...hashHeader(request.headers['x-goog-hash']), metadata.md5Hash, metadata.crc32c];
    const wrong = claimed.find((sum) => sum !== undefined && sum !== md5 && sum !== crc32c);
    if (wrong !== undefined)
      throw new GcsError(400, `Provided checksum ${wrong} doesn't match what was received.`);
  } catch (error) {
    await folder.drop(received);
    throw error;
  }
  const headers = headersOf(metadata, contentType);
  return folder.put(received, { bucket, key, headers, checksums: { md5, crc32c } });
}

function hashHeader(header: string | undefined): string[] {
  return (header ?? '')
    .split(/\s*,\s*/)
    .filter((part) => part !== '')
    .map((part) => part.replace(/^\w+=/, ''));
}

/** @throws GcsError for metadata that is not a JSON object */
export function parseMetadata(sent: string): UploadMetadata {
  if (sent.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(sent);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch {
    // Not JSON: refused below.
  }
  throw new GcsError(400, 'Parse Error: the metadata are not a JSON object');
}
