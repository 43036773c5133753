import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ObjectFolder } from '../../../../../src/service/sandbox/stores/object-folder.ts';
import type { S3Request } from '../../../../../src/service/sandbox/stores/s3/receive-body.ts';

interface Sent {
  readonly key?: string;
  readonly method?: string;
  readonly query?: string;
  readonly body?: string | readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly payloadHash?: string;
}

/** Requests for the bucket `b` of a store on the disk, whose signatures are good. */
export function requestsOf() {
  const dir = mkdtempSync(join(tmpdir(), 'crawlhouse-s3-'));
  const folder = new ObjectFolder(dir);
  onTestFinished(() => {
    folder[Symbol.dispose]();
    rmSync(dir, { recursive: true });
  });
  const request = ({ key = 'k', method = 'GET', query = '', body = '', ...more }: Sent): S3Request => {
    const pieces = (typeof body === 'string' ? [body] : body).map((piece) => Buffer.from(piece, 'latin1'));
    const length = String(pieces.reduce((sum, piece) => sum + piece.length, 0));
    return {
      ...{ folder, bucket: 'b', key, payloadHash: more.payloadHash ?? 'UNSIGNED-PAYLOAD' },
      request: {
        ...{ method, path: `/b/${key}`, rawQuery: query, query: new URLSearchParams(query) },
        headers: { 'content-length': length, ...more.headers },
        body: (async function* () {
          yield* pieces;
        })(),
      } as never as S3Request['request'],
    };
  };
  return { folder, request, dir };
}

/** The code of the error that something throws. */
export async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return 'none';
  } catch (error) {
    return String((error as { code?: string }).code ?? error);
  }
}
